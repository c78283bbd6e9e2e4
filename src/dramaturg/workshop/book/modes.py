"""The four modes of the workshop, and the gates between them. Code decides whether a gate is open."""

from __future__ import annotations

from enum import StrEnum

from dramaturg.kernel.values import Value
from dramaturg.workshop.book.bible import TEMPLATES, BiblePage, spans


class Mode(StrEnum):
    """The stage of a book on its way from idea to manuscript."""

    ARCHITECT = "ARCHITECT"
    VOICE_CALIBRATION = "VOICE_CALIBRATION"
    DIRECTOR = "DIRECTOR"
    EDITOR = "EDITOR"

    @property
    def next(self) -> Mode | None:
        order = list(Mode)
        place = order.index(self) + 1
        return order[place] if place < len(order) else None


class BookState(Value):
    """The facts about a book that the gates check."""

    pages: tuple[BiblePage, ...]
    bundle_made: bool = False
    voice_locked: bool = False
    scenes_planned: int = 0
    scenes_drafted: int = 0
    marked_complete: bool = False


class Gate(Value):
    """Whether a mode may be left and, if not, what is missing."""

    mode: Mode
    missing: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        return not self.missing


def gate_of(mode: Mode, book: BookState) -> Gate:
    """The gate at the end of a mode."""
    missing = {
        Mode.ARCHITECT: _bible_misses,
        Mode.VOICE_CALIBRATION: _voice_misses,
        Mode.DIRECTOR: _draft_misses,
        Mode.EDITOR: _book_misses,
    }[mode](book)
    return Gate(mode=mode, missing=missing)


def completion(book: BookState) -> int:
    """How much of the story bible is filled in, in percent of its fields."""
    wanted = sum(len(TEMPLATES[page.template].fields) for page in book.pages)
    there = sum(len(TEMPLATES[page.template].fields) - len(page.missing) for page in book.pages)
    return round(100 * there / wanted) if wanted else 0


def _bible_misses(book: BookState) -> tuple[str, ...]:
    told = []
    for page in book.pages:
        title = TEMPLATES[page.template].title
        if page.problem:
            told.append(f"{title}: {page.problem}")
        elif page.missing:
            told.append(f"{title}: {spans(page.missing)}")
        elif page.status != "complete":
            told.append(f"{title}: all is there, and nobody has called it complete yet")
    return tuple(told)


def _voice_misses(book: BookState) -> tuple[str, ...]:
    made = () if book.bundle_made else ("the voice bundle has not been generated",)
    return made if book.voice_locked else (*made, "the writer has not locked the voice")


def _draft_misses(book: BookState) -> tuple[str, ...]:
    if not book.scenes_planned:
        return ("no scene is planned yet",)
    left = book.scenes_planned - book.scenes_drafted
    return (f"{left} of {book.scenes_planned} planned scenes are not drafted",) if left > 0 else ()


def _book_misses(book: BookState) -> tuple[str, ...]:
    return () if book.marked_complete else ("the writer has not marked the manuscript as complete",)
