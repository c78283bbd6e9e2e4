"""Ten unseen scenes, played directly and assisted by a model of your own, and what can be counted in the lines.

`python -m benchmarks.assistance URL MODEL` plays the scenes of `benchmarks/unseen` against any server that speaks the
OpenAI protocol. The scenes have no lines of an author. Everything is kept below `--out`; what has been played there is
counted again and not played again, so a slow model can be stopped and continued. A scene is played without a judge
and judged once at its end, by `--judge` or the model itself; only quotes that pass the engine's checks count.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
import yaml

from benchmarks.own_model import SECONDS, add_model, settings_for
from dramaturg import SceneConfig, Studio, read_settings
from dramaturg.kernel.text.words import words
from dramaturg.model_notes.likeness import TOO_ALIKE, likeness
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.flaws import form_flaw
from dramaturg.scenes.line import Line
from dramaturg.scenes.scene import scene_from
from dramaturg.scenes.stage import playbook, scene_judge
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.wire import result_of

UNSEEN = Path(__file__).parent / "unseen"
WAYS = ("direct", "assisted")
SHORTEST_BEGINNING = 3


@dataclass(frozen=True)
class UnseenScene:
    """A scene nobody wrote lines for, its cards, and the words by which code knows its subject."""

    config: SceneConfig
    cards: dict[str, str]
    subject: frozenset[str]


@dataclass(frozen=True)
class Counts:
    """What was counted in one scene, or in several."""

    lines: int = 0
    in_form: int = 0
    on_subject: int = 0
    new_on_subject: int = 0
    repetitions: int = 0
    several_questions: int = 0
    walked: int = 0
    goals: int = 0
    met: int = 0
    words: int = 0
    own: int = 0
    seconds: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(mine + theirs for mine, theirs in zip(_fields(self), _fields(other), strict=True)))


def _fields(counts: Counts) -> list[float]:
    return [getattr(counts, name) for name in Counts.__dataclass_fields__]


def read_unseen(name: str) -> UnseenScene:
    """A scene of `benchmarks/unseen`, by the name of its file."""
    raw = yaml.safe_load((UNSEEN / f"{name}.yaml").read_text(encoding="utf-8"))
    cards, extra = raw.pop("cards"), raw.pop("subject")
    config = scene_from(raw)
    return UnseenScene(config, cards, frozenset(word for one in extra for word in words(str(one))))


def story(folder: Path, url: str, model: str, unseen: Sequence[UnseenScene]) -> Path:
    """A project with the cards of these scenes, in which one server plays and nobody judges."""
    agents = folder / ".claude" / "agents"
    agents.mkdir(parents=True, exist_ok=True)
    for name, card in (item for scene in unseen for item in scene.cards.items()):
        (agents / f"{name}.md").write_text(card, encoding="utf-8")
    (folder / "dramaturg.toml").write_text(
        settings_for(url, model, 'director = "rehearsal"', "max_tokens = 120") + f"[scenes]\ntimeout = {SECONDS}\n",
        encoding="utf-8",
    )
    return folder


def count(scene: UnseenScene, run: SceneRun, met: int) -> Counts:
    """What code can tell of a played scene."""
    state = scene_state(run.entries)
    data = result_of(run.id, run.entries, state).metadata
    played = [line for line in state.lines if line.kind == "line"]
    spoken = [line for line in played if line.content]
    cast = [member.display_name for member in state.cast]
    fresh = [line for place, line in enumerate(spoken) if not _repeats(line, spoken[:place])]
    return Counts(
        lines=len(played),
        in_form=sum(is_in_form(line, cast) for line in spoken),
        on_subject=sum(is_on_subject(line, scene.subject) for line in spoken),
        new_on_subject=sum(is_on_subject(line, scene.subject) for line in fresh),
        repetitions=len(spoken) - len(fresh),
        several_questions=sum(line.content.count("?") + line.content.count("？") > 1 for line in spoken),
        walked=len(played) - len(spoken),
        goals=len(state.goals),
        met=met,
        words=data.words.spoken,
        own=data.words.by_model,
        seconds=data.duration / 1000,
    )


def is_in_form(line: Line, cast: Sequence[str]) -> bool:
    """Whether a line is one speaker's speech of a few sentences, to somebody else, without markup or narration."""
    marks = {line.speaker.casefold(), line.speaker.split()[0].casefold()}
    addressed = line.target is None or line.target.casefold() not in marks
    return (
        addressed and (line.nonverbal or "").casefold() not in marks and not form_flaw(line.content, line.speaker, cast)
    )


