"""The double that ships."""

from __future__ import annotations

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelRejected, ModelTimeout
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from tests.model_server.asking import heard, question


async def test_it_answers_in_order_and_remembers_what_it_was_asked() -> None:
    whole = ModelAnswer(text="third", model="elsewhere", cost_usd=1.0)
    model = ScriptedModel(["first", ModelTimeout("late"), whole])
    assert (await model.complete(question("a"))).text == "first"
    with pytest.raises(ModelTimeout):
        await model.complete(question("b"))
    assert await model.complete(question("c")) is whole
    assert [request.messages[0].text for request in model.requests] == ["a", "b", "c"]


async def test_a_script_that_has_run_out_says_which_question_was_one_too_many() -> None:
    with pytest.raises(ModelRejected, match="0 answers has run out; 'q9'"):
        await ScriptedModel([]).complete(question(key="q9"))


async def test_it_answers_by_a_function_of_the_request() -> None:
    def echo(request: ModelRequest) -> str:
        return request.messages[-1].text.upper()

    async def later(request: ModelRequest) -> str:
        return echo(request)

    assert (await ScriptedModel(echo).complete(question("owl"))).text == "OWL"
    assert (await ScriptedModel(later).complete(question("owl"))).text == "OWL"


async def test_it_takes_its_time_on_the_clock_it_is_given() -> None:
    clock = StillClock(start=100.0)
    answer = await ScriptedModel(["there"], clock=clock, delay=2.5).complete(question())
    assert (clock.waits, answer.arrived_at) == ([2.5], 102.5)


@pytest.mark.parametrize("text", ["one two  three", "one", "", " lead"])
async def test_it_streams_word_by_word(text: str) -> None:
    pieces, answer = await heard(ScriptedModel([text]).stream(question()))
    assert "".join(pieces) == answer.text == text
    assert not answer.usage.reported
    assert answer.cost_usd == 0.0
