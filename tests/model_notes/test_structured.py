"""Answers in a form: asked for, found, repaired once."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import Field

from dramaturg.kernel.errors import ModelRejected, ModelUnreadable
from dramaturg.kernel.models.forms import closed, form_of, instruction
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.values import Value
from dramaturg.model_notes.structured import ask, json_values, read
from tests.model_server.asking import question


class Quote(Value):
    speaker: str
    words: str = Field("", max_length=20)


class Verdict(Value):
    """How it stands."""

    complete: bool
    confidence: float = Field(0.5, ge=0, le=1)
    quotes: tuple[Quote, ...] = ()
    trend: Literal["rising", "falling"] | None = None


GOOD = '{"complete": true, "confidence": 0.9}'


async def test_a_fitting_answer_is_read_and_the_form_went_with_the_question() -> None:
    model = ScriptedModel([GOOD])
    formed = await ask(model, question(), Verdict)
    assert formed.value == Verdict(complete=True, confidence=0.9)
    assert [answer.text for answer in formed.answers] == [GOOD]
    (request,) = model.requests
    assert request.output == form_of(Verdict)
    assert request.key == "q1"


async def test_an_answer_that_does_not_fit_is_repaired_once_and_shown_what_is_wrong() -> None:
    model = ScriptedModel(['{"complete": "perhaps"}', GOOD])
    formed = await ask(model, question(), Verdict)
    assert formed.value.complete
    assert len(formed.answers) == 2
    repair = model.requests[1]
    assert (repair.key, repair.purpose) == ("q1#repair", "repair")
    assert [message.role for message in repair.messages] == ["user", "assistant", "user"]
    assert repair.messages[1].text == '{"complete": "perhaps"}'
    assert "complete" in repair.messages[2].text
    assert "complete: expected true or false" in repair.messages[2].text


@pytest.mark.parametrize("junk", ["I would say yes.", "", "[1, 2]", '{"complete": '])
async def test_two_answers_that_do_not_fit_are_unreadable(junk: str) -> None:
    model = ScriptedModel([junk, junk, GOOD])
    with pytest.raises(ModelUnreadable, match="scripted did not fill in the form it was asked for, in two attempts"):
        await ask(model, question(), Verdict)
    assert len(model.requests) == 2
    assert all(message.text for message in model.requests[1].messages)


async def test_a_refusal_is_not_repaired() -> None:
    model = ScriptedModel([ModelAnswer(text="I would rather not.", model="m", finish="refusal")])
    with pytest.raises(ModelRejected, match="I would rather not"):
        await ask(model, question(), Verdict)
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}```\nI hope this helps {{smile}}",
        f"Well, [as I said], it is {{so}}: {GOOD} — that is my view.",
        f'<think>Perhaps {{"complete": false}}? No.</think>\n{GOOD}',
        f"He thought aloud.</think>{GOOD}",
        f'First {{"verdict": 1}} and then {GOOD}',
        GOOD.replace("0.9}", '0.9, "quotes": [{"speaker": "Bob", "words": "a\nb"}]}'),
    ],
)
def test_json_is_found_whatever_stands_around_it(text: str) -> None:
    assert read(text, Verdict).complete


def test_what_is_only_thought_is_not_an_answer() -> None:
    with pytest.raises(ModelUnreadable):
        read(f"<thinking>{GOOD}</thinking> I cannot say.", Verdict)
    with pytest.raises(ModelUnreadable):
        read(f"<think>{GOOD}", Verdict)


def test_nesting_without_end_and_braces_without_number_are_given_up_on() -> None:
    assert list(json_values("[" * 100_000)) == []
    assert list(json_values("{" * 100_000)) == []


def test_a_schema_is_closed_and_what_cannot_be_enforced_is_told() -> None:
    schema = form_of(Verdict).schema
    assert schema["required"] == ["complete", "confidence", "quotes", "trend"]
    assert schema["additionalProperties"] is False
    confidence = schema["properties"]["confidence"]  # type: ignore[index]
    assert confidence == {"type": "number", "description": "(minimum: 0, maximum: 1)"}
    quote = schema["$defs"]["Quote"]  # type: ignore[index]
    assert quote["required"] == ["speaker", "words"]
    assert quote["properties"]["words"]["description"] == "(maxLength: 20)"
    assert "default" not in str(schema)


def test_a_field_may_be_called_like_a_keyword() -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "format": {"type": "string"}}}
    assert list(closed(schema)["properties"]) == ["title", "format"]  # type: ignore[call-overload]


def test_the_form_in_words_holds_the_schema() -> None:
    assert '"additionalProperties":false' in instruction(form_of(Verdict))
