"""What the rehearsal company is told: the same facts a prompt holds, as values.

A cue travels beside the prompt in `ModelRequest.cue`. Providers never see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dramaturg.kernel.models.port import Cue


@dataclass(frozen=True, slots=True)
class Part:
    """A member of the cast as the company reads a card: display name, role, headed sections of lines.

    A `guest` is played by another model: nobody in the company knows its words beforehand.
    """

    name: str
    role: str = ""
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()
    tempo: float = 1.0
    guest: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """One entry of the transcript. `speaker` is empty for a world event or a word from the house.

    A line that was cut ends in a dash and has `cut` set.
    """

    beat: int
    kind: Literal["line", "event", "system"]
    speaker: str
    action: Literal["speak", "interrupt", "react", "silent"]
    content: str
    tone: str = ""
    target: str | None = None
    nonverbal: str | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Playbook:
    """What does not change while a scene is played. `goals` are its sub-goals in order."""

    name: str
    prompt: str
    goals: tuple[str, ...]
    cast: tuple[Part, ...]
    opener: str
    setting: str = ""
    seed: int = 0
    max_beats: int = 50

    def with_only(self, present: Sequence[str]) -> Playbook:
        """The book for those on stage, by name; goals that name somebody absent wait. No name: all are there."""
        absent = [part.name for part in self.cast if present and part.name not in present]
        if not absent:
            return self
        here = tuple(part for part in self.cast if part.name not in absent)
        goals = tuple(goal for goal in self.goals if not any(name in goal for name in absent))
        return replace(self, cast=here, goals=goals or self.goals)


@dataclass(frozen=True, slots=True)
class LineCue(Cue):
    """Your turn, `me`, at this beat: answer in the scene's response format."""

    book: Playbook
    me: str
    beat: int
    lines: tuple[Heard, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class VerdictCue(Cue):
    """Which sub-goals are met, and by which words? Answer in the judge's JSON."""

    book: Playbook
    lines: tuple[Heard, ...]


@dataclass(frozen=True, slots=True)
class TableSeat:
    """Somebody at an ensemble's table: number, name, and who that is in a few words."""

    slot: int
    name: str
    persona: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody at the table said: an answer in turn 2, a comment in turn 3."""

    slot: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class TableCue(Cue):
    """Your line, `me`, in one of an ensemble's three turns. Answer in the JSON of that turn.

    `heard` are the others' answers (turn 2) or the comments on yours (turn 3), `own` is your answer of turn 1,
    `said` everything you have said at this table before.
    """

    turn: Literal[1, 2, 3]
    me: int
    question: str
    cast: tuple[TableSeat, ...]
    heard: tuple[Remark, ...] = ()
    own: str = ""
    said: tuple[str, ...] = ()
    profile: str = ""
    seed: int = 0
