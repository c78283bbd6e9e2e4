"""One table of the forms in which models think aloud, and every reader of what they say: none of it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from dramaturg.ensemble.salvage import prose_in
from dramaturg.episodes.answer_stream import AnswerReader, shown_text
from dramaturg.model_notes.scene_text import scene_text
from dramaturg.scenes.response import parse_response
from dramaturg.voices.spoken_text import spoken
from dramaturg.workshop.foreman.actions import KNOWN
from dramaturg.workshop.foreman.answer_reader import read_answer
from dramaturg.workshop.foreman.message_stream import MessageReader
from tests.kernel.reasoning_forms import FORMS, SAID, THOUGHT, WHOLE

ACT = '<action type="save_decision"><param name="key">a</param><param name="value">b</param></action>'


_WORD = re.compile(r"\w+")


def by_the_letter(reader: AnswerReader | MessageReader, text: str) -> str:
    return "".join(map(reader.feed, text)) + reader.close()


READERS: dict[str, Callable[[str], object]] = {
    "a character's line": lambda text: parse_response(text, me="Iris", cast=("Iris", "Bob")),
    "a chat, at once": shown_text,
    "a chat, as it comes": lambda text: by_the_letter(AnswerReader(), text),
    "the Foreman's message": lambda text: read_answer(text, {}).message,
    "the Foreman's message, as it comes": lambda text: by_the_letter(
        MessageReader(KNOWN), text.replace(SAID, f"<message>{SAID}</message>")
    ),
    "a slot's answer": lambda text: prose_in((text,)),
    "a scene of a book, or a passage": scene_text,
    "a line that is spoken": spoken,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_said_is_read_and_what_was_thought_is_not(reader: str, form: str) -> None:
    read = str(READERS[reader](FORMS[form]))
    assert "ferry. I must" not in read
    assert SAID in read


@pytest.mark.parametrize("form", [name for name, text in FORMS.items() if THOUGHT in text])
def test_a_foreman_does_nothing_that_he_only_thought_of(form: str) -> None:
    assert not read_answer(FORMS[form].replace("I must answer as Iris.", ACT), KNOWN).actions


@pytest.mark.parametrize("text", WHOLE)
def test_an_answer_that_only_looks_like_reasoning_is_shown_whole(text: str) -> None:
    assert shown_text(text) == by_the_letter(AnswerReader(), text) == text
    line, _ = parse_response(text, me="Iris", cast=("Iris", "Bob"))
    assert sorted(_WORD.findall(f"{line.content} {line.nonverbal or ''}")) == sorted(_WORD.findall(text))
