"""A member of the cast as the rehearsal company reads a card."""

from __future__ import annotations

from dataclasses import dataclass

MEMORIES = "Memories"
"""The heading of the section that holds what a part remembers."""


@dataclass(frozen=True, slots=True)
class Part:
    """A member of the cast as the company reads a card: display name, role, headed sections of lines.

    A `guest` is played by another model: the company does not know its words in advance.
    """

    name: str
    role: str = ""
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()
    tempo: float = 1.0
    guest: bool = False

    @property
    def memories(self) -> tuple[str, ...]:
        """What the part remembers of earlier scenes, line by line."""
        return tuple(line for heading, lines in self.sections if heading == MEMORIES for line in lines)
