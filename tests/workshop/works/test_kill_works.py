"""Whatever moment its process dies at, a long work is finished by the next one, and nothing is asked twice."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from dramaturg.kernel.runs import answers
from dramaturg.kernel.store import Store
from dramaturg.workshop.front import Workshop
from tests import warm
from tests.child import clean_environment
from tests.workshop.workroom import at_work
from tests.workshop.works.cases import CASES, TABLE, CountingCompany, WorkCase, copy_book, documents
from tests.workshop.works.mortal import Death, Life, MortalStore

ROOT = Path(__file__).parents[3]


def mortal(life: Life) -> Any:
    def opened(store: Store) -> Any:
        return MortalStore(store, life)

    return opened


async def start(foreman: Workshop, case: WorkCase) -> str:
    request = foreman.works.read(case.name, case.request)
    return (await foreman.works.start(case.name, request)).id


async def read(foreman: Workshop, case: WorkCase) -> tuple[str, list[Any]]:
    """How the one run of a work ended."""
    resources = foreman._resources
    (record,) = await resources.runs.find(kind=case.name)
    return record.status, documents(foreman.works.kind(case.name), await resources.runs.open(record.id))


async def played(folder: Path, case: WorkCase) -> tuple[list[str], list[Any], int]:
    """A work that nobody kills: what was asked, what came of it, and how often it wrote."""
    life, company = Life(), CountingCompany()
    async with at_work(folder, company, works=TABLE, opened=mortal(life)) as foreman:
        before = life.writes
        run = await start(foreman, case)
        await foreman.works.wait(run)
        status, found = await read(foreman, case)
        assert status == "ended"
        return company.keys, found, life.writes - before


async def until_dead(folder: Path, case: WorkCase, at: int, *, before: bool) -> list[str]:
    """The same work in a process that dies at its n-th write; what it had asked for by then."""
    life, company = Life(at, before=before), CountingCompany()
    try:
        async with at_work(folder, company, works=TABLE, opened=mortal(life)) as foreman:
            run = await start(foreman, case)
            await foreman.works.wait(run)
    except Death:
        pass
    return company.keys


async def in_the_log(foreman: Workshop, case: WorkCase) -> set[str]:
    """The questions whose answers are stored."""
    runs = foreman._resources.runs
    found = [await runs.open(record.id) for record in await runs.find(kind=case.name)]
    return {answered.key for run in found for answered in answers(run.entries)}


async def taken_up(folder: Path, case: WorkCase) -> tuple[list[str], str, list[Any]]:
    """What the next process asks for, and what comes of it; it starts the work if the first one never did."""
    company = CountingCompany()
    async with at_work(folder, company, works=TABLE) as foreman:
        resources, stored = foreman._resources, await in_the_log(foreman, case)
        for record in await resources.runs.find(kind=case.name):
            if record.status == "playing":  # held by this very process, so it is not taken up by itself here
                await resources.engine.resume(record.id)
        if not await resources.runs.find(kind=case.name):
            await start(foreman, case)
        await resources.engine.join()
        assert not stored & set(company.keys), "an answer that is stored was asked for again"
        return company.keys, *await read(foreman, case)


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_work_that_dies_at_any_write_is_finished_and_asks_nothing_twice(
    tmp_path: Path, case: WorkCase, before: bool
) -> None:
    asked, whole, writes = await played(copy_book(tmp_path / "whole"), case)
    for at in range(1, writes + 1):
        folder = copy_book(tmp_path / f"{at}")
        first = await until_dead(folder, case, at, before=before)
        second, status, found = await taken_up(folder, case)
        assert (status, found) == ("ended", whole), f"write {at} of {writes}"
        assert len(first) == len(set(first))
        assert len(second) == len(set(second))
        assert set(first) | set(second) == set(asked)


PROGRAM = """
import asyncio, sys
from pathlib import Path
from tests.workshop.workroom import at_work
from tests.workshop.works.cases import CASES, TABLE, CountingCompany
from tests.workshop.works.mortal import Life, MortalStore
from tests.workshop.works.test_kill_works import start

async def main():
    folder, name, at, before = sys.argv[1:]
    life = Life(int(at), before=before == "before", kill=True)
    company = CountingCompany()
    case = next(one for one in CASES if one.name == name)
    opened = lambda store: MortalStore(store, life)
    async with at_work(Path(folder), company, works=TABLE, opened=opened) as foreman:
        await foreman.works.wait(await start(foreman, case))

asyncio.run(main())
"""


async def killed(folder: Path, case: WorkCase, at: int, when: str) -> int:
    process = await warm.start(
        "-c", PROGRAM, str(folder), case.name, str(at), when,
        cwd=ROOT, env=clean_environment(folder, PYTHONPATH=os.pathsep.join([str(ROOT / "src"), str(ROOT)])),
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    return await process.wait()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_after_kill_9_the_next_process_takes_the_work_up_by_itself(
    tmp_path: Path, case: WorkCase, when: str
) -> None:
    asked, whole, writes = await played(copy_book(tmp_path / "whole"), case)
    folder = copy_book(tmp_path / "killed")
    at = max(2, writes // 2)
    assert await killed(folder, case, at, when) == -signal.SIGKILL
    company = CountingCompany()
    async with at_work(folder, company, works=TABLE) as foreman:
        stored = await in_the_log(foreman, case)
        (row,) = await foreman.works.rows()
        reported = (await foreman.works.detail(row.run)).result is not None
        assert ("Its process died. Resume it with: dramaturg runs resume" in row.said) != reported
        taken = await foreman._resources.engine.resume_unfinished()
        assert [one.kind.name for one in taken] == [case.name]
        await foreman._resources.engine.join()
        status, found = await read(foreman, case)
        assert (status, found) == ("ended", whole)
        assert set(company.keys) | stored == set(asked)
        assert not stored & set(company.keys)
        assert len(company.keys) == len(set(company.keys))