def is_on_subject(line: Line, subject: frozenset[str]) -> bool:
    """Whether a line has a word of the list in the scene's file, which was written before any model played it.

    A longer word that begins with one of four letters or more counts: "measurements" for "measure".
    """
    said = words(line.content)
    return any(
        word == one or (len(one) > SHORTEST_BEGINNING and word.startswith(one)) for word in said for one in subject
    )


def _repeats(line: Line, before: Sequence[Line]) -> bool:
    return any(likeness(line.content, other.content) > TOO_ALIKE for other in before)


async def judged(studio: Studio, state: SceneState, judge: str) -> list[dict[str, object]]:
    """The sub-goals that a model finds met, each with the quote that passed the checks."""
    model = studio.resources.gateway.open(judge)
    found = await scene_judge(state, model, playbook(state, ())).judge(state, state.beat)
    return [evidence.model_dump() for evidence in found.verdict.met]


async def play(
    studio: Studio, scene: UnseenScene, way: str, judge: str, kept: dict[str, object]
) -> tuple[SceneRun, int]:
    """The run of a scene, played or found, and how many sub-goals it has evidence for."""
    name = scene.config.name
    runs = [record for record in await studio.runs.find("scene", limit=1000) if record.name == name]
    if runs and runs[0].status == "ended":
        run = await studio.scenes.open_run(runs[0].id)
    elif runs:
        adopted = await studio.adopt(runs[0].id)
        await studio.start(adopted)
        run = adopted.run
    else:
        run = await studio.scenes.open(scene.config, agent=way)  # type: ignore[arg-type]
        await studio.start(run)
    if name not in kept:
        kept[name] = await judged(studio, scene_state(run.entries), judge)
    met = kept[name]
    assert isinstance(met, list)
    return run, len(met)


async def measure(url: str, model: str, names: Sequence[str], ways: Sequence[str], judge: str, out: Path) -> None:
    unseen = {name: read_unseen(name) for name in names}
    print(f"Model: {model}. {len(unseen)} scenes.\n")
    for way in ways:
        total = Counts()
        settings = read_settings(story(out / way, url, model, list(unseen.values())), os.environ, trust=True)
        verdicts = out / way / "verdicts.json"
        kept = orjson.loads(verdicts.read_bytes()) if verdicts.exists() else {}
        print(HEAD)
        async with Studio.open(settings) as studio:
            for name, scene in unseen.items():
                run, met = await play(studio, scene, way, judge or f"house/{model}", kept)
                verdicts.write_bytes(orjson.dumps(kept, option=orjson.OPT_INDENT_2))
                counts = count(scene, run, met)
                total += counts
                print(row(f"{way}: {name}", counts), flush=True)
        print(row(f"**{way}**", total), flush=True)
        print()


HEAD = (
    "| scene | lines | in form | on the subject | of these new | repetitions | questions at once | walked through | "
    "sub-goals with evidence | model's words | seconds a line |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def row(name: str, one: Counts) -> str:
    share = f"{one.own / one.words:.0%}" if one.words else "–"
    pace = f"{one.seconds / one.lines:.1f}" if one.lines else "–"
    counted = (one.lines, one.in_form, one.on_subject, one.new_on_subject, one.repetitions, one.several_questions)
    cells = (name, *counted, one.walked, f"{one.met} of {one.goals}", share, pace)
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    every = sorted(path.stem for path in UNSEEN.glob("*.yaml"))
    read = argparse.ArgumentParser(prog="python -m benchmarks.assistance", description=__doc__.partition("\n")[0])
    add_model(read)
    read.add_argument("--scenes", default=",".join(every), help="names of files in benchmarks/unseen, comma-separated")
    read.add_argument("--ways", default=",".join(WAYS), help="direct, assisted")
    read.add_argument("--judge", default="", help="provider/model that judges at the end; the model itself if not set")
    read.add_argument("--out", type=Path, default=Path("unseen-out"), help="where the runs are kept")
    given = read.parse_args()
    names, ways = given.scenes.split(","), given.ways.split(",")
    asyncio.run(measure(given.url, given.model, names, ways, given.judge, given.out))


if __name__ == "__main__":
    main()
