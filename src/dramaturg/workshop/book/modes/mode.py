"""What a mode is: one value per mode, in a file of its own. Everything that depends on the mode follows from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dramaturg.kernel.values import Value
from dramaturg.workshop.book.bible import BiblePage


class BookState(Value):
    """The facts about a book that the gates check."""

    pages: tuple[BiblePage, ...]
    bundle_made: bool = False
    voice_locked: bool = False
    scenes_planned: int = 0
    scenes_drafted: int = 0
    marked_complete: bool = False


@dataclass(frozen=True, slots=True)
class ModeRules:
    """A mode: its name and place in the order, what its gate still misses, and what a prompt says in it.

    `sections` are the parts of the session state beyond the position, in the order in which the budget is spent.
    `has_prose` says that the text of the scene at hand is told and that prose is saved; `researches`, that a notebook
    is always told. The rules for the model are in `prompts/modes/`, in a file with the mode's name.
    """

    name: str
    place: int
    misses: Callable[[BookState], tuple[str, ...]]
    sections: tuple[str, ...]
    has_prose: bool = False
    researches: bool = False
