"""A tiny moderator for tests: it cues the company, orders by arrival, cuts, asks the verdict, and stops."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany
from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.scenes.director.goals import goal_source, split_goal
from dramaturg.scenes.rehearsal.cues import LineCue, VerdictCue
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.scene import scene_from
from dramaturg.scenes.stage import read_lines

EXAMPLES = Path(__file__).parents[3] / "examples"
_RESPONSE = re.compile(
    r"\[(?:(?P<silent>SILENT)|(?P<react>REACT)|INTERRUPT after \"(?P<after>[^\"]+)\"|TO: (?P<to>[^,\]]+)"
    r"|TONE: (?P<tone0>[^,\]*]+))"
    r"(?:, TONE: (?P<tone>[^,\]*]+))?(?:, \*(?P<gesture>[^*\]]+)\*)?\](?: \"(?P<text>[^\"]+)\")?"
)
Foreign = Callable[[LineCue], str | None]


@dataclass(frozen=True)
class Answer:
    """One answer as the stage read it."""

    who: str
    action: str
    text: str = ""
    tone: str = ""
    target: str | None = None
    gesture: str | None = None
    after: str | None = None
    arrived_at: float = 0.0
    whole: str = ""


@dataclass
class Played:
    """A scene that has been played."""

    book: Playbook
    lines: tuple[HeardLine, ...] = ()
    answers: list[tuple[int, Answer]] = field(default_factory=list)
    verdict: Mapping[str, object] = field(default_factory=dict)
    beats: int = 0
    cuts: list[tuple[str, str]] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)
    met_at: dict[int, int] = field(default_factory=dict)

    @property
    def spoken(self) -> list[HeardLine]:
        return [line for line in self.lines if line.kind == "line" and line.content]

    @property
    def achieved(self) -> bool:
        goals = self.verdict.get("goals", [])
        assert isinstance(goals, list)
        return bool(goals) and all(goal["met"] for goal in goals)

    def script(self) -> str:
        return "\n".join(_printed(line) for line in self.lines)


def _printed(line: HeardLine) -> str:
    if line.kind != "line":
        return f"[{line.kind.upper()}: {line.content}]"
    inside = [line.action.upper()] if line.action != "speak" else []
    inside += [f"TO: {line.target}"] if line.target else []
    inside += [f"TONE: {line.tone}"] + ([f"*{line.nonverbal}*"] if line.nonverbal else [])
    return f"{line.beat:2} {line.speaker} [{', '.join(inside)}] {line.content}"


def read_response(who: str, raw: str, arrived_at: float = 0.0) -> Answer:
    """Strictly by the format: anything else is an error."""
    found = _RESPONSE.fullmatch(raw)
    assert found, f"not in the response format: {raw}"
    if found["silent"]:
        assert not found["text"], raw
        return Answer(who, "silent", gesture=found["gesture"], arrived_at=arrived_at)
    tone = found["tone"] or found["tone0"]
    assert tone, f"no tone: {raw}"
    if found["react"]:
        return Answer(who, "react", tone=tone, gesture=found["gesture"], arrived_at=arrived_at)
    assert found["text"], raw
    action = "interrupt" if found["after"] else "speak"
    return Answer(who, action, found["text"], tone, found["to"], found["gesture"], found["after"], arrived_at, raw)


def request(cue: LineCue | VerdictCue, key: str = "k") -> ModelRequest:
    return ModelRequest(key=key, purpose="acting", system="", messages=(), max_tokens=400, cue=cue)


async def play(
    book: Playbook,
    *,
    events: Mapping[int, str] | None = None,
    notes: Mapping[int, str] | None = None,
    failing: Mapping[str, range] | None = None,
    foreign: Mapping[str, Foreign] | None = None,
    moderated: bool = True,
) -> Played:
    """Play a scene to its end: the opener at beat 0, then everybody at every beat."""
    company = RehearsalCompany(StillClock())
    played = Played(book)
    for beat in range(book.max_beats):
        note = (notes or {}).get(beat, _note(played, beat) if moderated else "")
        who = [book.opener] if beat == 0 else [part.name for part in book.cast]
        cues = {name: LineCue(book, name, beat, played.lines, note) for name in who}
        down = {name for name, beats in (failing or {}).items() if beat in beats}
        asked = [_ask(company, cue, (foreign or {}).get(name)) for name, cue in cues.items() if name not in down]
        answers = sorted(await asyncio.gather(*asked), key=lambda answer: answer.arrived_at)
        played.answers += [(beat, answer) for answer in answers]
        for answer in answers:
            _enter(played, beat, answer)
        for name in down & set(who):
            played.lines = (*played.lines, HeardLine(beat, "system", "", "speak", f"{name} unable to respond"))
        played.beats = beat + 1
        verdict = await company.complete(request(VerdictCue(book, played.lines)))
        played.verdict = json.loads(verdict.text)
        for goal in played.verdict["goals"]:  # type: ignore[attr-defined]
            if goal["met"]:
                played.met_at.setdefault(goal["id"], beat)
        if played.achieved and played.verdict["natural_end"]:
            break
        if events and beat + 1 in events:
            played.lines = (*played.lines, HeardLine(beat, "event", "", "speak", events[beat + 1]))
    return played


def _note(played: Played, beat: int) -> str:
    """The moderator's notes, as in the house."""
    goals = played.verdict.get("goals", [])
    assert isinstance(goals, list)
    open_goals = [goal for goal in goals if not goal["met"]]
    if goals and not open_goals:
        return "Please close the scene by saying your last word on it."
    last = max((line.beat for line in played.lines if line.kind == "line"), default=0)
    if beat - 1 - last >= 3:
        return "Someone should respond to move the scene forward."
    if len(open_goals) == 1 and len(goals) > 1:
        return "Scene is nearing natural conclusion. Begin wrapping up."
    return ""


