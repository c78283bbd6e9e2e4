"""The modes of the workshop, and the gates between them. Code decides whether a gate is open.

A mode is a module here with a `MODE`, a member of `Mode`, and a prompt file.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from dramaturg.kernel.values import Value
from dramaturg.workshop.book.bible import TEMPLATES
from dramaturg.workshop.book.modes import architect, director, editor, voice_calibration
from dramaturg.workshop.book.modes.mode import BookState, ModeRules

__all__ = ["BookState", "Gate", "Mode", "ModeRules", "completion", "gate_of"]

_RULES: Mapping[str, ModeRules] = {
    one.name: one
    for one in sorted((architect.MODE, voice_calibration.MODE, director.MODE, editor.MODE), key=lambda one: one.place)
}


class Mode(StrEnum):
    """The stage of a book on its way from idea to manuscript, in order."""

    ARCHITECT = "ARCHITECT"
    VOICE_CALIBRATION = "VOICE_CALIBRATION"
    DIRECTOR = "DIRECTOR"
    EDITOR = "EDITOR"

    @property
    def rules(self) -> ModeRules:
        """Everything that is declared of the mode."""
        return _RULES[self.value]

    @property
    def next(self) -> Mode | None:
        order = list(Mode)
        place = order.index(self) + 1
        return order[place] if place < len(order) else None


class Gate(Value):
    """Whether a mode may be left and, if not, what is missing."""

    mode: Mode
    missing: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        return not self.missing


def gate_of(mode: Mode, book: BookState) -> Gate:
    """The gate at the end of a mode."""
    return Gate(mode=mode, missing=mode.rules.misses(book))


def completion(book: BookState) -> int:
    """How much of the story bible is filled in, in percent of its fields."""
    wanted = sum(len(TEMPLATES[page.template].fields) for page in book.pages)
    there = sum(len(TEMPLATES[page.template].fields) - len(page.missing) for page in book.pages)
    return round(100 * there / wanted) if wanted else 0
