"""A scene in variants: what fails costs itself, what is wrong is asked for once more and then marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import BudgetExceeded, InvalidConfig, ModelUnavailable
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedAnswer, ScriptedModel
from dramaturg.kernel.runs import BudgetRaised, Limits
from dramaturg.workshop.drafts.length import TOLERANCE, length_of
from dramaturg.workshop.drafts.material import LETTERS
from dramaturg.workshop.voice.rule_files import Ban
from tests.workshop.drafts.cases import REQUEST, book, drafted, prose, written
from tests.workshop.workroom import at_work


async def test_every_model_writes_with_every_strategy_to_the_target_of_the_scaffold(tmp_path: Path) -> None:
    model = ScriptedModel(written)
    async with at_work(book(tmp_path), model) as foreman:
        draft = await drafted(foreman)
        detail = await foreman.works.detail(draft.run)
    assert [(one.letter, one.model, one.strategy, one.words) for one in draft.variants] == [
        ("A", "alpha/one", "ACTION", 300),
        ("B", "alpha/one", "CHARACTER", 300),
        ("C", "beta/two", "ACTION", 300),
        ("D", "beta/two", "CHARACTER", 300),
    ]
    assert not any(one.marks or one.failed for one in draft.variants)
    assert draft.file == "manuscript/ch04-sc02.md"
    assert len(model.requests) == 4
    assert all("Cannot ask about the past." in one.messages[-1].text for one in model.requests)
    assert "By action" in model.requests[0].system
    assert "By character" in model.requests[1].system
    assert "foreman variants last" in detail.said


async def test_a_strategy_of_the_project_writes_too(tmp_path: Path) -> None:
    project = book(tmp_path)
    own = project / "prompts" / "voice" / "strategies"
    own.mkdir(parents=True)
    (own / "letters.md").write_text("---\nvariables: []\n---\nAs letters nobody sends.\n", encoding="utf-8")
    model = ScriptedModel(written)
    async with at_work(project, model) as foreman:
        draft = await drafted(foreman, {"target": "ch04-sc02", "strategies": ["letters"]})
        with pytest.raises(InvalidConfig, match="no strategy 'opera'"):
            await foreman.works.price("draft", foreman.works.read("draft", {"strategies": ["opera"]}))
    assert [one.strategy for one in draft.variants] == ["LETTERS"]
    assert "As letters nobody sends." in model.requests[0].system


async def test_too_many_variants_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel(written)
    async with at_work(book(tmp_path), model) as foreman:
        wanted = foreman.works.read(
            "draft", {"models": [f"m/{n}" for n in range(7)], "strategies": ["ACTION", "BALANCED"]}
        )
        with pytest.raises(InvalidConfig, match="14 variants; 12 are the most"):
            await foreman.works.price("draft", wanted)
    assert len(LETTERS) == 12
    assert not model.requests


async def test_a_model_that_is_down_costs_its_own_variants(tmp_path: Path) -> None:
    def second_is_down(request: ModelRequest) -> ScriptedAnswer:
        return ModelUnavailable("beta is down.") if request.key[0] in "CD" else written(request)

    async with at_work(book(tmp_path), second_is_down) as foreman:
        draft = await drafted(foreman)
        detail = await foreman.works.detail(draft.run)
    assert [bool(one.paragraphs) for one in draft.variants] == [True, True, False, False]
    assert [one.failed for one in draft.variants[2:]] == ["beta is down."] * 2
    assert "Without a text: C, D." in detail.said
    assert detail.status == "ended"


async def test_a_model_that_dies_in_a_later_section_leaves_what_it_wrote_and_a_mark(tmp_path: Path) -> None:
    def later_down(request: ModelRequest) -> ScriptedAnswer:
        down = request.key.startswith("B section-2")
        return ModelUnavailable("alpha is down.") if down else written(request)

    async with at_work(book(tmp_path), later_down) as foreman:
        draft = await drafted(foreman, REQUEST | {"words": 2000})
    stopped = draft.variants[1]
    assert stopped.words == 1000
    assert stopped.marks == ("It stops after section 1 of 2. alpha is down.",)
    assert draft.variants[0].words == 2000


async def test_if_every_model_is_down_the_run_fails_and_can_be_resumed(tmp_path: Path) -> None:
    down = True
    model = ScriptedModel(lambda request: ModelUnavailable("Down.") if down else written(request))
    async with at_work(book(tmp_path), model) as foreman:
        run = await foreman.works.start("draft", foreman.works.read("draft", REQUEST))
        with pytest.raises(ModelUnavailable):
            await foreman.works.wait(run.id)
        down = False
        await foreman._resources.engine.resume(run.id)
        await foreman._resources.engine.join()
        draft = await foreman.drafts.draft(run.id)
    assert all(one.words == 300 for one in draft.variants)


@pytest.mark.parametrize(("first", "percent"), [(60, "80% too short"), (900, "200% too long")])
async def test_a_variant_of_the_wrong_length_is_asked_for_once_more(tmp_path: Path, first: int, percent: str) -> None:
    model = ScriptedModel(lambda request: written(request) if "again" in request.key else prose(first))
    async with at_work(book(tmp_path), model) as foreman:
        draft = await drafted(foreman, {"target": "ch04-sc02", "strategies": ["ACTION"]})
    assert [one.key for one in model.requests] == ["A section-1", "A section-1 again"]
    assert percent in model.requests[1].messages[-1].text
    assert prose(first) in model.requests[1].messages[-1].text
    assert (draft.variants[0].words, draft.variants[0].marks) == (300, ())


async def test_what_is_wrong_again_is_shown_as_it_is_and_marked(tmp_path: Path) -> None:
    model = ScriptedModel(lambda request: prose(100 if "again" in request.key else 60))
    async with at_work(book(tmp_path), model) as foreman:
        draft = await drafted(foreman, {"target": "ch04-sc02", "strategies": ["ACTION"]})
        said = (await foreman.works.detail(draft.run)).said
    assert len(model.requests) == 2
    assert draft.variants[0].words == 100
    assert draft.variants[0].marks == ("Its length: 100 words for 300 asked for, 67% too short.",)
    assert "Marked: A." in said


async def test_a_second_answer_that_is_worse_is_not_kept(tmp_path: Path) -> None:
    model = ScriptedModel(lambda request: "" if "again" in request.key else prose(200))
    async with at_work(book(tmp_path), model) as foreman:
        draft = await drafted(foreman, {"target": "ch04-sc02", "strategies": ["ACTION"]})
    assert draft.variants[0].words == 200


async def test_a_phrase_that_is_not_tolerated_is_named_and_asked_for_once_more(tmp_path: Path) -> None:
    def stubborn(request: ModelRequest) -> str:
        good = "again" in request.key and request.key.startswith("A")
        return written(request) if good else f"{prose(295)}\n\nHer heart sang a ballad."

    model = ScriptedModel(stubborn)
    async with at_work(book(tmp_path), model) as foreman:
        await foreman.voice.ban(Ban(ban="heart sang a ballad"))
        draft = await drafted(foreman, {"target": "ch04-sc02", "strategies": ["ACTION", "BALANCED"]})
    again = [one for one in model.requests if "again" in one.key]
    assert len(again) == 2
    assert "Not tolerated: “heart sang a ballad”: “Her heart sang a ballad.”" in again[0].messages[-1].text
    assert "heart sang a ballad" in model.requests[0].system, "it is told before, too"
    assert draft.variants[0].marks == ()
    assert draft.variants[1].marks == ("Not tolerated: “heart sang a ballad”: “Her heart sang a ballad.”",)


async def test_a_model_that_writes_nothing_has_no_variant(tmp_path: Path) -> None:
    model = ScriptedModel(lambda request: "<think>Hm.</think>" if request.key[0] == "A" else written(request))
    async with at_work(book(tmp_path), model) as foreman:
        draft = await drafted(foreman, {"target": "ch04-sc02", "strategies": ["ACTION", "BALANCED"]})
    assert draft.variants[0].failed == "It wrote nothing that can be used."
    assert draft.variants[1].words == 300


async def test_a_long_target_is_written_in_sections_that_know_the_end_of_the_one_before(tmp_path: Path) -> None:
    model = ScriptedModel(written)
    async with at_work(book(tmp_path), model) as foreman:
        draft = await drafted(foreman, {"target": "ch04-sc02", "strategies": ["ACTION"], "words": 4000})
    asked = [one.messages[-1].text for one in model.requests]
    assert len(asked) == 4
    assert "first of 4 parts" in asked[0]
    assert "<written>" not in asked[0]
    assert "part 2 of 4" in asked[1]
    assert written(model.requests[0])[-400:] in asked[1]
    assert "last of 4 parts" in asked[3]
    assert abs(draft.variants[0].words - 4000) <= 4000 * TOLERANCE
    assert not draft.variants[0].marks


async def test_later_sections_make_up_for_a_short_one(tmp_path: Path) -> None:
    short = ScriptedModel(lambda request: prose(700) if "section-1" in request.key else written(request))
    async with at_work(book(tmp_path), short) as foreman:
        draft = await drafted(foreman, {"target": "ch04-sc02", "strategies": ["ACTION"], "words": 3000})
    assert abs(draft.variants[0].words - 3000) <= 3
    assert draft.variants[0].marks == (), "the whole has the right length"


async def test_over_budget_half_way_it_stops_shows_what_there_is_and_is_finished_later(tmp_path: Path) -> None:
    model = ScriptedModel(written)
    async with at_work(book(tmp_path), model) as foreman:
        asked = foreman.works.read("draft", REQUEST | {"words": 3000, "strategies": ["ACTION"]})
        run = await foreman.works.start("draft", asked, Limits(8_000))
        with pytest.raises(BudgetExceeded):
            await foreman.works.wait(run.id)
        half = await foreman.drafts.draft(run.id)
        assert any(one.paragraphs for one in half.variants)
        assert all("It stops after section" in one.marks[0] for one in half.variants if one.paragraphs)
        engine = foreman._resources.engine
        performance = await engine.adopt(run.id)
        await performance.write(BudgetRaised(tokens=1_000_000))
        await engine.start(performance)
        whole = await foreman.drafts.draft(run.id)
    assert [one.words for one in whole.variants] == [3000, 3000]
    keys = [one.key for one in model.requests]
    assert len(keys) == len(set(keys)), "nothing was asked twice"


async def test_a_scaffold_edited_meanwhile_changes_nothing_and_is_told(tmp_path: Path) -> None:
    project = book(tmp_path)
    scaffold = project / "scaffolds" / "ch04-sc02.md"

    def edits(request: ModelRequest) -> str:
        scaffold.write_text(scaffold.read_text(encoding="utf-8").replace("berth", "vault"), encoding="utf-8")
        return written(request)

    model = ScriptedModel(edits)
    async with at_work(project, model) as foreman:
        draft = await drafted(foreman, {"target": "ch04-sc02", "strategies": ["ACTION"], "words": 2000})
        said = (await foreman.works.detail(draft.run)).said
    assert all("berth" in one.messages[-1].text and "vault" not in one.messages[-1].text for one in model.requests)
    assert "The scaffold has changed since" in said
    assert draft.scaffold_changed


async def test_without_a_scaffold_it_is_written_from_what_the_writer_said(tmp_path: Path) -> None:
    model = ScriptedModel(written)
    async with at_work(book(tmp_path), model) as foreman:
        wanted = {
            "target": "ch09-sc01",
            "brief": "Marcus burns the photograph.",
            "words": 200,
            "strategies": ["ACTION"],
        }
        price = await foreman.works.price("draft", foreman.works.read("draft", wanted))
        assert "there is none for manuscript/ch09-sc01.md; it is written from what you said" in price.blind_spots[0]
        assert price.least_questions == 1
        assert price.most_questions == 2
        draft = await drafted(foreman, wanted)
    assert "Marcus burns the photograph." in model.requests[0].messages[-1].text
    assert draft.variants[0].words == 200
    assert (draft.scaffold, draft.scaffold_changed) == ("", False)


async def test_without_a_target_the_first_scaffold_without_a_scene_is_drafted(tmp_path: Path) -> None:
    async with at_work(book(tmp_path), written) as foreman:
        assert (await drafted(foreman, {"words": 100})).file == "manuscript/ch04-sc02.md"
        (tmp_path / "book" / "scaffolds" / "ch04-sc02.md").unlink()
        assert (await drafted(foreman, {"words": 100})).file == "manuscript/ch01-sc02.md"


@pytest.mark.parametrize(
    "target", ["../../etc/passwd", "/etc/passwd", "story-bible/theme", "C:\\x", "~/x", "scaffolds/../../x"]
)
async def test_a_target_outside_the_manuscript_is_refused(tmp_path: Path, target: str) -> None:
    model = ScriptedModel(written)
    async with at_work(book(tmp_path), model) as foreman:
        with pytest.raises(InvalidConfig):
            await foreman.works.price("draft", foreman.works.read("draft", {"target": target}))
    assert not model.requests


async def test_the_rehearsal_company_writes_the_right_length_and_says_what_it_is(tmp_path: Path) -> None:
    async with at_work(book(tmp_path)) as foreman:
        for words in (100, 300, 1500, 2500, 6000):
            draft = await drafted(foreman, {"target": "ch04-sc02", "words": words})
            assert all(abs(length_of(one.text) - words) <= words * TOLERANCE for one in draft.variants), words
            assert not any(one.marks for one in draft.variants), words
        assert "The rehearsal company wrote" in (await foreman.works.detail(draft.run)).said
