"""Thousands of digits where a number is expected: Python refuses to convert them, and no reader may be surprised."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from dramaturg.characters.lorebook.conversion import book_entry_of
from dramaturg.ensemble.wire import event_number
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.gguf import Weights
from dramaturg.kernel.models.providers.faults import status_in
from dramaturg.kernel.runs.holder import Holder
from dramaturg.kernel.text.digits import whole_number
from dramaturg.scenes.insight.explanation import subject_of
from dramaturg.voices.providers.openai_voice import _number
from dramaturg.voices.providers.speech_client import SpeechResponse
from dramaturg.workshop.book.bible import spans
from dramaturg.workshop.foreman.citations import doubtful_quotes
from dramaturg.workshop.notebooks import NotebookPassage
from dramaturg.workshop.rehearsal.fields import labelled_fields

NUMBERS = ("9" * 5000, "0" * 5000 + "1", "²", "٣" * 5000, "1" * 19)


def line(text: str) -> None:
    with suppress(NotFound):
        subject_of((), text)


PASSAGES = {1: NotebookPassage(file="a.md", text="a b c")}

READERS: dict[str, Callable[[str], object]] = {
    "who holds a run": lambda number: Holder.read(f"host/{number}/1"),
    "an event's id": lambda number: event_number("s", f"s:{number}"),
    "a lorebook's key": lambda number: book_entry_of({"uid": number}, number),
    "a provider's error": lambda number: status_in({"code": number}),
    "a voice's rate": lambda number: _number(SpeechResponse(b"", "audio/pcm", {"rate": number}), "rate", 1),
    "a line by number": line,
    "a note by number": lambda number: line(f"note:{number}"),
    "a size of weights": lambda number: Weights(Path("x.gguf"), 1, {"general.name": f"{number}x7B"}).billions,
    "a beat": lambda number: spans(["beat_1", f"beat_{number}"]),
    "a citation": lambda number: list(doubtful_quotes(f'"one two three four" [{number}]', PASSAGES)),
    "a label": lambda number: labelled_fields(f"beat {number}: a", ()),
}


@pytest.mark.parametrize("number", NUMBERS, ids=["nines", "zeros", "a square", "Arabic", "nineteen"])
@pytest.mark.parametrize("reader", READERS)
def test_a_number_that_is_too_long_surprises_no_reader(reader: str, number: str) -> None:
    READERS[reader](number)


def test_a_number_has_eighteen_digits_at_most() -> None:
    assert whole_number("007") == 7
    assert whole_number("9" * 18) == 10**18 - 1
    assert [whole_number(text) for text in ("", "-1", "1 ", *NUMBERS)] == [None] * (3 + len(NUMBERS))
