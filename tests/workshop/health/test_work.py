"""A health check as a run: what is asked, what is kept, and what the Foreman is told of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, ModelUnavailable, NotFound
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.workshop.consolidation.work import ConsolidationRequest
from dramaturg.workshop.drill.work import DrillRequest
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.health.values import HealthReport
from dramaturg.workshop.health.work import HealthRequest, HealthResult
from tests.workshop.graph.stories import scene, write
from tests.workshop.health.shelf import BOOKS, check_in
from tests.workshop.workroom import acting, at_work, heard, saying
from tests.workshop.works.cases import CountingCompany

FLAT = "tension: 5\nflaw_challenged: no\ncast: [Ines, Tom]\nresonance: 1"


async def checked(foreman: Workshop, **asked: Any) -> HealthReport:
    run = await foreman.works.start("health", HealthRequest(**asked))
    await foreman.works.wait(run.id)
    result = foreman.works.kind("health").result(await foreman._resources.runs.open(run.id))
    assert isinstance(result, HealthResult)
    return result.report


def flat(project: Path) -> Path:
    write(project, "story-bible/protagonist.md", "---\nname: Ines\n---\n\n## Fatal flaw\n\nShe never turns back.\n")
    for number in range(1, 9):
        scene(project, f"ch0{number}-sc01", FLAT, f"Ines waited. It was day {number}.")
    return project


async def alerts_of(foreman: Workshop) -> set[tuple[str, str]]:
    state = await foreman.conversation()
    book = (await foreman._sources.snapshot(state, state.next_turn)).book
    return {(one.severity, one.check) for one in book.alerts}


async def test_a_contradiction_that_waits_for_the_writer_is_found_until_it_is_settled(tmp_path: Path) -> None:
    scene(tmp_path, "ch01-sc01", "", "Elena had green eyes. She waited at the rail.")
    scene(tmp_path, "ch02-sc01", "", "Elena had blue eyes in the morning light.")
    async with at_work(tmp_path, CountingCompany()) as foreman:
        run = await foreman.consolidation.start(ConsolidationRequest())
        await foreman.works.wait(run.id)
        (found,) = (one for one in (await checked(foreman)).findings if one.check == "K3_contradictions")
        assert [one.quote for one in found.evidence] == ["Elena had green eyes.", "Elena had blue eyes"]
        assert "foreman conflicts" in found.recommendation
        assert ("warning", "K3_contradictions") in await alerts_of(foreman)
        await foreman.consolidation.resolve(1, "keep_old")
        assert ("warning", "K3_contradictions") not in await alerts_of(foreman)
        assert "K3_contradictions" not in [one.check for one in (await checked(foreman)).findings]


async def test_a_scene_of_which_nothing_could_be_read_is_named_and_asked_about_again(tmp_path: Path) -> None:
    scene(tmp_path, "ch01-sc01", "", "Elena waited at the rail.")
    said = iter(["Okay, the user wants JSON. Let me think.", '{"tension": null}'])
    async with at_work(tmp_path, lambda request: next(said)) as foreman:
        report = await checked(foreman, extract=True)
        assert any("ch01-sc01" in one and "nothing that can be read" in one for one in report.problems)
        again = await checked(foreman, extract=True)
        assert not any("nothing that can be read" in one for one in again.problems)
        await checked(foreman, extract=True)
    assert next(said, None) is None


async def test_without_a_model_nothing_is_asked_and_the_writer_is_told_what_stays_unseen(tmp_path: Path) -> None:
    company = CountingCompany()
    async with at_work(flat(tmp_path), company) as foreman:
        scene(tmp_path, "ch09-sc01", "title: Bare", "Nothing is said here.")
        price = await foreman.works.price("health", HealthRequest())
        assert (price.most_questions, len(price.blind_spots)) == (0, 1)
        report = await checked(foreman)
        assert (company.keys, report.scenes) == ([], 9)


async def test_facts_that_were_refused_are_named_in_every_report(tmp_path: Path) -> None:
    async with at_work(flat(tmp_path)) as foreman:
        wrong = "facts:\n  - {subject: Tom, predicate: dies, object: night}"
        scene(tmp_path, "ch09-sc01", wrong, "Nothing is said here.")
        write(tmp_path, "story-bible/tom.md", "---\nname: Tom\nfacts:\n  - {subject: Tom, predicate: muere}\n---\n")
        for report in (await checked(foreman), await checked(foreman)):
            told = "\n".join(report.problems)
            assert told.count("ch09-sc01.md, fact 1: There is no predicate 'dies'") == 1
            assert told.count("tom.md, fact 1: There is no predicate 'muere'") == 1


async def test_a_model_reads_only_open_scenes_and_each_text_once(tmp_path: Path) -> None:
    book = Path(shutil.copytree(BOOKS / "pegelstand", tmp_path / "book"))
    company = CountingCompany()
    async with at_work(book, company) as foreman:
        first = await checked(foreman, extract=True)
        assert len(company.keys) == 8
        assert check_in(first, "A1").status != "cannot_tell"
        assert first.sources["extracted"] > 0
        assert "tension" in first.points[0].extracted
        again = await checked(foreman, extract=True)
        assert len(company.keys) == 8
        assert again.points == first.points
        write(book, "manuscript/kapitel-3.md", "Jonas schwieg. Jonas ging.")
        await checked(foreman, extract=True)
        assert len(company.keys) == 9


async def test_what_a_model_invents_is_refused_and_counted(tmp_path: Path) -> None:
    write(tmp_path, "manuscript/ch01-sc01.md", "The lamp went out, and nobody spoke.")
    lie = json.dumps({"tension": {"value": 9, "quote": "Then the dragon came."}, "cast": [{"name": "A", "quote": "B"}]})
    async with at_work(tmp_path, [lie]) as foreman:
        report = await checked(foreman, extract=True)
    assert (report.refused, report.points[0].tension, report.points[0].cast) == (2, None, ())


async def test_a_scene_that_no_model_reads_is_named_and_the_checks_run_all_the_same(tmp_path: Path) -> None:
    flat(tmp_path)
    scene(tmp_path, "ch09-sc01", "title: One", "A bare scene of a few words.")
    scene(tmp_path, "ch10-sc01", "title: Two", "Another bare scene of a few words.")

    def script(request: ModelRequest) -> str | Exception:
        return ModelUnavailable("It is down.") if "ch09" in request.key else "{}"

    async with at_work(tmp_path, script) as foreman:
        report = await checked(foreman, extract=True)
    assert any("ch09-sc01" in one and "It is down." in one for one in report.problems)
    assert check_in(report, "B1").status == "found"


async def test_findings_are_alerts_until_they_are_mended_or_waived(tmp_path: Path) -> None:
    flat(tmp_path)
    async with at_work(tmp_path, clock=Clock()) as foreman:
        assert await alerts_of(foreman) == set()
        await checked(foreman)
        assert ("critical", "B1_flaw_challenge") in await alerts_of(foreman)
        assert ("warning", "A1_pacing_plateau") in await alerts_of(foreman)
        scene(
            tmp_path, "ch04-sc01", FLAT.replace("flaw_challenged: no", "flaw_challenged: yes"), "Turn back, said Tom."
        )
        assert ("critical", "B1_flaw_challenge") not in await alerts_of(foreman)
        assert ("warning", "A1_pacing_plateau") in await alerts_of(foreman)
        write(tmp_path, "story-bible/waivers.yaml", "waivers: [{check: A1, reason: it is a vigil}]")
        assert ("warning", "A1_pacing_plateau") not in await alerts_of(foreman)


async def test_reports_are_kept_and_compared_with_the_last(tmp_path: Path) -> None:
    flat(tmp_path)
    async with at_work(tmp_path, clock=Clock()) as foreman:
        first = await checked(foreman)
        await checked(foreman, scope="A1")
        scene(
            tmp_path, "ch04-sc01", FLAT.replace("flaw_challenged: no", "flaw_challenged: yes"), "Turn back, said Tom."
        )
        second = await checked(foreman)
        assert first.comparison.run == ""
        assert [one.check for one in second.comparison.mended] == ["B1_flaw_challenge"]
        assert (await foreman.health.last()) == second


async def test_a_check_that_never_caught_anything_in_a_drill_says_so(tmp_path: Path) -> None:
    book = Path(shutil.copytree(BOOKS / "salt-road", tmp_path / "book"))
    async with at_work(book, clock=Clock()) as foreman:
        assert check_in(await checked(foreman), "A1").in_drills == "never tried in a fire drill"
        run = await foreman.works.start("drill", DrillRequest(seed=2))
        await foreman.works.wait(run.id)
        report = await checked(foreman)
        assert check_in(report, "A1").in_drills == "has never caught anything in one drill"
        assert check_in(report, "A3").in_drills == "caught 1 flaw in one drill"
        assert (await foreman.drills.last()).seed == 2


async def test_the_foreman_starts_a_check_and_the_conversation_goes_on(tmp_path: Path) -> None:
    flat(tmp_path)
    answer = saying("I am looking.", acting("run_health_check", scope="all"))
    async with at_work(tmp_path, [answer, saying("Here it is.")]) as foreman:
        await foreman.change_mode(force=True)
        await foreman.change_mode(force=True)
        await heard(foreman, "How is the book?")
        state = await foreman.conversation()
        run = state.turns[1].done[0].outcome.run
        assert run is not None
        await foreman.works.wait(run)
        assert (await foreman.health.last()).scenes == 8
        prompt = (await foreman.prompt("And now?")).model_dump_json()
        assert "B1_flaw_challenge" in prompt


async def test_a_scope_that_is_not_there_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    async with at_work(flat(tmp_path)) as foreman:
        with pytest.raises(InvalidConfig, match="no check"):
            await foreman.works.price("health", HealthRequest(scope="chapter 77"))
        with pytest.raises(NotFound, match="no health report yet"):
            await foreman.health.last()
        with pytest.raises(NotFound, match="no fire drill yet"):
            await foreman.drills.last()
