"""One table of the forms in which models think aloud, and every reader of what they say: none of it is shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dramaturg.ensemble.salvage import prose_in
from dramaturg.episodes.answer_stream import shown_text
from dramaturg.scenes.response import parse_response
from dramaturg.voices.spoken_text import spoken
from dramaturg.workshop.calibration.tournament.passage import passage_in
from dramaturg.workshop.foreman.answer_reader import read_answer
from tests.kernel.test_reasoning import FORMS, SAID

ASKED_AGAIN = {"a fence", "a fence that never ends", "announced"}
"""Of these a chat shows nothing at all: it shows words as they come, and cannot take them back."""
READERS: dict[str, Callable[[str], object]] = {
    "a character's line": lambda text: parse_response(text, me="Iris", cast=("Iris", "Bob")),
    "a chat, as it comes": shown_text,
    "the Foreman's message": lambda text: read_answer(text, {}).message,
    "a slot's answer": lambda text: prose_in((text,)),
    "a passage": passage_in,
    "a line that is spoken": spoken,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_said_is_read_and_what_was_thought_is_not(reader: str, form: str) -> None:
    read = str(READERS[reader](FORMS[form]))
    assert "ferry. I must" not in read
    if reader != "a chat, as it comes" or form not in ASKED_AGAIN:
        assert SAID in read
