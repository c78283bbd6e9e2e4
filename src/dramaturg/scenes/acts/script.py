"""An act as one script for its exports and its audio play: the lines of its scenes, numbered through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dramaturg.scenes.acts.state import ActState
from dramaturg.scenes.audioplay.script import unsaid_of
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.events import CastMember, SceneRun
from dramaturg.scenes.exports.script import Playscript, playscript_of, sentence
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import GoalRecord


@dataclass(frozen=True, slots=True)
class ActScript:
    """The scenes of an act as scripts, and all of them as one.

    In `whole` each scene but the first is announced by an event; `chapters` are the titles of the scenes by the beat
    with which they begin, `unsaid` the rests of cut lines by the number of the line, `cards` the cards as they were.
    """

    parts: tuple[Playscript, ...]
    whole: Playscript
    chapters: Mapping[int, str] = field(default_factory=dict)
    unsaid: Mapping[int, str] = field(default_factory=dict)
    cards: Mapping[str, str] = field(default_factory=dict)

    def chapter(self, beat: int) -> str:
        """The title of the scene that a beat belongs to."""
        return self.chapters[max((start for start in self.chapters if start <= beat), default=0)]


def act_script(state: ActState, scenes: Sequence[SceneRun]) -> ActScript | None:
    """The script of the scenes that were played; None if there are none."""
    parts = tuple(playscript_of(run.id, run.entries) for run in scenes)
    if not parts:
        return None
    joined = _Joined()
    for run, part in zip(scenes, parts, strict=True):
        joined.add(run, part)
    first = parts[0]
    whole = Playscript(
        title=state.act.config.title,
        setting=". ".join(filter(None, (first.title, first.setting))),
        goal="; ".join(f"{part.title}: {part.goal}" for part in parts),
        cast=tuple(joined.cast.values()),
        played_by="; ".join(dict.fromkeys(part.played_by for part in parts)),
        played_at=first.played_at,
        lines=tuple(joined.lines),
        goals=tuple(joined.goals),
        end="ACT END" if state.ended else "ACT STOPPED",
        beats=joined.beats,
        arrivals=joined.arrivals,
    )
    return ActScript(parts, whole, joined.chapters, joined.unsaid, joined.cards)


class _Joined:
    """Scenes one after the other: lines, beats and sub-goals are counted through."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.goals: list[GoalRecord] = []
        self.cast: dict[str, CastMember] = {}
        self.cards: dict[str, str] = {}
        self.arrivals: dict[int, float] = {}
        self.unsaid: dict[int, str] = {}
        self.chapters: dict[int, str] = {}
        self.beats = 0

    def add(self, run: SceneRun, part: Playscript) -> None:
        self.chapters[self.beats] = part.title
        if self.lines:
            told = " ".join(sentence(text) for text in (part.title, part.setting) if text)
            self.lines.append(Line(number=self._last + 1, beat=self.beats, kind="event", content=told))
        after = self._last
        moved = {line.number: after + place for place, line in enumerate(part.lines, start=1)}
        self.lines += [
            line.model_copy(update={"number": moved[line.number], "beat": self.beats + line.beat})
            for line in part.lines
        ]
        self.arrivals.update({moved[number]: at for number, at in part.arrivals.items()})
        self.unsaid.update({moved[number]: rest for number, rest in unsaid_of(run.entries).items() if number in moved})
        for record in part.goals:
            goal = Goal(id=len(self.goals) + 1, text=record.goal.text)
            shown = record.evidence.model_copy(update={"goal": goal.id, "line": None}) if record.evidence else None
            self.goals.append(GoalRecord(goal=goal, evidence=shown))
        for member in part.cast:
            self.cast.setdefault(member.name, member)
        self.cards.update(scene_state(run.entries).cards)
        self.beats += part.beats

    @property
    def _last(self) -> int:
        return self.lines[-1].number if self.lines else 0
