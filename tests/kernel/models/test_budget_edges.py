"""A budget at its edges: the last token, the last cent, and what is under way."""

from __future__ import annotations

import re

import pytest

from dramaturg.kernel.errors import BudgetExceeded
from dramaturg.kernel.models.budget import Budget
from dramaturg.kernel.models.port import ModelAnswer, Usage
from dramaturg.kernel.models.scripted import ScriptedModel
from tests.model_server.asking import question

MODEL = ScriptedModel(["yes"])


def paid(tokens: int = 0, usd: float | None = None) -> ModelAnswer:
    return ModelAnswer(text="yes", model="m", usage=Usage(input_tokens=tokens), cost_usd=usd)


def test_a_budget_that_is_spent_to_the_last_token_asks_nothing_more() -> None:
    budget = Budget(tokens=1000)
    budget.charge(paid(1000))
    with pytest.raises(BudgetExceeded, match=r"1,000 of 1,000 tokens"):
        budget.take(MODEL, question())


def test_nor_to_the_last_cent_and_an_answer_without_a_price_costs_nothing() -> None:
    budget = Budget(usd=0.5)
    budget.charge(paid(usd=None))
    assert budget.take(MODEL, question()).tokens == 0
    budget.charge(paid(usd=0.5))
    with pytest.raises(BudgetExceeded, match=r"\$0\.5000 of \$0\.5"):
        budget.take(MODEL, question())


def test_a_new_budget_has_spent_nothing_and_both_limits_hold_together() -> None:
    budget = Budget(tokens=10_000, usd=1.0)
    assert (budget.spent_tokens, budget.spent_usd) == (0, 0.0)
    budget.charge(paid(9_999, usd=0.1))
    with pytest.raises(BudgetExceeded, match="alone needs about"):
        budget.take(MODEL, question("What else? " * 200))


def test_a_place_that_is_left_gives_back_exactly_what_it_took() -> None:
    budget = Budget(tokens=100_000)
    long = question("What else do you know? " * 100)
    taken = [budget.take(MODEL, long) for _ in range(3)]
    assert len({one.tokens for one in taken}) == 1
    for one in taken:
        budget.release(one)
    assert budget.take(MODEL, long).tokens == taken[0].tokens


def test_a_block_gives_its_place_back_even_if_it_fails() -> None:
    long = question("What else do you know? " * 100)
    room = Budget(tokens=100_000).take(MODEL, long).tokens
    budget = Budget(tokens=room)
    for _ in range(3):
        with pytest.raises(RuntimeError), budget.reserve(MODEL, long):
            raise RuntimeError("the line went dead")
    with budget.reserve(MODEL, long):
        pass
    assert budget.take(MODEL, long).tokens == room


def test_the_smallest_budget_that_lets_a_question_through_is_what_it_takes() -> None:
    long = question("What else do you know? " * 20)

    def takes(tokens: int) -> int | None:
        try:
            return Budget(tokens=tokens).take(MODEL, long).tokens
        except BudgetExceeded:
            return None

    least = next(tokens for tokens in range(1, 10_000) if takes(tokens) is not None)
    assert takes(least) == least


def test_a_request_that_just_fits_by_its_bytes_is_asked_without_an_estimate() -> None:
    long = question("x" * 500)
    exact = 4 * len(long.system) + sum(len(message.encoded) for message in long.messages)
    assert Budget(tokens=exact).take(MODEL, long).tokens == exact
    assert Budget(tokens=exact - 1).take(MODEL, long).tokens < exact


def test_requests_that_are_asked_at_once_take_no_more_room_than_their_tokens() -> None:
    long = question("What else do you know of the lighthouse? " * 100)
    with pytest.raises(BudgetExceeded) as refused:
        Budget(tokens=1).take(MODEL, long)
    needed = int(re.findall(r"about ([\d,]+)", str(refused.value))[0].replace(",", ""))
    budget = Budget(tokens=6 * needed)
    assert [one.tokens for one in [budget.take(MODEL, long) for _ in range(6)]] == [needed] * 6
    with pytest.raises(BudgetExceeded, match="more are reserved"):
        budget.take(MODEL, long)


def test_without_a_limit_nothing_is_kept() -> None:
    budget = Budget()
    budget.charge(paid(10**9, usd=1e6))
    assert budget.take(MODEL, question()).tokens == 0
