"""A scene is planned from the book: each field has its source, and what the book does not bear out is left out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, ModelUnavailable
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.scripted import ScriptedAnswer, ScriptedModel
from dramaturg.workshop.book.book import ActiveContext
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.book.scaffold import FIELDS, Scaffold
from dramaturg.workshop.book.scaffolds import Scaffolds
from dramaturg.workshop.scaffold.work import ScaffoldMade
from tests.workshop.scaffold.books import plan, thriller
from tests.workshop.workroom import acting, at_work, heard, saying

SCENE = "ch04-sc01"
PATH = f"scaffolds/{SCENE}.md"


async def made(
    project: Path, model: Model | Sequence[ScriptedAnswer] | None = None, **given: object
) -> tuple[ScaffoldMade, Scaffold]:
    """Plans a scene; the result, and the scaffold as its file has it."""
    async with at_work(project, model) as foreman:
        request = foreman.works.read("scaffold", {"scene": SCENE, **given})  # type: ignore[dict-item]
        run = await foreman.works.start("scaffold", request)
        await foreman.works.wait(run.id)
        found = (await foreman.works.detail(run.id)).result
        assert found is not None
        result = ScaffoldMade.model_validate(found)
    return result, Scaffolds(project).scaffold(SCENE)


async def test_every_field_that_is_kept_has_its_source_and_stands_in_the_file(tmp_path: Path) -> None:
    result, scaffold = await made(thriller(tmp_path), [plan()])
    assert scaffold == result.scaffold
    assert set(result.filled) == {*scaffold.sources} == {name for name in FIELDS if scaffold.text_of(name)}
    assert scaffold.sources["beat_alignment"] == "story-bible/beat-sheet.md, 9. Midpoint"
    assert scaffold.sources["time_of_day"] == "proposed, from no passage of the book"
    assert scaffold.sources["location"] == "proposed, from no passage of the book"
    assert (scaffold.word_target, scaffold.sources["word_target"]) == (1500, "the usual length of a scene")
    assert scaffold.open_fields == ("weather", "protagonist_constraint")


async def test_what_the_book_does_not_bear_out_is_left_out_with_the_reason(tmp_path: Path) -> None:
    result, scaffold = await made(thriller(tmp_path), [plan(beat_alignment={"value": "The big twist"})])
    assert scaffold.characters_present == ("Ines Marrow", "Kolb", "Background: two clerks")
    assert scaffold.callbacks == ("the wrong hook", "the warm tape")
    assert "“The second tape was warm.”" in scaffold.sources["callbacks"]
    assert scaffold.beat_alignment == ""
    told = " ".join(result.left_out)
    assert all(word in told for word in ("Jorge", "the wolf", "The big twist"))


async def test_what_the_writer_settled_stays_to_the_byte_and_only_open_fields_are_filled(tmp_path: Path) -> None:
    own = "---\ntitle: Mine   # for now\nweather:\n---\n\n## Scene goal\n\nShe loses.\n\n## Soundtrack\n\nNone  now.\n"
    thriller(tmp_path, {PATH: own})
    result, scaffold = await made(tmp_path, [plan(weather="Frost")])
    assert (scaffold.title, scaffold.scene_goal, scaffold.weather) == ("Mine", "She loses.", "Frost")
    assert "title" not in scaffold.sources
    text = (tmp_path / PATH).read_text(encoding="utf-8")
    assert text.startswith("---\ntitle: Mine   # for now\nweather: Frost\n")
    assert text.endswith("## Scene goal\n\nShe loses.\n\n## Soundtrack\n\nNone  now.\n")
    assert "filled in what was open" in result.said


async def test_a_file_that_the_writer_changes_meanwhile_stays(tmp_path: Path) -> None:
    thriller(tmp_path)
    (tmp_path / PATH).write_text("---\ntitle: First\n---\n", encoding="utf-8")

    def answer(request: object) -> str:
        (tmp_path / PATH).write_text("---\ntitle: Second\n---\n", encoding="utf-8")
        return plan()

    result, scaffold = await made(tmp_path, ScriptedModel(answer))
    assert scaffold.title == "Second"
    assert result.kept_at == f"scaffolds/{SCENE}.from-foreman-1.md"
    assert "scene_goal" not in (tmp_path / PATH).read_text(encoding="utf-8")
    assert "Ines knows" in (tmp_path / result.kept_at).read_text(encoding="utf-8")


async def test_the_enrichment_chooses_what_the_model_is_told(tmp_path: Path) -> None:
    model = ScriptedModel([plan()])
    await made(thriller(tmp_path), model, enrichment=["beat_sheet", "World Rules"])
    told = model.requests[0].system
    assert "No tape leaves the archive." in told
    assert "Ines finds her own voice" in told
    for other in ("What is on tape happened", "The second tape was warm", "wrong hook", "The tape is lost"):
        assert other not in told
    everything = ScriptedModel([plan()])
    (tmp_path / PATH).unlink()
    await made(tmp_path, everything)
    for other in ("What is on tape happened", "The second tape was warm", "wrong hook", "The tape is lost"):
        assert other in everything.requests[0].system


async def test_an_unknown_enrichment_and_a_broken_file_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    thriller(tmp_path, {PATH: "---\ntitle: [\n---\n"})
    model = ScriptedModel([plan()])
    async with at_work(tmp_path, model) as foreman:
        for given, said in (({"scene": "x", "enrichment": ["tarot"]}, "tarot"), ({"scene": SCENE}, "line 3")):
            with pytest.raises(InvalidConfig, match=said):
                await foreman.works.price("scaffold", foreman.works.read("scaffold", given))  # type: ignore[arg-type]
    assert not model.requests


async def test_without_a_model_what_is_known_is_planned_and_the_failure_told(tmp_path: Path) -> None:
    async with at_work(thriller(tmp_path), [ModelUnavailable("The model is down.")]) as foreman:
        run = await foreman.works.start("scaffold", foreman.works.read("scaffold", {"scene": SCENE, "title": "Later"}))
        await foreman.works.wait(run.id)
        result = (await foreman.works.detail(run.id)).result
    assert result is not None
    assert "No model planned it: The model is down." in str(result["said"])
    assert Scaffolds(tmp_path).scaffold(SCENE).title == "Later"


async def test_the_company_plans_in_the_writers_own_words_and_leaves_the_rest_open(tmp_path: Path) -> None:
    result, scaffold = await made(thriller(tmp_path))
    assert scaffold.scene_goal == "Ines finds her own voice on the tape."
    assert scaffold.protagonist_constraint == "What is on tape happened."
    assert scaffold.callbacks == ("the wrong hook",)
    assert scaffold.cast == ("Ines Marrow", "Kolb")
    assert scaffold.weather == ""
    assert not result.left_out
    assert "rehearsal company" in result.said


async def test_the_foreman_plans_a_scene_and_is_told_its_scaffold_in_the_next_turn(tmp_path: Path) -> None:
    asked = acting("generate_scaffold", chapter="4", scene="1", title="Backwards", enrichment='["beat_sheet"]')
    model = ScriptedModel([saying("I plan it.", asked), plan(), saying("There it is.")])
    async with at_work(thriller(tmp_path), model) as foreman:
        for mode in (Mode.VOICE_CALIBRATION, Mode.DIRECTOR):
            await foreman.change_mode(mode, force=True)
        await heard(foreman, "Let us write chapter 4, scene 1.")
        for run in foreman.works.playing:
            await foreman.works.wait(run)
        await heard(foreman, "And?")
        told = await foreman.prompt("Go on.", active=ActiveContext(file=SCENE))
    state = "\n".join([told.system, *(one.text for one in told.messages)])
    assert "<active_scaffold>" in state
    assert "<scene_goal>Ines knows that she was there.</scene_goal>" in state
    assert "<scene_context>" in state
