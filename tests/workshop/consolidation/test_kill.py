"""A consolidation that dies at any write: its batch is there whole or not at all, and nothing is asked twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import open_store
from dramaturg.workshop.consolidation.store import ConsolidationStore
from dramaturg.workshop.consolidation.work import ConsolidationRequest
from dramaturg.workshop.graph.store import GraphStore
from tests.workshop.consolidation.manuscripts import prose
from tests.workshop.workroom import at_work
from tests.workshop.works.cases import TABLE, CountingCompany, WorkCase
from tests.workshop.works.test_kill_works import played, taken_up, until_dead

CASE = WorkCase("consolidation")


def book(folder: Path) -> Path:
    prose(folder, "ch01", "Elena had green eyes. Marcus was 41 years old.")
    prose(folder, "ch02", "Elena had blue eyes in the morning light.")
    prose(folder, "ch03", "Ruth had black hair. Marcus died.")
    return folder


async def kept(folder: Path) -> tuple[int, int, int, int]:
    """Batches, facts of the prose, conflicts and texts that are stored."""
    store = await open_store(Settings(project=folder))
    try:
        ledger = await ConsolidationStore(store.database, "main").ledger()
        facts = (await GraphStore(store.database, "main").load()).facts
        read = sum(one.source == "extraction" for one in facts)
        return len(ledger.batches), read, len(ledger.conflicts), len(ledger.texts)
    finally:
        await store.close()


async def test_who_starts_it_again_is_told_of_the_answers_that_are_stored(tmp_path: Path) -> None:
    folder = book(tmp_path / "book")
    _, _, writes = await played(book(tmp_path / "whole"), CASE)
    await until_dead(folder, CASE, writes // 2, before=False)
    async with at_work(folder, CountingCompany(), works=TABLE) as foreman:
        (record,) = await foreman._resources.runs.find(kind=CASE.name)
        (remark,) = (await foreman.works.price(CASE.name, ConsolidationRequest())).remarks
        assert "came. Not finished." in remark
        assert remark.endswith(f"Resume it with: dramaturg runs resume {record.id}")
        await foreman._resources.engine.resume(record.id)
        await foreman._resources.engine.join()
        assert (await foreman.works.price(CASE.name, ConsolidationRequest())).remarks == ()


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
async def test_a_batch_is_there_whole_or_not_at_all(tmp_path: Path, before: bool) -> None:
    asked, whole, writes = await played(book(tmp_path / "whole"), CASE)
    complete = await kept(tmp_path / "whole")
    assert len(asked) == 3
    assert complete == (1, 5, 1, 3)
    seen = set()
    for at in range(1, writes + 1):
        folder = book(tmp_path / f"{at}")
        first = await until_dead(folder, CASE, at, before=before)
        state = await kept(folder)
        assert state in ((0, 0, 0, 0), complete), f"write {at} of {writes}"
        seen.add(state)
        second, status, found = await taken_up(folder, CASE)
        assert (status, found) == ("ended", whole), f"write {at} of {writes}"
        assert len({*first, *second}) == 3
        assert await kept(folder) == complete
    assert len(seen) == 2
