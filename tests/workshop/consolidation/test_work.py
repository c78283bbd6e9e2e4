"""Consolidation as a run: what it asks, what one failing piece costs, and when it starts by itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelUnavailable, RunFenced
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import WorkshopSettings
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.consolidation.work import NAME, ConsolidationRequest, ConsolidationResult
from dramaturg.workshop.front import Workshop
from tests.workshop.consolidation.manuscripts import answer, prose, said
from tests.workshop.workroom import at_work, heard, saying

GREEN = answer(said("Elena", "eye_colour", "green", "Elena had green eyes"))


async def consolidated(foreman: Workshop, **request: object) -> ConsolidationResult:
    run = await foreman.consolidation.start(ConsolidationRequest.model_validate(request))
    await foreman.works.wait(run.id)
    kind = foreman.works.kind(NAME)
    result = kind.result(await foreman.works._book.resources.runs.open(run.id))
    assert isinstance(result, ConsolidationResult)
    return result


async def test_each_piece_is_asked_about_once_and_coldly(tmp_path: Path) -> None:
    prose(tmp_path, "ch01", "Elena had green eyes.", "time: 1923-05-04\npov: Elena")
    prose(tmp_path, "ch02", "\n\n".join(f"Paragraph {number}. " + "She waited. " * 90 for number in range(12)))
    model = ScriptedModel(lambda request: GREEN if "ch01" in request.key else "[]")
    async with at_work(tmp_path, model) as foreman:
        result = await consolidated(foreman)
        assert (result.counts.texts, result.counts.pieces, result.counts.added) == (2, 3, 1)
        assert {one.temperature for one in model.requests} == {0.1}
        assert len({one.key for one in model.requests}) == len(model.requests) == 3
        first = model.requests[0]
        assert "The passage happens at: 1923-05-04." in first.system
        assert '"I" is Elena.' in first.system
        assert first.messages[0].text == "<passage>\nElena had green eyes.\n</passage>"
        again = await consolidated(foreman)
        assert (again.counts.pieces, again.batch, len(model.requests)) == (0, 0, 3)


async def test_a_piece_without_an_answer_leaves_its_scene_for_the_next_time(tmp_path: Path) -> None:
    prose(tmp_path, "ch01", "Elena had green eyes.")
    prose(tmp_path, "ch02", "Ruth waited.")
    down = [True]

    def script(request: ModelRequest) -> str | Exception:
        if "ch01" in request.key and down:
            return ModelUnavailable("down")
        return GREEN if "ch01" in request.key else "[]"

    model = ScriptedModel(script)
    async with at_work(tmp_path, model) as foreman:
        result = await consolidated(foreman)
        assert (result.counts.texts, result.counts.unanswered) == (1, 1)
        assert (await foreman.consolidation.batches()).waiting_texts == ("manuscript/ch01.md",)
        down.clear()
        assert (await consolidated(foreman)).counts.added == 1
        assert sum("ch02" in one.key for one in model.requests) == 1


async def test_prose_instead_of_facts_is_no_answer(tmp_path: Path) -> None:
    prose(tmp_path, "ch01", "Elena had green eyes.")
    async with at_work(tmp_path, ["Elena is a woman with green eyes. What a scene!"]) as foreman:
        result = await consolidated(foreman)
        assert (result.counts.texts, result.counts.unanswered) == (0, 1)
        assert "without an answer" in result.said


async def test_what_the_writer_said_is_planned_and_never_contradicts(tmp_path: Path) -> None:
    prose(tmp_path, "ch01", "Elena had green eyes.")
    blue = answer(said("Elena", "eye_colour", "blue", "Elena has blue eyes"))
    script = lambda request: GREEN if "ch01" in request.key else blue if "turn-1" in request.key else saying("Noted.")  # noqa: E731
    async with at_work(tmp_path, ScriptedModel(script)) as foreman:
        await heard(foreman, "I think Elena has blue eyes.")
        result = await consolidated(foreman)
        assert (result.counts.texts, result.counts.added, result.waiting) == (2, 2, 0)
        facts = (await foreman.graph.who("Elena")).facts
        assert {(one.object, one.modality) for one in facts if one.predicate == "eye_colour"} == {
            ("green", "narrated"),
            ("blue", "planned"),
        }


async def test_without_a_model_only_decisions_and_front_matter_count(tmp_path: Path) -> None:
    matter = "facts:\n  - {subject: Elena, predicate: eye_colour, object: green}\n"
    prose(tmp_path, "ch01", "Elena waited.", matter)
    prose(tmp_path, "ch02", "Elena waited.", matter.replace("green", "blue"))
    model = ScriptedModel([])
    async with at_work(tmp_path, model) as foreman:
        result = await consolidated(foreman, reads=False)
        assert (result.counts.pieces, result.waiting, model.requests) == (0, 1, [])
        assert len((await foreman.consolidation.batches()).waiting_texts) == 2


async def test_one_consolidation_at_a_time(tmp_path: Path) -> None:
    prose(tmp_path, "ch01", "Elena had green eyes.")
    waits = asyncio.Event()

    async def slow(request: ModelRequest) -> str:
        await waits.wait()
        return GREEN

    async with at_work(tmp_path, ScriptedModel(slow)) as foreman:
        run = await foreman.consolidation.start(ConsolidationRequest())
        with pytest.raises(RunFenced):
            await foreman.consolidation.start(ConsolidationRequest())
        waits.set()
        await foreman.works.wait(run.id)


@pytest.mark.parametrize("wanted", [True, False])
async def test_a_saved_scene_is_read_if_the_settings_say_so(tmp_path: Path, wanted: bool) -> None:
    update = '<content_update target="ch01-sc01">Elena had green eyes.</content_update>'
    model = ScriptedModel(lambda request: GREEN if "ch01-sc01" in request.key else saying("Saved.", update))
    settings = WorkshopSettings(consolidate_after_scene=wanted)
    async with at_work(tmp_path, model, settings=settings) as foreman:
        for mode in (Mode.VOICE_CALIBRATION, Mode.DIRECTOR):
            await foreman.change_mode(mode, force=True)
        await heard(foreman, "Write it.")
        for run in foreman.works.playing:
            await foreman.works.wait(run)
        assert (tmp_path / "manuscript" / "ch01-sc01.md").is_file()
        assert [one.status for one in await foreman.works.rows()] == (["ended"] if wanted else [])


async def test_it_runs_on_a_schedule_while_something_waits(tmp_path: Path) -> None:
    prose(tmp_path, "ch01", "Elena had green eyes.")
    clock, settings = StillClock(), WorkshopSettings(consolidate_minutes=30)
    async with at_work(tmp_path, [GREEN], settings=settings, clock=clock) as foreman:
        regularly = asyncio.create_task(foreman.consolidation.regularly())
        async with asyncio.timeout(120):
            while not (await foreman.consolidation.batches()).batches or len(clock.waits) < 4:
                await asyncio.sleep(0)
        regularly.cancel()
        await asyncio.gather(regularly, return_exceptions=True)
        assert set(clock.waits) == {1800.0}
        assert len(await foreman.works.rows()) == 1


async def test_refusals_are_told_with_their_reasons(tmp_path: Path) -> None:
    prose(tmp_path, "ch01", "Elena had green eyes.")
    claims = answer(said("Elena", "eye_colour", "blue", "Elena had blue eyes"), {"subject": "Elena"})
    async with at_work(tmp_path, ScriptedModel(lambda request: claims)) as foreman:
        result = await consolidated(foreman)
        assert result.said == "Read 1 text in 1 piece; no new fact; 2 of 2 claims refused."
        shown = foreman.works.kind(NAME).work.show(result)
        assert "Refused: the words do not stand in the text (1); a claim cannot be read (1)." in shown
