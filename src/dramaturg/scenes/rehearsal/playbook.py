"""The facts of a scene as the rehearsal company reads them: the same facts a prompt holds, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dramaturg.kernel.models.rehearsal.part import Part


@dataclass(frozen=True, slots=True)
class HeardLine:
    """One entry of the transcript. `speaker` is empty for a world event or a system message.

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
        """The book for those on stage, by name; goals that name somebody absent wait. Without names, all are there."""
        absent = [part.name for part in self.cast if present and part.name not in present]
        if not absent:
            return self
        here = tuple(part for part in self.cast if part.name not in absent)
        goals = tuple(goal for goal in self.goals if not any(name in goal for name in absent))
        return replace(self, cast=here, goals=goals or self.goals)
