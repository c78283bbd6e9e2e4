"""What stands under a hidden key is hidden however deep it stands, and however the answer is cut into pieces."""

from __future__ import annotations

import json

import pytest

from dramaturg.episodes.answer_stream import AnswerReader, read_answer

SAID = {"action": "She nods", "dialogue": "Sit down."}
DEEP = [
    {"internal": {"a": {"dialogue": "SECRET"}}},
    {"internal": {"a": {"b": {"c": {"speech": "SECRET", "action": "SECRET"}}}}},
    {"internal": [{"dialogue": "SECRET"}, [{"action": "SECRET"}]]},
    {"thoughts": {"plan": [{"dialogue": "SECRET"}]}},
    {"director_state": {"next": {"dialogue": "SECRET", "more": {"action": "SECRET"}}}},
]


def shown(text: str, size: int) -> str:
    reader = AnswerReader()
    pieces = [reader.feed(text[start : start + size]) for start in range(0, len(text), size)]
    return "".join([*pieces, reader.close()])


@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize("hidden", DEEP, ids=json.dumps)
def test_nothing_under_a_hidden_key_is_shown_or_kept_as_said(hidden: dict[str, object], size: int) -> None:
    for form in ({**hidden, **SAID}, {**SAID, **hidden}):
        text = json.dumps(form)
        assert shown(text, size) == ('*She nods*\n"Sit down."')
        answer = read_answer(text)
        assert (answer.dialogue, answer.action) == ("Sit down.", "She nods")


@pytest.mark.parametrize("hidden", DEEP, ids=json.dumps)
def test_nor_where_the_answer_breaks_off_inside_it(hidden: dict[str, object]) -> None:
    text = json.dumps({**hidden, **SAID})
    for end in range(text.index("SECRET"), text.rindex("SECRET") + 8):
        assert "SEC" not in shown(text[:end], 7)
