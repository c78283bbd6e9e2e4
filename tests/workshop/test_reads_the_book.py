"""The Foreman has read the book: bible, scene at hand and scaffold are in what goes out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.workshop.book.book import ActiveContext
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.wire import PromptView
from tests.workshop.workroom import acting, at_work, heard, saying

STARSHIP = Path(__file__).parents[2] / "examples" / "the-last-starship"
TIERS = {"full": "openai/gpt-4o", "medium": "deepseek/deepseek-chat", "minimal": "ollama/llama3.2:3b"}
SCENE = "---\nbeat: Midpoint\n---\nElena set the photograph down.\n\n“You kept it,” Marcus said, and didn't sit.\n"


def sent(prompt: PromptView) -> str:
    return "\n".join([prompt.system, *(message.text for message in prompt.messages)])


@pytest.fixture
def starship(tmp_path: Path) -> Path:
    shutil.copytree(STARSHIP / "story-bible", tmp_path / "story-bible")
    (tmp_path / "manuscript").mkdir()
    (tmp_path / "manuscript" / "ch01-sc01.md").write_text(SCENE, encoding="utf-8")
    return tmp_path


async def in_mode(foreman: Workshop, mode: Mode) -> None:
    while (await foreman.view()).mode != mode:
        await foreman.change_mode(force=True)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("mode", Mode)
async def test_what_stands_in_the_bible_goes_out_in_every_mode_and_tier(starship: Path, mode: Mode, tier: str) -> None:
    async with at_work(starship, []) as foreman:
        await in_mode(foreman, mode)
        prompt = await foreman.prompt("What is Elena's fatal flaw?", model=TIERS[tier])
        assert "trusts nobody" in sent(prompt)
        assert "gets left on the quay" in sent(prompt)


async def test_a_beat_is_told_when_it_is_spoken_of_and_what_is_not_told_is_a_blind_spot(starship: Path) -> None:
    async with at_work(starship, []) as foreman:
        prompt = await foreman.prompt("Who is Marcus, and what happens in the set-up?", model=TIERS["full"])
        assert "Marcus" in sent(prompt)
        small = await foreman.prompt("Hello.", model=TIERS["minimal"])
        assert any("beat_1" in spot and "story-bible/beat-sheet.md" in spot for spot in small.blind_spots)


@pytest.mark.parametrize("mode", [Mode.DIRECTOR, Mode.EDITOR])
async def test_the_scene_at_hand_is_told_as_it_stands(starship: Path, mode: Mode) -> None:
    async with at_work(starship, []) as foreman:
        await in_mode(foreman, mode)
        for tier in TIERS.values():
            prompt = await foreman.prompt("Is it good?", model=tier, active=ActiveContext(file="ch01-sc01"))
            assert "“You kept it,” Marcus said, and didn't sit." in sent(prompt)
            assert "manuscript" in [layer.name for layer in prompt.layers]


@pytest.mark.parametrize("tier", TIERS)
async def test_the_passage_of_another_scene_that_was_asked_about_is_told(starship: Path, tier: str) -> None:
    rain = "\n\n".join(f"It rained on day {n}, and nobody came." for n in range(90))
    letter = rain.replace("It rained on day 40,", "The letter said that the berth was sold,")
    (starship / "manuscript" / "ch02-sc01.md").write_text(letter, encoding="utf-8")
    (starship / "manuscript" / "ch03-sc01.md").write_text("Gulls, and no ship.", encoding="utf-8")
    async with at_work(starship, []) as foreman:
        await in_mode(foreman, Mode.EDITOR)
        here = ActiveContext(file="ch01-sc01")
        asked = await foreman.prompt("What did the letter say?", model=TIERS[tier], active=here)
        assert "The letter said that the berth was sold" in sent(asked)
        assert "“You kept it,” Marcus said" in sent(asked)
        plain = await foreman.prompt("And now?", model=TIERS[tier], active=here)
        assert "It rained" not in sent(plain)


async def test_which_passages_of_other_scenes_are_told_and_which_are_not_is_shown(starship: Path) -> None:
    (starship / "manuscript" / "ch02-sc01.md").write_text("The letter was short.", encoding="utf-8")
    (starship / "manuscript" / "ch03-sc01.md").write_text("Gulls, and no ship.", encoding="utf-8")
    async with at_work(starship, []) as foreman:
        await in_mode(foreman, Mode.EDITOR)
        here = ActiveContext(file="ch01-sc01")
        for message, untold in {"What did the letter say?": 1, "And now?": 2}.items():
            prompt = await foreman.prompt(message, model=TIERS["full"], active=here)
            notes = {layer.name: layer.note for layer in prompt.layers}
            assert notes.get("passages") == ("manuscript/ch02-sc01.md, paragraphs 1-1 of 1" if untold == 1 else None)
            assert any(f"manuscript: {untold} of 2 other scenes" in spot for spot in prompt.blind_spots)


async def test_an_edit_of_the_words_that_were_shown_is_made(starship: Path) -> None:
    edit = acting("apply_edit", target="ch01-sc01", find="and didn't sit", replace="and stayed by the door")
    async with at_work(starship, [saying("Done.", edit)]) as foreman:
        await in_mode(foreman, Mode.EDITOR)
        await heard(foreman, "Let him stay by the door.", active=ActiveContext(file="ch01-sc01"))
    assert "stayed by the door" in (starship / "manuscript" / "ch01-sc01.md").read_text(encoding="utf-8")


async def test_another_passage_is_brought_when_it_is_asked_for(starship: Path) -> None:
    long = "\n\n".join(f"Paragraph {n} of the crossing." for n in range(1, 40))
    (starship / "manuscript" / "ch02-sc01.md").write_text(long, encoding="utf-8")
    asked = acting("read_scene", target="Chapter 2, Scene 1", **{"from": "12", "to": "14"})
    model = ScriptedModel([saying("Let me look.", asked), saying("There it is.")])
    async with at_work(starship, model) as foreman:
        await heard(foreman, "What happens on the crossing?")
    brought = model.requests[1].messages[-1].text
    assert "manuscript/ch02-sc01.md, paragraphs 12-14 of 39" in brought
    assert "Paragraph 13 of the crossing." in brought
    assert "Paragraph 15 of" not in brought


async def test_the_scaffold_of_a_scene_comes_from_its_file(starship: Path) -> None:
    (starship / "scaffolds").mkdir()
    plan = "---\nbeat_alignment: Midpoint\npov_character: Elena\n---\n## Scene goal\n\nShe learns the berth.\n"
    (starship / "scaffolds" / "ch01-sc01.md").write_text(plan, encoding="utf-8")
    async with at_work(starship, []) as foreman:
        await in_mode(foreman, Mode.DIRECTOR)
        told = sent(await foreman.prompt("Go on.", model=TIERS["full"], active=ActiveContext(file="ch01-sc01")))
        assert "<scene_goal>She learns the berth.</scene_goal>" in told
        assert "<scene_context>" in told


async def test_a_field_edited_by_hand_wins_over_the_decision_and_one_command_settles_it(starship: Path) -> None:
    decided = NewDecision(category="character", key="elena_fatal_flaw", value="Pride in her seamanship")
    async with at_work(starship, []) as foreman:
        await foreman.decide(decided)
        prompt = sent(await foreman.prompt("And now?", model=TIERS["full"]))
        assert "trusts nobody" in prompt
        assert '<entry category="character" key="elena_fatal_flaw">Pride' not in prompt
        (alert,) = [one for one in (await foreman.view()).alerts if one.check == "decision_differs"]
        assert "Pride in her seamanship" in alert.text
        await foreman.settle("elena_fatal_flaw", "decision")
        page = (starship / "story-bible" / "protagonist.md").read_text(encoding="utf-8")
        assert "Pride in her seamanship" in page
        assert "trusts nobody" not in page
        await foreman.undo()
        await foreman.settle("Elena: fatal flaw", "file")
        assert "trusts nobody" in (await foreman.decisions())[0].value
        assert not [one for one in (await foreman.view()).alerts if one.check == "decision_differs"]
        with pytest.raises(NotFound, match="those that do: none"):
            await foreman.settle("elena_fatal_flaw", "file")


async def test_a_preference_saved_without_a_kind_is_remembered(starship: Path) -> None:
    async with at_work(starship, []) as foreman:
        await foreman.decide(NewDecision(category="preference", key="spelling", value="Use British spellings"))
        told = sent(await foreman.prompt("And now?", model=TIERS["full"]))
        assert "<preference>Use British spellings</preference>" in told
