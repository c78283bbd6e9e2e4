"""What a long work wrote can be undone like any action: a scaffold, and an import over scenes that it changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dramaturg.kernel.errors import DramaturgError, InvalidConfig, NotFound
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.manuscripts.intake.applied import MEMORY, ImportFiles
from dramaturg.workshop.manuscripts.readers.folder import read_one
from tests.workshop.thread.books import held
from tests.workshop.workroom import acting, at_work, heard, saying
from tests.workshop.works.cases import copy_book

NOVEL = "# Chapter 1\n\n“Four,” said Ruth.\n\n* * *\n\nNobody had opened the letter.\n"
LATER = "# Chapter 1\n\n“Five,” said Ruth.\n\n* * *\n\nIt was dark.\n\n* * *\n\nNobody had opened the letter.\n"


async def worked(foreman: Workshop, name: str, **request: Any) -> str:
    run = await foreman.works.start(name, foreman.works.read(name, request))
    await foreman.works.wait(run.id)
    return run.id


async def imported(foreman: Workshop, text: str) -> list[str]:
    plan = await foreman.manuscripts.plan((read_one("novel.md", text.encode()),))
    await foreman.manuscripts.apply(plan)
    return [one.kind for one in plan.files]


async def test_a_scaffold_that_was_generated_is_undone_to_the_byte(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    before = held(project)
    async with at_work(project) as foreman:
        run = await worked(foreman, "scaffold", scene="ch02-sc01")
        assert (project / "scaffolds/ch02-sc01.md").is_file()
        (row, *_) = await foreman.undoable()
        assert (row.act, row.action, row.blocked) == (run, "scaffold", "")
        assert (await foreman.undo()).said.startswith("Taken back: scaffolds/ch02-sc01.md")
        assert held(project) == before
        with pytest.raises(NotFound, match="nothing left to undo"):
            await foreman.undo()


async def test_what_a_scaffold_filled_in_is_taken_out_again_and_the_writers_lines_stay(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    plan = project / "scaffolds/ch02-sc01.md"
    plan.parent.mkdir(exist_ok=True)
    plan.write_bytes("\ufeff---\r\npov: Marcus\r\n---\r\n\r\nMy own words.\r\n".encode())
    before = held(project)
    async with at_work(project) as foreman:
        await worked(foreman, "scaffold", scene="ch02-sc01")
        assert held(project) != before
        await foreman.undo()
        assert held(project) == before


async def test_works_and_decisions_are_undone_in_the_order_in_which_they_were_made(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    async with at_work(project) as foreman:
        await worked(foreman, "scaffold", scene="ch02-sc01")
        await foreman.decide(NewDecision(category="world", key="tide", value="twice a day"))
        assert "tide" in (await foreman.undo()).said
        assert "ch02-sc01" in (await foreman.undo()).said


async def test_a_scaffold_that_the_writer_edited_since_is_left_alone(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    async with at_work(project) as foreman:
        run = await worked(foreman, "scaffold", scene="ch02-sc01")
        plan = project / "scaffolds/ch02-sc01.md"
        plan.write_text(plan.read_text("utf-8") + "\nMine.\n", encoding="utf-8")
        with pytest.raises(InvalidConfig, match="has changed since"):
            await foreman.undo(run)
        await foreman.undo(run, keep_file=True)
        assert "Mine." in plan.read_text("utf-8")


async def test_the_foreman_is_told_that_its_scaffold_was_taken_back(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    answers = [saying("Good.", acting("save_decision", category="world", key="tide", value="high")), saying("I see.")]
    async with at_work(project, answers) as foreman:
        await foreman.decide(NewDecision(category="world", key="moon", value="two"))
    async with at_work(project) as foreman:
        await worked(foreman, "scaffold", scene="ch02-sc01")
    async with at_work(project, answers) as foreman:
        await heard(foreman, "The tide is high.")
        assert [one.action for one in await foreman.undoable()] == ["save_decision", "scaffold", "save_decision"]
        await foreman.undo((await foreman.undoable())[1].act)
        assert "Taken back: scaffolds/ch02-sc01.md" in (await foreman.prompt("And now?")).system


async def test_an_import_over_changed_scenes_is_undone_and_the_next_one_brings_it_again(tmp_path: Path) -> None:
    async with at_work(tmp_path) as foreman:
        assert await imported(foreman, NOVEL) == ["new", "new"]
        first, memory = held(tmp_path), (tmp_path / "data" / MEMORY).read_bytes()
        assert await imported(foreman, LATER) == ["changed", "new", "moved"]
        later = held(tmp_path)
        assert "Five" in later["manuscript/ch01-sc01.md"].decode()
        await foreman.undo()
        assert held(tmp_path) == first
        assert (tmp_path / "data" / MEMORY).read_bytes() == memory
        assert await imported(foreman, LATER) == ["changed", "new", "moved"]
        assert held(tmp_path) == later
        await foreman.undo()
        await foreman.undo()
        assert held(tmp_path) == {}
        assert await imported(foreman, NOVEL) == ["new", "new"]


async def test_an_import_is_undone_whole_or_not_at_all(tmp_path: Path) -> None:
    async with at_work(tmp_path) as foreman:
        await imported(foreman, NOVEL)
        await imported(foreman, LATER)
        (tmp_path / "manuscript/ch01-sc02.md").write_text("Mine.\n", encoding="utf-8")
        mine = held(tmp_path)
        with pytest.raises(InvalidConfig, match="ch01-sc02.md has changed since".replace(".", r"\.")):
            await foreman.undo()
        assert held(tmp_path) == mine
        assert await foreman.works.rows()


async def test_a_disk_that_refuses_one_file_of_an_import_leaves_nothing_half_written(tmp_path: Path) -> None:
    async with at_work(tmp_path) as foreman:
        await imported(foreman, NOVEL)
        first = held(tmp_path)
        sources = (read_one("novel.md", LATER.encode()),)
        plan = await foreman.manuscripts.plan(sources)
        (tmp_path / "manuscript/ch01-sc03.md" / "in-the-way").mkdir(parents=True)
        with pytest.raises(DramaturgError):
            await foreman.manuscripts.apply(plan)
        (tmp_path / "manuscript/ch01-sc03.md" / "in-the-way").rmdir()
        (tmp_path / "manuscript/ch01-sc03.md").rmdir()
        assert held(tmp_path) == first
        assert await imported(foreman, LATER) == ["changed", "new", "moved"]


async def test_a_plan_that_was_overtaken_by_another_import_is_refused(tmp_path: Path) -> None:
    async with at_work(tmp_path) as foreman:
        overtaken = await foreman.manuscripts.plan((read_one("novel.md", NOVEL.encode()),))
        files = ImportFiles(tmp_path, tmp_path / "data")
        was, changes = files.memory(), files.changes(overtaken, "r")
        await imported(foreman, LATER)
        later = held(tmp_path)
        with pytest.raises(InvalidConfig, match="Another manuscript was imported since"):
            files.carry_out(overtaken, was, changes)
        assert held(tmp_path) == later


@pytest.mark.parametrize("plan", ["nothing", "../../novel", "A" * 64])
async def test_a_plan_that_is_not_there_is_not_found(tmp_path: Path, plan: str) -> None:
    async with at_work(tmp_path) as foreman:
        with pytest.raises(NotFound, match="There is no import planned"):
            await worked(foreman, "import", plan=plan)
    assert held(tmp_path) == {}


async def test_an_import_without_a_plan_brings_nothing_and_says_so(tmp_path: Path) -> None:
    async with at_work(tmp_path) as foreman:
        run = await worked(foreman, "import")
        assert "nothing came in" in (await foreman.works.detail(run)).said
        assert await foreman.undoable() == ()
