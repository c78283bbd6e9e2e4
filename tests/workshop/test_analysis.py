"""A scene is judged on five dimensions, and nothing is believed that its own words do not bear out."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.revision.analysis import AnalysisRequest, SceneAnalysis
from dramaturg.workshop.works.table import WORKS
from tests.workshop.revision_cases import story, verdict
from tests.workshop.workroom import acting, at_work, heard, saying

TRUE = "She put the letter down on the table"


async def analysed(foreman: Workshop) -> SceneAnalysis:
    run = await foreman.works.start("analysis", AnalysisRequest(scene="ch01-sc01"))
    await foreman.works.wait(run.id)
    found = foreman.works.kind("analysis").result(await foreman._resources.runs.open(run.id))
    assert isinstance(found, SceneAnalysis)
    return found


async def test_a_band_needs_words_that_stand_in_the_scene(tmp_path: Path) -> None:
    story(tmp_path)
    answers = {
        "gold standard": verdict("strong", TRUE),
        "anti-patterns": verdict(
            "weak", "nobody wrote these words", TRUE, issues=[{"quote": "He did not really look", "issue": "filler"}]
        ),
        "beat": verdict("sound", "these words are nowhere at all"),
        "characters": verdict("abstain"),
        "facts": "It is a lovely scene, I think, and I would not touch it.",
    }

    def judge(request: ModelRequest) -> str:
        question = request.system.split("\n\n")[1]
        return next(answer for word, answer in answers.items() if word in question)

    async with at_work(tmp_path, judge, works=WORKS) as foreman:
        found = {one.dimension: one for one in (await analysed(foreman)).scores}
    assert (found["voice_authenticity"].state, found["voice_authenticity"].band) == ("scored", "strong")
    assert [(one.paragraph, one.quote) for one in found["voice_authenticity"].evidence] == [(1, TRUE)]
    assert found["prose_quality"].doubted == 1
    assert [(one.quote, one.what) for one in found["prose_quality"].issues] == [("He did not really look", "filler")]
    assert (found["beat_compliance"].state, found["beat_compliance"].band) == ("unscored", None)
    assert "None of the judge's quotations" in found["beat_compliance"].because
    assert found["character_consistency"].state == "abstained"
    assert (found["continuity"].state, found["continuity"].band) == ("unscored", None)


async def test_a_judge_that_only_talks_leaves_everything_unscored(tmp_path: Path) -> None:
    story(tmp_path)
    async with at_work(tmp_path, lambda request: "What a beautiful scene!", works=WORKS) as foreman:
        found = await analysed(foreman)
    assert {one.state for one in found.scores} == {"unscored"}
    assert all(one.band is None and one.because for one in found.scores)


async def test_without_a_yardstick_nobody_is_asked(tmp_path: Path) -> None:
    place = story(tmp_path)
    for other in ("scaffolds/ch01-sc01.md", "Voice Bundle/Voice-Gold-Standard.md", "story-bible/protagonist.md"):
        (tmp_path / other).unlink()
    place.write_text("She put the letter down on the table.\n", encoding="utf-8")
    model = ScriptedModel(lambda request: verdict("sound", TRUE))
    async with at_work(tmp_path, model, works=WORKS) as foreman:
        price = await foreman.works.price("analysis", AnalysisRequest(scene="ch01-sc01"))
        found = {one.dimension: one.state for one in (await analysed(foreman)).scores}
    assert len(model.requests) == 1
    assert any(one.startswith("voice authenticity: There is no gold standard") for one in price.blind_spots)
    assert found == {
        "voice_authenticity": "abstained",
        "prose_quality": "scored",
        "beat_compliance": "abstained",
        "character_consistency": "abstained",
        "continuity": "abstained",
    }


async def test_promises_of_the_scaffold_are_looked_for_by_their_words(tmp_path: Path) -> None:
    story(tmp_path)
    async with at_work(tmp_path, works=WORKS) as foreman:
        found = await analysed(foreman)
        shown = foreman.works.kind("analysis").work.show(found)
    assert [(one.name, bool(one.quote)) for one in found.promises] == [("the_letter", True), ("the_photograph", False)]
    assert "callback the_photograph: not found by its words" in shown
    assert "it counts and does not read" in found.said
    assert all(one.state != "scored" or one.evidence for one in found.scores)


async def test_the_foreman_offers_an_analysis_with_its_price_and_the_writer_says_yes(tmp_path: Path) -> None:
    story(tmp_path)

    def model(request: ModelRequest) -> str:
        if request.purpose == "judging":
            return verdict("sound", TRUE)
        return saying("I will read it.", acting("analyze_scene", scene_id="ch01-sc01"))

    async with at_work(tmp_path, model, works=WORKS) as foreman:
        for _ in range(3):
            await foreman.change_mode(force=True)
        events = await heard(foreman, "How is the scene?")
        assert "Start an analysis of a scene" in str(events)
        outcome = await foreman.confirm()
        assert outcome.run
        await foreman.works.wait(outcome.run)
        assert "prose sound" in (await foreman.works.rows())[0].said


async def test_a_scene_that_is_not_there_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    async with at_work(tmp_path, works=WORKS) as foreman:
        with pytest.raises(InvalidConfig, match=r"There is no manuscript/ch09-sc09\.md"):
            await foreman.works.price("analysis", AnalysisRequest(scene="ch09-sc09"))
        price = await foreman.works.price("analysis", AnalysisRequest())
        assert (price.most_questions, price.blind_spots) == (0, ("your manuscript: there is no scene in it yet",))
        run = await foreman.works.start("analysis", AnalysisRequest())
        with pytest.raises(InvalidConfig, match="There is no scene in manuscript/ yet"):
            await foreman.works.wait(run.id)
