"""What still keeps the gate of each mode closed."""

from __future__ import annotations

from dramaturg.workshop.book.bible import TEMPLATES, spans
from dramaturg.workshop.book.modes.mode import BookState


def bible_misses(book: BookState) -> tuple[str, ...]:
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


def voice_misses(book: BookState) -> tuple[str, ...]:
    made = () if book.bundle_made else ("the voice bundle has not been generated",)
    return made if book.voice_locked else (*made, "the writer has not locked the voice")


def draft_misses(book: BookState) -> tuple[str, ...]:
    if not book.scenes_planned:
        return ("no scene is planned yet",)  # a planned scene is one with a scaffold, whatever the manuscript has
    left = book.scenes_planned - book.scenes_drafted
    return (f"{left} of {book.scenes_planned} planned scenes are not drafted",) if left > 0 else ()


def book_misses(book: BookState) -> tuple[str, ...]:
    return () if book.marked_complete else ("the writer has not marked the manuscript as complete",)