async def _ask(company: RehearsalCompany, cue: LineCue, foreign: Foreign | None) -> Answer:
    raw = foreign(cue) if foreign else None
    if raw is not None:
        return read_response(cue.me, raw, 1.0)
    answer = await company.complete(request(cue))
    assert answer.cost_usd == 0.0
    assert answer.usage.total_tokens == 0
    return read_response(cue.me, answer.text, answer.arrived_at)


def _enter(played: Played, beat: int, answer: Answer) -> None:
    if answer.action == "silent":
        return
    if answer.action == "interrupt":
        _cut(played, answer)
    line = HeardLine(
        beat,
        "line",
        answer.who,
        answer.action,
        answer.text,
        answer.tone,
        answer.target,
        answer.gesture,  # type: ignore[arg-type]
    )
    played.lines = (*played.lines, line)


def _cut(played: Played, answer: Answer) -> None:
    """Cut the latest line of somebody else behind the phrase; note it where there is nothing to cut."""
    spots = [spot for spot, line in enumerate(played.lines) if line.content and line.speaker not in ("", answer.who)]
    line = played.lines[spots[-1]] if spots else None
    assert answer.after
    place = line.content.find(answer.after) if line else -1
    end = place + len(answer.after)
    if line is None or place < 0 or not re.search(r"\w", line.content[end:]):
        played.missed.append((answer.after, line.content if line else ""))
        return
    played.cuts.append((answer.after, line.content))
    cut = replace(line, content=line.content[:end].rstrip(" ,.;:") + "—", cut=True)
    played.lines = (*played.lines[: spots[-1]], cut, *played.lines[spots[-1] + 1 :])


def part_of(path: Path) -> Part:
    """A card, read the short way."""
    name, role, heading = path.stem.title(), "", ""
    sections: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            name, _, role = line[2:].partition(" - ")
        elif line.startswith("## "):
            heading = line[3:].strip()
        elif line.startswith("- "):
            sections.setdefault(heading, []).append(line[2:].strip())
    return Part(name, role, tuple((head, tuple(lines)) for head, lines in sections.items()))


def example(folder: str, seed: int = 0) -> Playbook:
    """An example project's scene as a playbook."""
    project = EXAMPLES / folder
    scene = yaml.safe_load(next((project / "scenes").glob("*.yaml")).read_text(encoding="utf-8"))
    cast = {name: part_of(project / ".claude" / "agents" / f"{name}.md") for name in scene["characters"]}
    names = tuple(part.name for part in cast.values())
    goals = tuple(goal.text for goal in split_goal(goal_source(scene["prompt"], scene.get("goal")), names))
    config = scene_from(scene)
    return Playbook(
        name=scene["name"],
        prompt=" ".join(scene["prompt"].split()),
        goals=goals,
        cast=tuple(cast.values()),
        opener=cast[scene["initialSpeaker"]].name,
        setting=scene.get("setting", ""),
        seed=seed,
        max_beats=scene.get("maxBeats", 50),
        script=read_lines(config.lines, names, len(goals)),
    )


def scene(prompt: str, goals: tuple[str, ...], names: tuple[str, ...], *, opener: str = "", **more: object) -> Playbook:
    """A scene with bare cards."""
    cast = more.pop("cast", None) or tuple(Part(name) for name in names)
    return Playbook("test", prompt, goals, cast, opener or names[0], **more)  # type: ignore[arg-type]


Runner = Callable[..., Awaitable[Played]]
