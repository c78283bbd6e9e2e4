"""A thread is pulled: everything that rests on a fact comes along, and nothing that only looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.foreman.receipt import ForemanReceipt
from dramaturg.workshop.thread.values import PulledThread
from tests.workshop.thread.books import FILES, SECOND, write_book
from tests.workshop.workroom import acting, at_work, heard, saying

EYES = "Ruth eye colour green"


def places(thread: PulledThread) -> set[tuple[str, str, str]]:
    return {(one.kind, one.way, one.quote) for one in thread.strands}


async def test_a_fact_leads_to_sentences_scaffolds_pages_and_decisions(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        await foreman.decide(NewDecision(category="character", key="ruth_eyes", value="green, never blue"))
        found = await foreman.thread.pull(EYES)
    assert found.fact is not None
    assert found.fact.said == "Ruth has eyes of the colour green"
    assert ("sentence", "quote", "Her eyes were the colour of the sea in March.") in places(found)
    assert ("sentence", "words", "Tom saw her green eyes first.") in places(found)
    assert ("scaffold", "words", "scene_goal: Tom notices that Ruth has green eyes") in places(found)
    assert ("page", "words", "Ruth has green eyes, like her mother.") in places(found)
    assert ("decision", "words", "green, never blue") in places(found)
    assert not any("boat" in one.quote for one in found.strands)


async def test_a_fact_leads_to_the_promises_that_rest_on_it(tmp_path: Path) -> None:
    write_book(tmp_path)
    rows = (
        "promises:\n"
        "  - promise: the eyes\n"
        "    what: Ruth's green eyes are recognised\n"
        "    planted: {scene: ch01-sc01, quote: Tom saw her}\n"
        "  - {promise: the boat, what: the green boat is sold}\n"
    )
    (tmp_path / "story-bible" / "promises.yaml").write_text(rows, encoding="utf-8")
    async with at_work(tmp_path) as foreman:
        found = await foreman.thread.pull(EYES)
    (held,) = [one for one in found.strands if one.kind == "ledger"]
    assert (held.where, held.quote) == ("story-bible/promises.yaml", "Ruth's green eyes are recognised")
    assert held.said.startswith("the eyes, ")


async def test_every_strand_stands_where_it_says(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        found = await foreman.thread.pull(EYES)
    for one in found.strands:
        text = FILES[one.where]
        assert text[one.start :].startswith(one.quote)
        assert text.count("\n", 0, one.start) == one.line - 1


async def test_words_that_find_several_facts_give_a_list_and_a_number_gives_one(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        several = await foreman.thread.pull("Ruth")
        assert several.fact is None
        assert len(several.choices) > 1
        assert several.said.startswith(f"{len(several.choices)} facts have these words")
        none = await foreman.thread.pull("a unicorn")
        assert (none.fact, none.choices, none.said) == (None, (), "No fact has these words.")
        one = await foreman.thread.pull(f"#{several.choices[0].id}")
        assert one.fact is not None
        assert one.fact.id == several.choices[0].id
        with pytest.raises(NotFound, match="no fact 9999"):
            await foreman.thread.pull("9999")
        with pytest.raises(InvalidConfig, match="by its number"):
            await foreman.thread.pull("  ")


async def test_a_part_of_a_name_that_nobody_else_has_is_enough(tmp_path: Path) -> None:
    eyes = "{subject: Corvin Sayle, predicate: eye_colour, object: green}"
    corvin = f"---\nkind: character\nname: Corvin Sayle\nfacts:\n  - {eyes}\n---\n"
    other = "---\nkind: character\nname: Corvin Brandt\n---\n"
    scene = "Sayle had very green eyes.\n\nCorvin was in the green room.\n"
    files = {"story-bible/sayle.md": corvin, "story-bible/brandt.md": other, "manuscript/ch01-sc01.md": scene}
    async with at_work(write_book(tmp_path, files)) as foreman:
        found = await foreman.thread.pull("Corvin Sayle eye colour green")
    assert [one.quote for one in found.strands if one.kind == "sentence"] == ["Sayle had very green eyes."]


async def test_a_name_that_is_a_common_word_is_not_found_in_the_common_word(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        found = await foreman.thread.pull("Will works as Hope")
    assert [one.way for one in found.strands] == ["quote"]


async def test_a_fact_that_was_retired_meanwhile_is_shown_as_such_and_not_changed(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        number = (await foreman.thread.pull("Ruth owns brass key")).fact
        assert number is not None
        page = tmp_path / "story-bible/ruth.md"
        page.write_text(page.read_text("utf-8").replace("the brass key", "the iron key"), encoding="utf-8")
        found = await foreman.thread.pull(str(number.id))
        assert found.said.endswith("It no longer holds.")
        request = foreman.works.read("retcon", {"fact": str(number.id), "value": "the tin key"})
        with pytest.raises(InvalidConfig, match=r"no longer holds.*What holds now: .*the iron key"):
            await foreman.works.price("retcon", request)


async def test_a_fact_in_no_sentence_rests_on_its_decision_alone(tmp_path: Path) -> None:
    write_book(tmp_path, {"manuscript/ch01-sc01.md": "The rain began.\n"})
    async with at_work(tmp_path) as foreman:
        await foreman.decide(NewDecision(category="character", key="ada_occupation", value="a cartographer"))
        run = await foreman.works.start("consolidation", foreman.works.read("consolidation", {"reads": False}))
        await foreman.works.wait(run.id)
        found = await foreman.thread.pull("Ada cartographer")
        assert [(one.kind, one.way, one.said) for one in found.strands] == [("decision", "quote", "ada_occupation")]
        assert found.said.endswith("1 place rests on it.")


async def test_what_the_foreman_made_of_a_prompt_that_told_the_fact_is_found_by_its_receipt(tmp_path: Path) -> None:
    write_book(tmp_path)
    answer = saying("I noted it.", acting("save_decision", category="world", key="harbour", value="It never freezes."))
    async with at_work(tmp_path, [answer]) as foreman:
        await foreman.change_mode(force=True)
        await foreman.change_mode(force=True)
        await heard(foreman, "What about Ruth and her eyes?")
        turn = (await foreman.conversation()).turns[1]
        told = [one.said for one in turn.prompts[0].receipt.facts]
        assert "Ruth has eyes of the colour green" in told
        found = await foreman.thread.pull(EYES)
        made = [one for one in found.strands if one.way == "receipt"]
    assert [(one.kind, one.where) for one in made] == [("passage", "turn 1")]
    assert "harbour" in made[0].said


async def test_a_long_work_names_the_facts_of_its_prompts(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        run = await foreman.works.start("analysis", foreman.works.read("analysis", {"scene": "ch01-sc02"}))
        await foreman.works.wait(run.id)
        found = await foreman.thread.pull(EYES)
    assert [(one.where, one.said) for one in found.strands if one.way == "receipt"] == [
        (run.id, "an analysis of a scene of manuscript/ch01-sc02.md")
    ]


def test_a_receipt_of_an_earlier_version_names_no_fact_and_can_be_read() -> None:
    stored = {"model": "m", "tier": "full", "tokens": 9, "reserve": 1, "layers": []}
    assert ForemanReceipt.model_validate(stored).facts == ()
    assert "facts" not in ForemanReceipt.model_validate(stored).model_dump()


async def test_a_quotation_that_moved_is_followed(tmp_path: Path) -> None:
    write_book(tmp_path)
    async with at_work(tmp_path) as foreman:
        await foreman.thread.pull(EYES)
        place = tmp_path / "manuscript/ch01-sc02.md"
        place.write_text(SECOND.replace("Will opened", "A long time went by.\n\nWill opened"), encoding="utf-8")
        found = await foreman.thread.pull(EYES)
    assert [one.line for one in found.strands if "sea in March" in one.quote and one.where.endswith("sc02.md")]
