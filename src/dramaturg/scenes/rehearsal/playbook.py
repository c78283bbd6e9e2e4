"""The facts of a scene as the rehearsal company reads them: the same facts a prompt holds, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.scenes.script import ScriptMoment


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
    """What does not change while a scene is played. `goals` are its sub-goals in order, `script` the author's lines.

    `absent` are those of the cast who are not on stage at this beat; `muted` are there, and are not asked.
    """

    name: str
    prompt: str
    goals: tuple[str, ...]
    cast: tuple[Part, ...]
    opener: str
    setting: str = ""
    seed: int = 0
    max_beats: int = 50
    script: tuple[ScriptMoment, ...] = ()
    absent: frozenset[str] = frozenset()
    muted: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.cast)

    def with_only(self, present: Sequence[str], muted: Sequence[str] = ()) -> Playbook:
        """The book at a beat at which only these are on stage, by name. Without names, all are there."""
        absent, silent = frozenset(name for name in self.names if present and name not in present), frozenset(muted)
        return replace(self, absent=absent, muted=silent) if (absent, silent) != (self.absent, self.muted) else self
