"""A round: everybody at once, failures isolated."""

import asyncio

import pytest

from dramaturg.kernel.errors import BudgetExceeded, ModelRejected, ModelTimeout
from dramaturg.kernel.floor import play_round


async def says(words: str) -> str:
    return words


async def raises(error: Exception) -> str:
    raise error


async def test_everybody_is_asked_at_once() -> None:
    met = asyncio.Barrier(3)

    async def answer(words: str) -> str:
        await met.wait()
        return words

    answers = await play_round({name: answer(name) for name in ("a", "b", "c")}, timeout=5)
    assert dict(answers.answers) == {"a": "a", "b": "b", "c": "c"}


async def test_a_failing_actor_costs_only_its_own_answer() -> None:
    answers = await play_round({"a": says("yes"), "b": raises(ModelRejected("no"))}, timeout=5)
    assert dict(answers.answers) == {"a": "yes"}
    assert [(failure.who, failure.error.message) for failure in answers.failures] == [("b", "no")]


async def test_who_does_not_answer_in_time_has_failed() -> None:
    never = asyncio.Event()

    async def wait() -> str:
        await never.wait()
        return ""

    answers = await play_round({"a": wait(), "b": says("yes")}, timeout=0.01)
    assert isinstance(answers.failures[0].error, ModelTimeout)
    assert answers.failures[0].error.message == "Response timeout after 0.01s"
    assert dict(answers.answers) == {"b": "yes"}


async def test_a_spent_budget_is_raised_only_when_everybody_has_finished() -> None:
    finished: list[str] = []

    async def late() -> str:
        await asyncio.sleep(0)
        finished.append("b")
        return "paid for"

    with pytest.raises(BudgetExceeded):
        await play_round({"a": raises(BudgetExceeded("spent")), "b": late()}, timeout=5)
    assert finished == ["b"]
