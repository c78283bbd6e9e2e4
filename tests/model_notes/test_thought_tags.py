"""Tags around reasoning that a model mistyped, or named as only some do, and tags of other things."""

from __future__ import annotations

import pytest

from dramaturg.episodes.answer_stream import shown_text
from dramaturg.model_notes.spoken_part import spoken_part
from dramaturg.model_notes.thought_tags import is_thought_tag
from dramaturg.scenes.response import parse_response
from dramaturg.workshop.foreman.message_stream import shown_text as told_by_foreman

THOUGHTS = (
    "thinkng thnking thinkin thiking interal internall intrenal reasonning reasonig thougths thougts scratchpd "
    "analysys refection plann rationale brainstorm critique self-talk monolog"
).split()
OTHERS = (
    "thing sighs thinks thanking plane plans interval message internet infernal though seasoning deflection planting "
    "dialogue secret reason"
).split()


@pytest.mark.parametrize("name", THOUGHTS)
def test_nothing_in_such_a_tag_is_shown(name: str) -> None:
    for answer in (
        f'<{name}>SECRET</{name}>"Sit."',
        f'<{name}>SECRET</thinking>"Sit."',
        f'<thinking>SECRET</{name}>"Sit."',
        f'SECRET</{name}>"Sit."',
        f'"Sit."\n<{name}>SECRET</{name}>',
    ):
        assert shown_text(answer).strip() == spoken_part(answer) == '"Sit."'
        assert parse_response(answer)[0].content == "Sit."
    assert shown_text(f'{{"dialogue": "Sit. <{name}>SECRET</{name}>"}}').strip() == '"Sit."'
    assert told_by_foreman(f"<{name}>SECRET</{name}><message>Sit.</message>", ()) == "Sit."


@pytest.mark.parametrize("name", OTHERS)
def test_a_tag_of_something_else_is_none_of_reasoning(name: str) -> None:
    assert not is_thought_tag(name)


@pytest.mark.parametrize("name", ["thing", "sighs", "thinks", "plane", "interval", "internet"])
def test_words_in_such_a_tag_are_shown(name: str) -> None:
    answer = f"The sign <{name}> fell. Look."
    assert shown_text(answer) == parse_response(answer)[0].content == answer
    assert told_by_foreman(f"<message>{answer}</message>", ()) == answer
