"""What a draft is written from is in its receipt, and its scaffold says through whose eyes it is told."""

from __future__ import annotations

from pathlib import Path

from dramaturg.workshop.front import Workshop
from tests.workshop.drafts.cases import SCAFFOLD, book, drafted
from tests.workshop.thread.books import FILES, write_book
from tests.workshop.workroom import at_work

PLAN = "---\nword_target: 300\nscene_goal: Ruth hides her green eyes from Tom\n---\n"


async def receipts(foreman: Workshop, fact: str) -> list[tuple[str, str]]:
    return [(one.where, one.said) for one in (await foreman.thread.pull(fact)).strands if one.way == "receipt"]


async def test_a_thread_leads_from_a_fact_to_the_draft_whose_prompts_told_it(tmp_path: Path) -> None:
    write_book(tmp_path, {**FILES, "scaffolds/ch02-sc01.md": PLAN})
    async with at_work(tmp_path) as foreman:
        draft = await drafted(foreman, {"target": "ch02-sc01"})
        assert await receipts(foreman, "Ruth eye colour green") == [
            (draft.run, "a draft of a scene of manuscript/ch02-sc01.md")
        ]
        assert await receipts(foreman, "Will occupation Hope") == []


async def test_without_a_scaffold_it_is_what_the_story_bible_and_the_brief_tell(tmp_path: Path) -> None:
    write_book(tmp_path, {"story-bible/ruth.md": FILES["story-bible/ruth.md"]})
    async with at_work(tmp_path) as foreman:
        draft = await drafted(
            foreman, {"target": "ch01-sc01", "brief": "Ruth, who owns the brass key, waits.", "words": 200}
        )
        assert [run for run, _ in await receipts(foreman, "Ruth owns brass key")] == [draft.run]
        assert await receipts(foreman, "Ruth eye colour green") == []


async def test_the_rehearsal_company_tells_a_scene_through_the_eyes_that_its_scaffold_names(tmp_path: Path) -> None:
    project = book(tmp_path)
    plan = project / "scaffolds" / "ch04-sc02.md"
    for pov, name in (("Marcus Tell (close third)", "Marcus"), ("the widow", "the widow"), ("", "Elena")):
        plan.write_text(SCAFFOLD.replace("pov: Elena\n", f"pov: {pov}\n" if pov else ""), encoding="utf-8")
        async with at_work(project) as foreman:
            draft = await drafted(foreman, {"target": "ch04-sc02", "strategies": ["ACTION"]})
        text = draft.variants[0].text
        assert name in text
        assert [other for other in ("Marcus", "widow", "Elena") if other in text and other not in name] == []
