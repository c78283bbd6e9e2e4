"""[budget] is the ceiling of a whole message, however often the Foreman looks something up for it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import BudgetSettings
from dramaturg.workshop.wire import FailureShown
from tests.workshop.workroom import acting, at_work, heard, saying

LIMIT = 9_000
LOOK_UP = saying("I look.", acting("read_scene", target="ch01-sc01"))


def spending(text: str) -> ModelAnswer:
    return ModelAnswer(text=text, model="scripted", usage=Usage(input_tokens=5_000, output_tokens=500), cost_usd=0.0)


def written(folder: Path) -> Path:
    (folder / "manuscript").mkdir()
    (folder / "manuscript" / "ch01-sc01.md").write_text("The lamp went out.\n", encoding="utf-8")
    return folder


def used(model: ScriptedModel) -> int:
    return 5_500 * len(model.requests)


def looking_up() -> ScriptedModel:
    return ScriptedModel(lambda request: spending(LOOK_UP))


async def test_three_look_ups_spend_no_more_than_one_message_may(tmp_path: Path) -> None:
    model = looking_up()
    async with at_work(written(tmp_path), model, budget=BudgetSettings(tokens=LIMIT)) as foreman:
        events = await heard(foreman, "Look it up.")
        assert len(model.requests) == 2  # the second was begun below the limit; the third would begin above it
        (failure,) = [event for event in events if isinstance(event, FailureShown)]
        assert failure.code == "BUDGET_EXCEEDED"


async def test_the_next_message_has_the_whole_budget_again(tmp_path: Path) -> None:
    model = looking_up()
    async with at_work(written(tmp_path), model, budget=BudgetSettings(tokens=LIMIT)) as foreman:
        await heard(foreman, "Look it up.")
        first = len(model.requests)
        await heard(foreman, "And again.")
        assert len(model.requests) == 2 * first


async def test_a_turn_that_is_finished_later_does_not_begin_anew(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelAnswer | Exception:
        return spending(LOOK_UP) if request.key.endswith("answer-1") else RuntimeError("the process dies")

    first, second = ScriptedModel(script), looking_up()
    async with at_work(written(tmp_path), first, budget=BudgetSettings(tokens=6_000)) as foreman:
        with suppress(RuntimeError):
            await heard(foreman, "Look it up.")
    async with at_work(tmp_path, second, budget=BudgetSettings(tokens=6_000)) as foreman:
        async for _ in foreman.finish():
            pass
        assert used(second) == 0
