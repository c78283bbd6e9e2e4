"""A long work of the book: priced, started, isolated from its failures, told when it is over."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from dramaturg.kernel.errors import BudgetExceeded, InvalidConfig, ModelUnavailable, NotFound, RunFenced
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Limits
from dramaturg.kernel.settings import BudgetSettings, WorkshopSettings
from dramaturg.workshop.turn_context import TurnContext
from dramaturg.workshop.wire import WorkShown
from tests.workshop.workroom import at_work, heard, saying
from tests.workshop.works.cases import CASES, TABLE, CountingCompany, WorkCase
from tests.workshop.works.reading import ReadingRequest, ReadingResult

READ = ReadingRequest()


def answering(*lost: str) -> ScriptedModel:
    """Answers the cells of a reading by their cues, except those whose provider is away, and any message."""

    def script(request: ModelRequest) -> str | Exception:
        if request.key in lost:
            return ModelUnavailable(f"{request.key} is lost.")
        return request.cue.answer().text if not request.key.startswith("turn-") and request.cue else saying("Yes.")

    return ScriptedModel(script)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_every_work_is_a_kind_of_run_with_its_own_name_and_a_request_that_needs_nothing(
    tmp_path: Path, case: WorkCase
) -> None:
    async with at_work(tmp_path, answering(), works=TABLE) as foreman:
        assert foreman.works.kind(case.name).name == case.name
        assert foreman.works.kind(case.name).noun.split()[0] in ("a", "an", "the")
        await foreman.works.price(case.name, foreman.works.read(case.name, {}))


async def test_a_work_ends_with_its_result_and_is_listed(tmp_path: Path) -> None:
    async with at_work(tmp_path, CountingCompany(), works=TABLE) as foreman:
        run = await foreman.works.start("reading", READ)
        assert foreman.works.playing == (run.id,)
        await foreman.works.wait(run.id)
        found = await foreman.works.detail(run.id)
        assert (found.status, found.done, found.failed) == ("ended", 1, 0)
        assert found.result is not None
        assert found.result["verdict"] == "A gloomy book."
        kind = foreman.works.kind("reading")
        result = kind.result(await foreman._resources.runs.open(run.id))
        assert isinstance(result, ReadingResult)
        assert result.moods == {"scene-1": "dark 1", "scene-2": "dark 2", "scene-3": "dark 3"}
        assert [row.run for row in await foreman.works.rows()] == [run.id]


async def test_one_failing_cell_stays_without_an_answer_and_the_rest_stands(tmp_path: Path) -> None:
    model = answering("scene-2")
    async with at_work(tmp_path, model, works=TABLE) as foreman:
        run = await foreman.works.start("reading", READ)
        await foreman.works.wait(run.id)
        found = await foreman.works.detail(run.id)
        assert found.status == "ended"
        assert found.failures == {"scene-2": "scene-2 is lost."}
        assert found.result is not None
        assert found.result["moods"] == {"scene-1": "dark 1", "scene-3": "dark 3"}
        assert [one.key for one in model.requests].count("scene-2") == 1


async def test_an_answer_of_another_form_costs_its_cell_only(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> str:
        return "I would rather not." if request.key.startswith("scene-1") else request.cue.answer().text  # type: ignore[union-attr]

    async with at_work(tmp_path, script, works=TABLE) as foreman:
        run = await foreman.works.start("reading", READ)
        await foreman.works.wait(run.id)
        found = await foreman.works.detail(run.id)
        assert list(found.failures) == ["scene-1"]
        assert found.status == "ended"


async def test_a_work_whose_every_cell_fails_can_be_resumed_and_asks_again(tmp_path: Path) -> None:
    async with at_work(tmp_path, answering("scene-1", "scene-2", "scene-3"), works=TABLE) as foreman:
        run = await foreman.works.start("reading", READ)
        with pytest.raises(ModelUnavailable):
            await foreman.works.wait(run.id)
        assert (await foreman.works.detail(run.id)).status == "failed"
    async with at_work(tmp_path, answering(), works=TABLE) as foreman:
        await foreman._resources.engine.resume(run.id)
        await foreman._resources.engine.join()
        found = await foreman.works.detail(run.id)
        assert (found.status, found.failures) == ("ended", {})


async def test_a_budget_is_the_ceiling_of_the_whole_run(tmp_path: Path) -> None:
    model = answering()
    async with at_work(tmp_path, model, works=TABLE, budget=BudgetSettings(tokens=60)) as foreman:
        price = await foreman.works.price("reading", READ)
        assert price.ceiling_tokens == 60
        run = await foreman.works.start("reading", ReadingRequest(scenes=20))
        with pytest.raises(BudgetExceeded):
            await foreman.works.wait(run.id)
        assert len(model.requests) < 20


async def test_a_ceiling_of_its_own_is_kept_after_a_resume(tmp_path: Path) -> None:
    async with at_work(tmp_path, answering(), works=TABLE) as foreman:
        run = await foreman.works.start("reading", ReadingRequest(scenes=20), Limits(tokens=60))
        with pytest.raises(BudgetExceeded):
            await foreman.works.wait(run.id)
    again = answering()
    async with at_work(tmp_path, again, works=TABLE) as foreman:
        await foreman._resources.engine.resume(run.id)
        await foreman._resources.engine.join()
        assert (await foreman.works.detail(run.id)).status == "failed"
        assert len(again.requests) <= 1


async def test_the_price_is_a_range_with_ceiling_and_blind_spots(tmp_path: Path) -> None:
    settings = WorkshopSettings(models={"extraction": "openai/gpt-4o-mini", "judge": "openai/gpt-4o-mini"})
    async with at_work(tmp_path, answering(), works=TABLE, settings=settings) as foreman:
        price = await foreman.works.price("reading", READ, Limits(tokens=5000))
        assert (price.least_questions, price.most_questions, price.needs_yes) == (3, 4, True)
        assert 0 < price.low_tokens < price.high_tokens
        assert price.models == ("openai/gpt-4o-mini",)
        assert price.blind_spots == ("the story bible",)
        assert "5,000 tokens" in price.said
        assert not (await foreman.works.price("reading", ReadingRequest(scenes=0))).needs_yes


async def test_a_judge_that_is_the_author_says_so(tmp_path: Path) -> None:
    async with at_work(tmp_path, answering(), works=TABLE, settings=WorkshopSettings(model="openai/gpt-4o")) as foreman:
        assert any("author's own model" in one for one in (await foreman.works.price("reading", READ)).remarks)
        run = await foreman.works.start("reading", READ)
        await foreman.works.wait(run.id)
        (remark,) = (await foreman.works.detail(run.id)).remarks
        assert "author's own model" in remark
    settings = WorkshopSettings(model="openai/gpt-4o", models={"judge": "openai/gpt-4o-mini"})
    async with at_work(tmp_path, answering(), works=TABLE, settings=settings) as foreman:
        assert (await foreman.works.price("reading", READ)).remarks == ()
        run = await foreman.works.start("reading", READ)
        await foreman.works.wait(run.id)
        assert (await foreman.works.detail(run.id)).remarks == ()


async def test_the_end_of_a_work_is_told_in_the_next_prompt_and_shown_once(tmp_path: Path) -> None:
    model = answering()
    async with at_work(tmp_path, model, works=TABLE) as foreman:
        run = await foreman.works.start("reading", READ)
        await foreman.works.wait(run.id)
        for turn, times in ((1, 1), (2, 0)):
            events = await heard(foreman, "How does it stand?")
            shown = [event for event in events if isinstance(event, WorkShown)]
            assert len(shown) == times
            assert ("Read 3 scenes: A gloomy book." in model.requests[-1].system) == bool(times), turn


async def test_a_work_that_was_stopped_is_told_and_told_again_when_it_ends(tmp_path: Path) -> None:
    async with at_work(tmp_path, answering("scene-1", "scene-2", "scene-3"), works=TABLE) as foreman:
        run = await foreman.works.start("reading", READ)
        with pytest.raises(ModelUnavailable):
            await foreman.works.wait(run.id)
        first = [event for event in await heard(foreman, "And?") if isinstance(event, WorkShown)]
        assert [(one.run, one.status) for one in first] == [(run.id, "failed")]
        assert f"dramaturg runs resume {run.id}" in first[0].said
    async with at_work(tmp_path, answering(), works=TABLE) as foreman:
        await foreman._resources.engine.resume(run.id)
        await foreman._resources.engine.join()
        second = [event for event in await heard(foreman, "And now?") if isinstance(event, WorkShown)]
        assert [(one.run, one.status) for one in second] == [(run.id, "ended")]


async def test_an_action_starts_a_work_once_even_if_it_is_done_again(tmp_path: Path) -> None:
    async with at_work(tmp_path, answering(), works=TABLE) as foreman:
        first = await foreman.works.begin("reading", {"scenes": 0}, act="1.1.1", is_writers=False)
        again = await foreman.works.begin("reading", {"scenes": 0}, act="1.1.1", is_writers=False)
        assert first.run is not None
        assert first.run == again.run
        await foreman.works.wait(first.run)


async def test_what_asks_more_than_once_waits_for_the_writers_yes(tmp_path: Path) -> None:
    model = answering()
    async with at_work(tmp_path, model, works=TABLE) as foreman:
        offered = await foreman.works.begin("reading", {}, act="1.1.1", is_writers=False)
        assert offered.awaits_yes
        assert offered.run is None
        assert "3 to 4 questions" in offered.said
        assert "the story bible" in offered.said
        assert model.requests == []


async def test_a_work_that_is_done_alone_is_not_started_twice_at_once(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def script(request: ModelRequest) -> str:
        await gate.wait()
        return request.cue.answer().text  # type: ignore[union-attr]

    async with at_work(tmp_path, script, works=TABLE) as foreman:
        run = await foreman.works.start("reading", READ)
        with pytest.raises(RunFenced, match=run.id):
            await foreman.works.start("reading", READ)
        with pytest.raises(InvalidConfig, match=run.id):  # refused as an action; the turn goes on
            await foreman.works.begin("reading", {}, act="1.1.1", is_writers=True)
        gate.set()
        await foreman.works.wait(run.id)
        await foreman.works.wait((await foreman.works.start("reading", READ)).id)


async def test_a_work_that_is_not_there_and_a_bad_request_are_named(tmp_path: Path) -> None:
    async with at_work(tmp_path, answering(), works=TABLE) as foreman:
        with pytest.raises(NotFound, match="reading"):
            foreman.works.read("juggling", {})
        with pytest.raises(InvalidConfig, match="scenes"):
            foreman.works.read("reading", {"scenes": -1})
        with pytest.raises(InvalidConfig, match="colour"):
            foreman.works.read("reading", {"colour": "red"})


async def test_a_cancelled_work_is_stopped_and_goes_on_when_it_is_resumed(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def script(request: ModelRequest) -> str:
        started.set()
        await asyncio.Event().wait()
        return ""

    async with at_work(tmp_path, script, works=TABLE) as foreman:
        run = await foreman.works.start("reading", READ)
        await started.wait()
        await foreman._resources.engine.cancel(run.id)
        await foreman.works.wait(run.id)
        assert (await foreman.works.detail(run.id)).status == "stopped"
    async with at_work(tmp_path, answering(), works=TABLE) as foreman:
        await foreman._resources.engine.resume(run.id)
        await foreman._resources.engine.join()
        assert (await foreman.works.detail(run.id)).status == "ended"


async def test_an_offer_that_is_confirmed_twice_starts_one_run(tmp_path: Path) -> None:
    async with at_work(tmp_path, answering(), works=TABLE) as foreman:
        runs = []
        for act in ("w7", "w9"):
            async with foreman._hold.alone() as performance:
                context = TurnContext(performance, foreman._sources, foreman.works)
                snapshot = await context.snapshot(1)
                bench = context.bench(act, snapshot, {}, is_writers=True, offered="1.1.1")
                runs.append((await bench.begin("reading", {})).run)
        assert runs[0] is not None
        assert runs[0] == runs[1]
        await foreman.works.wait(runs[0])


async def test_a_work_whose_log_cannot_be_read_is_told_and_stops_no_turn(tmp_path: Path) -> None:
    async with at_work(tmp_path, answering(), works=TABLE) as foreman:
        run = await foreman.works.start("reading", READ)
        await foreman.works.wait(run.id)
    with sqlite3.connect(tmp_path / "data" / "dramaturg.db") as broken:
        broken.execute("UPDATE events SET body = '{' WHERE run_id = ? AND seq = 1", (run.id,))
    broken.close()
    async with at_work(tmp_path, answering(), works=TABLE) as foreman:
        events = await heard(foreman, "And?")
        (shown,) = [event for event in events if isinstance(event, WorkShown)]
        assert "cannot be read" in shown.said
        assert events[-1].event == "done"
