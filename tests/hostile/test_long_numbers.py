"""Thousands of digits where a number is expected: Python refuses to convert them, and no reader may be surprised."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from xml.etree.ElementTree import Element
from zipfile import ZipFile

import pytest

from dramaturg.characters.lorebook.conversion import book_entry_of
from dramaturg.ensemble.wire import event_number
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.gguf import Weights
from dramaturg.kernel.models.providers.faults import status_in
from dramaturg.kernel.runs.holder import Holder
from dramaturg.kernel.text.digits import whole_number
from dramaturg.scenes.insight.explanation import subject_of
from dramaturg.scenes.kind import _BEAT
from dramaturg.scenes.question_keys import line_of
from dramaturg.voices.providers.openai_voice import _number
from dramaturg.voices.providers.speech_client import SpeechResponse
from dramaturg.workshop.book.bible import spans
from dramaturg.workshop.foreman.citations import doubtful_quotes
from dramaturg.workshop.manuscripts.readers.opendocument import MOST_SPACES, read_odt
from dramaturg.workshop.manuscripts.readers.source_text import SourceText
from dramaturg.workshop.manuscripts.word.body import _symbol
from dramaturg.workshop.manuscripts.word.names import W
from dramaturg.workshop.notebooks import NotebookPassage
from dramaturg.workshop.rehearsal.fields import labelled_fields

ODT = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
  xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>
  <text:h text:outline-level="{n}">A</text:h><text:p>a<text:s text:c="{n}"/>b</text:p>
</office:text></office:body></office:document-content>"""


def odt(number: str) -> SourceText:
    made = BytesIO()
    with ZipFile(made, "w") as archive:
        archive.writestr("content.xml", ODT.format(n=number))
    return read_odt("a.odt", made.getvalue())


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
    "the spaces of an ODT": odt,
    "a symbol of a DOCX": lambda number: _symbol(Element("sym", {f"{W}char": number})),
    "the key of a question": lambda number: line_of(f"beat-{number}/alice"),
    "the beat of a question": lambda number: (found := _BEAT.match(f"beat-{number}/judge")) and int(found[1]),
    "a label": lambda number: labelled_fields(f"beat {number}: a", ()),
}


@pytest.mark.parametrize("number", NUMBERS, ids=["nines", "zeros", "a square", "Arabic", "nineteen"])
@pytest.mark.parametrize("reader", READERS)
def test_a_number_that_is_too_long_surprises_no_reader(reader: str, number: str) -> None:
    READERS[reader](number)


def test_a_count_of_spaces_is_read_as_far_as_it_makes_sense() -> None:
    for count, spaces in (("3", 3), ("9" * 5000, MOST_SPACES), ("-1", 1), ("²", 1), ("", 1)):
        assert odt(count).blocks[-1].plain == f"a{' ' * spaces}b"


@pytest.mark.parametrize("code", ["-5", "-1", "110000", "f" * 5000, "d800", "x"])
def test_a_symbol_that_is_no_character_is_left_out(code: str) -> None:
    assert _symbol(Element("sym", {f"{W}char": code})) == ""


def test_a_number_has_eighteen_digits_at_most() -> None:
    assert whole_number("007") == 7
    assert whole_number("9" * 18) == 10**18 - 1
    assert [whole_number(text) for text in ("", "-1", "1 ", *NUMBERS)] == [None] * (3 + len(NUMBERS))
