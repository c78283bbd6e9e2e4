"""A budget stops a run before the question that would break it."""

from __future__ import annotations

import asyncio

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import BudgetExceeded, InvalidSettings, ModelUnavailable
from dramaturg.kernel.models.budget import Budget, Budgeted
from dramaturg.kernel.models.catalogue import model_ref
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.prices import Priced, price_of, tariff_of
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.models.wrappers import Retrying
from dramaturg.kernel.settings import Settings
from tests.model_server.asking import heard, question


def answer(tokens: int = 100, usd: float | None = 0.0) -> ModelAnswer:
    return ModelAnswer(text="yes", model="m", usage=Usage(input_tokens=tokens), cost_usd=usd)


async def test_nothing_is_asked_once_the_tokens_are_spent() -> None:
    model = ScriptedModel([answer(600), answer(600), answer()])
    budget = Budget(tokens=1000)
    spending = Budgeted(model, budget)
    await spending.complete(question())
    await heard(spending.stream(question()))
    with pytest.raises(BudgetExceeded, match=r"1,200 of 1,000 tokens.*raise `tokens`"):
        await spending.complete(question())
    assert len(model.requests) == 2
    assert budget.spent_tokens == 1200


async def test_a_question_that_is_surely_too_long_is_not_asked() -> None:
    model = ScriptedModel([answer()])
    with pytest.raises(BudgetExceeded, match="alone needs about"):
        await Budgeted(model, Budget(tokens=200)).complete(question("And what else do you know? " * 100))
    assert model.requests == []


async def test_questions_under_way_count_too() -> None:
    gate = asyncio.Event()

    async def slowly(request: ModelRequest) -> ModelAnswer:
        await gate.wait()
        return answer(900)

    spending = Budgeted(ScriptedModel(slowly), Budget(tokens=1000))
    long = question("And what else do you know of the old gate keeper? " * 60)
    first = asyncio.ensure_future(spending.complete(long))
    await asyncio.sleep(0)
    with pytest.raises(BudgetExceeded, match="more are reserved"):
        await spending.complete(long)
    gate.set()
    assert (await first).text == "yes"


async def test_a_question_that_failed_leaves_its_room() -> None:
    budget = Budget(tokens=1000)
    spending = Budgeted(ScriptedModel([ModelUnavailable("down"), answer()]), budget)
    long = question("And what else do you know of the old gate keeper? " * 50)
    with pytest.raises(ModelUnavailable):
        await spending.complete(long)
    assert (await spending.complete(long)).text == "yes"


async def test_nothing_is_asked_once_the_money_is_spent() -> None:
    spending = Budgeted(ScriptedModel([answer(usd=0.02), answer()]), Budget(usd=0.02))
    await spending.complete(question())
    with pytest.raises(BudgetExceeded, match=r"\$0\.0200 of \$0\.02.*raise `usd`"):
        await spending.complete(question())


def dear(answers: list[ModelAnswer], budget: Budget) -> tuple[ScriptedModel, Budgeted]:
    """A model of $2.50 for a million tokens of input and $10 for a million of output."""
    model = ScriptedModel(answers, name="openai/gpt-4o")
    return model, Budgeted(Priced(model, tariff_of(model_ref("openai/gpt-4o", Settings()))), budget)


def used(output: int) -> ModelAnswer:
    return ModelAnswer(text="yes", model="m", usage=Usage(input_tokens=40, output_tokens=output))


async def test_a_question_whose_answer_may_cost_more_than_is_left_is_not_asked() -> None:
    budget = Budget(usd=0.01)
    model, spending = dear([used(400)] * 9, budget)
    await spending.complete(question(max_tokens=400))
    await spending.complete(question(max_tokens=400))
    with pytest.raises(BudgetExceeded, match=r"of \$0\.01 are spent, and the next request alone may cost up to \$0"):
        await spending.complete(question(max_tokens=400))
    assert len(model.requests) == 2
    assert 0.008 < budget.spent_usd <= 0.01


async def test_not_even_the_first_question_is_asked_for_too_little_money() -> None:
    model, spending = dear([used(400)], Budget(usd=0.0001))
    with pytest.raises(BudgetExceeded, match=r"\$0\.0000 of \$0\.0001 are spent"):
        await spending.complete(question(max_tokens=400))
    assert model.requests == []


async def test_questions_under_way_count_with_all_that_they_may_cost() -> None:
    gate = asyncio.Event()

    async def slowly(request: ModelRequest) -> ModelAnswer:
        await gate.wait()
        return used(10)

    model = ScriptedModel(slowly, name="openai/gpt-4o")
    budget = Budget(usd=0.01)
    spending = Budgeted(Priced(model, tariff_of(model_ref("openai/gpt-4o", Settings()))), budget)
    asked = [asyncio.ensure_future(spending.complete(question(max_tokens=400))) for _ in range(3)]
    await asyncio.sleep(0)
    gate.set()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(one).__name__ for one in answers] == ["ModelAnswer", "ModelAnswer", "BudgetExceeded"]
    assert "more are reserved" in str(answers[2])
    await spending.complete(question(max_tokens=400))


async def test_money_cannot_be_kept_for_a_model_without_a_price() -> None:
    model = ScriptedModel([answer(usd=None)], name="qwen/qwen-plus")
    wrapped = Retrying(Priced(model, tariff_of(model_ref("qwen/qwen-plus", Settings()))), StillClock())
    with pytest.raises(InvalidSettings, match=r"price of qwen/qwen-plus is unknown.*`tokens`"):
        await Budgeted(wrapped, Budget(usd=1.0)).complete(question())
    assert model.requests == []
    assert (await Budgeted(wrapped, Budget(tokens=10_000)).complete(question())).cost_usd is None


async def test_what_was_paid_before_a_resume_is_charged_again() -> None:
    budget = Budget(tokens=150)
    budget.charge(answer(200, usd=0.5))
    assert (budget.spent_tokens, budget.spent_usd) == (200, 0.5)
    with pytest.raises(BudgetExceeded):
        await Budgeted(ScriptedModel(["x"]), budget).complete(question())


async def test_without_limits_nothing_is_stopped() -> None:
    spending = Budgeted(ScriptedModel([answer(10**9)] * 2), Budget())
    await spending.complete(question())
    await spending.complete(question())


@pytest.mark.parametrize(
    "name", ["openai/gpt-4o", "anthropic/claude-sonnet-5-5", "google/gemini-2.5-pro", "xai/grok-4.3"]
)
@pytest.mark.parametrize("size", [1000, 900_000])
def test_a_price_is_that_of_the_list_at_any_size(name: str, size: int) -> None:
    from genai_prices import Usage as Billed
    from genai_prices import calc_price

    wanted = model_ref(name, Settings())
    tariff = tariff_of(wanted)
    usage = Usage(input_tokens=size, output_tokens=77, cache_read_tokens=size // 2, cache_write_tokens=size // 10)
    billed = Billed(input_tokens=size, output_tokens=77, cache_read_tokens=size // 2, cache_write_tokens=size // 10)
    listed = calc_price(billed, wanted.model, provider_id=wanted.provider.prices)
    assert tariff is not None
    assert tariff(usage) == pytest.approx(float(listed.total_price))


def test_a_price_for_a_table_is_for_a_million_tokens() -> None:
    price = price_of(model_ref("openai/gpt-4o", Settings()))
    assert price is not None
    assert (price.input_usd, price.output_usd) == (2.5, 10.0)
    assert price_of(model_ref("openai/nobody-knows", Settings())) is None
