"""Gathers a book: its files, its decisions and its conversation become the one value that prompts are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dramaturg.kernel.settings import WorkshopSettings
from dramaturg.workshop.bible import FOLDER, BiblePage, StoryBible, page_path
from dramaturg.workshop.book import NOWHERE, ActiveContext, Book, HealthAlert, Project
from dramaturg.workshop.decisions import Decision
from dramaturg.workshop.manuscript import Manuscript, ManuscriptFile
from dramaturg.workshop.modes import BookState, Gate, Mode, completion, gate_of
from dramaturg.workshop.notebooks import NotebookShelf
from dramaturg.workshop.retrieval import ranked
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.voice_files import read_voice

FINISHED = "manuscript_complete"
"""The decision by which a writer calls the book done."""
PROSE = (Mode.DIRECTOR, Mode.EDITOR)


@dataclass(frozen=True, slots=True)
class Gathered:
    """A book, what its gates look at, and the digests of its files as they are now."""

    book: Book
    standing: BookState
    seen: Mapping[str, str]

    @property
    def gate(self) -> Gate:
        return gate_of(self.book.mode, self.standing)


def gather(
    project: Path,
    settings: WorkshopSettings,
    state: ForemanState,
    decisions: tuple[Decision, ...],
    notebooks: NotebookShelf,
    *,
    turn: int | None = None,
    message: str = "",
    active: ActiveContext = NOWHERE,
) -> Gathered:
    """The book at the moment of a turn; of the next one if none is said."""
    number = state.next_turn if turn is None else turn
    pages = StoryBible(project).pages()
    scenes = Manuscript(project).files()
    voice, bundle, problems = read_voice(project)
    standing = BookState(
        pages=pages,
        bundle_made=bundle is not None,
        voice_locked=voice.locked,
        scenes_planned=len(scenes),
        scenes_drafted=sum(one.is_drafted for one in scenes),
        marked_complete=any(one.key == FINISHED for one in decisions),
    )
    mode = state.mode
    here = _active(active, scenes) if mode in PROSE or active.file else active
    about = " ".join([message, *here.model_dump().values(), *_lately(state, number)])
    book = Book(
        mode=mode,
        completion=completion(standing),
        project=_project(project, settings, pages),
        active=here,
        pages=pages,
        voice=voice,
        bundle=bundle,
        knowledge=ranked(decisions, about),
        notebooks=notebooks.listings(),
        alerts=tuple(_alerts(project, state, standing, [*problems, *_broken(scenes)])),
        mishaps=state.mishaps(number),
    )
    seen = {page_path(page.template): page.digest for page in pages}
    return Gathered(book, standing, seen | {one.path: one.digest for one in scenes})


def _project(folder: Path, settings: WorkshopSettings, pages: tuple[BiblePage, ...]) -> Project:
    matter = {name: value for page in pages for name, value in page.matter.items()}
    named = folder.resolve().name.replace("-", " ").replace("_", " ").strip()
    return Project(
        title=settings.title or matter.get("title", "") or named.title() or "Untitled",
        protagonist=next((page.matter.get("name", "") for page in pages if page.template == "protagonist"), ""),
        genre=settings.genre or matter.get("genre", ""),
        tone=settings.tone or matter.get("tone", ""),
    )


def _active(given: ActiveContext, scenes: tuple[ManuscriptFile, ...]) -> ActiveContext:
    """What the writer has before them: the file they named, else the one that was changed last."""
    wanted = given.file.removeprefix("manuscript/").removesuffix(".md")
    named = [one for one in scenes if wanted and one.path == f"manuscript/{wanted}.md"]
    latest = sorted(scenes, key=lambda one: one.changed_at)[-1:]
    for one in named or ([] if wanted else latest):
        own = {"file": one.path, "beat": one.beat, "chapter": one.chapter, "scene": f"{one.scene} {one.title}".strip()}
        return ActiveContext.model_validate(own | {name: value for name, value in given.model_dump().items() if value})
    return given


def _lately(state: ForemanState, number: int) -> Iterable[str]:
    """The words of the last exchange: what a short message is about."""
    before = [turn for place, turn in sorted(state.turns.items()) if place < number]
    return [text for turn in before[-1:] for text in (turn.spoke.text, turn.message)]


def _broken(scenes: tuple[ManuscriptFile, ...]) -> list[str]:
    return [one.problem for one in scenes if one.problem]


def _alerts(project: Path, state: ForemanState, standing: BookState, problems: list[str]) -> Iterable[HealthAlert]:
    """Files that cannot be read, gates that were forced and are not made good, texts that lie beside their files."""
    broken = [page.problem for page in standing.pages if page.problem]
    for problem in [*broken, *problems]:
        yield HealthAlert(severity="critical", check="unreadable_file", text=problem)
    for mode in state.forced:
        for missing in gate_of(mode, standing).missing:
            yield HealthAlert(severity="warning", check=f"forced_{mode.lower()}", text=f"Still missing: {missing}")
    for path in sorted((project / FOLDER).glob("*.from-foreman-*.md")):
        text = f"{FOLDER}/{path.name} waits: the page was changed while it was written. Take from it what is good."
        yield HealthAlert(severity="info", check="text_beside", text=text)
