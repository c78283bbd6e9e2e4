"""A scene is revised by patches: for named issues or in six passes, and never by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, ModelUnavailable
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.revision.analysis import AnalysisRequest
from dramaturg.workshop.revision.enhancement import PASSES, Enhancement, EnhancementRequest
from dramaturg.workshop.works.table import WORKS
from tests.workshop.revision_cases import PATH, SCENE, patch, story, verdict
from tests.workshop.workroom import at_work


async def enhanced(foreman: Workshop, **request: object) -> Enhancement:
    wanted = EnhancementRequest.model_validate({"scene": "ch01-sc01", **request})
    run = await foreman.works.start("enhancement", wanted)
    await foreman.works.wait(run.id)
    found = foreman.works.kind("enhancement").result(await foreman._resources.runs.open(run.id))
    assert isinstance(found, Enhancement)
    return found


async def test_named_issues_are_mended_by_patches_that_wait(tmp_path: Path) -> None:
    place = story(tmp_path)
    answer = "\n".join([
        "Here.", patch("Ruth was very tired.", "Ruth was tired.", issue="filler"),
        patch("nobody ever wrote this", "x"), patch("the harbour", "the sea"),
        patch("was very tired", "slept"), "<patch><old>He did not</old></patch>",
    ])  # fmt: skip
    model = ScriptedModel([answer])
    async with at_work(tmp_path, model, works=WORKS) as foreman:
        found = await enhanced(foreman, issues=["The first sentence is flat."])
        (report,) = found.passes
        assert (len(report.patches), report.misquoted, report.overlapping, report.broken) == (2, 1, 1, 1)
        assert "- The first sentence is flat." in model.requests[0].system
        assert place.read_text(encoding="utf-8") == SCENE
        listed = (await foreman.patches.patches()).patches
        assert [(one.number, one.old, one.issue, bool(one.problem)) for one in listed] == [
            (1, "very ", "filler", False),
            (2, "the harbour", "flat", True),
        ]
        assert listed[0].source.purpose == "action prompt"
        await foreman.patches.accept([1])
        assert place.read_text(encoding="utf-8") == SCENE.replace("very ", "")
        assert len((await foreman.patches.patches(every=True)).patches) == 2


async def test_without_named_issues_those_of_the_last_analysis_are_mended(tmp_path: Path) -> None:
    story(tmp_path)

    def model(request: ModelRequest) -> str:
        if request.purpose == "judging":
            issue = {"quote": "He did not really look", "issue": "a filler word"}
            return verdict("weak", "She put the letter down on the table", issues=[issue])
        assert "- a filler word: “He did not really look”" in request.system
        return patch("He did not really look at her.", "He did not look at her.")

    async with at_work(tmp_path, model, works=WORKS) as foreman:
        with pytest.raises(InvalidConfig, match="it was not analysed yet"):
            await foreman.works.price("enhancement", EnhancementRequest(scene="ch01-sc01", mode="action_prompt"))
        run = await foreman.works.start("analysis", AnalysisRequest(scene="ch01-sc01"))
        await foreman.works.wait(run.id)
        found = await enhanced(foreman)
        assert [one.old for one in found.passes[0].patches] == ["really "]


async def test_six_passes_know_what_was_proposed_before_them_and_report_what_they_change(tmp_path: Path) -> None:
    story(tmp_path)
    asked: list[str] = []

    def model(request: ModelRequest) -> str:
        asked.append(request.system)
        name = PASSES[len(asked) - 1]
        if name == "dialogue":
            raise ModelUnavailable("The provider is down.")
        return patch("very tired", "tired") if name in ("prose", "polish") else "Nothing to change."

    async with at_work(tmp_path, model, works=WORKS) as foreman:
        found = await enhanced(foreman, mode="six_pass")
        listed = (await foreman.patches.patches()).patches
    assert [one.name for one in found.passes] == list(PASSES)
    assert [len(one.patches) for one in found.passes] == [0, 0, 1, 0, 0, 0]
    assert found.passes[3].failed
    assert found.passes[5].overlapping == 1
    assert "“very ” → “”" in asked[-1]
    assert "The gold standard" in asked[1]
    assert (found.measured.words_before - found.measured.words_after, found.measured.same) == (1, False)
    assert [one.source.purpose for one in listed] == ["prose pass"]


async def test_passes_that_change_nothing_say_that_nothing_changes(tmp_path: Path) -> None:
    place = story(tmp_path)
    async with at_work(tmp_path, lambda request: "I would leave it as it is.", works=WORKS) as foreman:
        found = await enhanced(foreman, mode="six_pass")
        assert (await foreman.patches.patches(every=True)).patches == ()
    assert found.measured.same
    assert "No change is proposed; nothing that is measured changes." in found.said
    assert place.read_text(encoding="utf-8") == SCENE


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("I'm sorry, I can't help with that.", "the issues: 0 patches. It said: “I'm sorry, I can't help"),
        ("<think>Hm.</think>Leave it.", "the issues: 0 patches. It said: “Leave it.”"),
        (patch("Ruth was very tired", "Ruth was tired"), "the issues: 1 patch"),
    ],
)
async def test_a_pass_without_a_change_tells_what_was_said_instead(tmp_path: Path, answer: str, told: str) -> None:
    story(tmp_path)
    async with at_work(tmp_path, lambda request: answer, works=WORKS) as foreman:
        found = await enhanced(foreman, issues=["It is flat."])
        assert told in foreman.works.kind("enhancement").work.show(found)


async def test_what_a_work_proposes_is_taken_in_once(tmp_path: Path) -> None:
    story(tmp_path)
    async with at_work(tmp_path, works=WORKS) as foreman:
        await enhanced(foreman, mode="six_pass")
        first = (await foreman.patches.patches()).patches
        again = (await foreman.patches.patches()).patches
        assert first == again
        assert [one.file for one in first] == [PATH] * len(first)
        assert all("counts and does not read" in one.reason and not one.problem for one in first)
        await foreman.patches.accept([one.number for one in first])
    async with at_work(tmp_path, works=WORKS) as foreman:
        assert (await foreman.patches.patches()).patches == ()
        for number in (one.number for one in first):
            await foreman.undo(f"p{number}")
    assert (tmp_path / PATH).read_bytes() == SCENE.encode()
