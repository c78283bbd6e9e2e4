"""What tests need to put a scene on: a project on disk, a store, a cast, and a model that answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dramaturg.characters import Card, load_cast
from dramaturg.kernel.clock import Clock, StillClock
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.runs import Kinds, Performance, Recorded, Run, RunLibrary
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.kernel.store import open_store
from dramaturg.scenes.events import SceneEvent
from dramaturg.scenes.kind import SceneKind
from dramaturg.scenes.lore import read_books, standing_lore
from dramaturg.scenes.play import play_scene
from dramaturg.scenes.scene import SceneConfig, scene_from
from dramaturg.scenes.stage import Casting, open_scene, stage_scene
from dramaturg.scenes.state import SceneState

WINDOW = 32_000


def write_cards(project: Path, names: Iterable[str], languages: Mapping[str, str] | None = None) -> None:
    folder = project / ".claude" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        spoken = (languages or {}).get(name)
        front = f"---\nlanguage: {spoken}\n---\n" if spoken else ""
        (folder / f"{name}.md").write_text(
            f"{front}# {name.title()} - Colleague\n\n## Personality\n- Direct\n", encoding="utf-8"
        )


def scene_kinds() -> Kinds:
    """Scenes, for a library that keeps their runs and does not play them by itself."""
    return Kinds.of([SceneKind(None, None, None)])


def performance_of(run: Run) -> Performance:
    return Performance(run, SceneKind(None, None, None))


async def open_run(library: RunLibrary, config: SceneConfig, settings: Settings, model: str = "scripted") -> Run:
    cards = load_cast(settings.project, config.characters)
    casting = Casting({card.name: model for card in cards}, model)
    run = await library.create("scene", config.name, seed=1)
    opened = open_scene(config, cards, casting, seed=1, folder=f"scenes/{config.name}")
    await run.append(*opened, *await _lore(config, cards, opened, settings))
    return run


async def _lore(
    config: SceneConfig, cards: Sequence[Card], opened: Sequence[SceneEvent], settings: Settings
) -> Sequence[SceneEvent]:
    books = read_books(settings.project, config, cards)
    if books is None:
        return ()
    state = SceneState().after((*opened, books))
    windows = {member.name: WINDOW for member in state.cast}
    return (books, *await standing_lore(state, windows, settings.scenes.lore_tokens))


async def play_scripted(
    config: dict[str, object],
    model: Model,
    project: Path,
    clock: Clock | None = None,
    languages: Mapping[str, str] | None = None,
    cards: Mapping[str, str] | None = None,
) -> Run:
    """Play a whole scene with one model for everybody; the run as it stands at the end."""
    scene = scene_from(config)
    write_cards(project, scene.characters, languages)
    for name, text in (cards or {}).items():
        (project / ".claude" / "agents" / f"{name}.md").write_text(text, encoding="utf-8")
    settings = read_settings(project, {})
    store = await open_store(settings)
    try:
        library = RunLibrary(store, clock or StillClock(), scene_kinds())
        run = await open_run(library, scene, settings)
        production = stage_scene(run, settings, lambda name, who: Recorded(model, run, who))
        await play_scene(performance_of(run), production)
        return run
    finally:
        await store.close()
