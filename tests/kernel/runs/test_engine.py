"""Playing runs as tasks: how each end is marked, and what is taken up again."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import BudgetExceeded, InvalidConfig, RunFenced
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.runs import (
    Holder,
    Kinds,
    LocalEngine,
    ModelAnswered,
    Performance,
    Run,
    RunAdopted,
    RunLibrary,
    RunStopped,
)
from dramaturg.kernel.store import Row, Store
from tests.said import Said, SaidKind, recite


def played(run: Run, play: Callable[[Run], Awaitable[None]]) -> Performance:
    return Performance(run, SaidKind(play))


async def wait_for_ever(run: Run) -> None:
    await run.append(Said(text="0"))
    await asyncio.Event().wait()


async def said(library: RunLibrary, run_id: str) -> list[str]:
    run = await library.open(run_id)
    return [entry.event.text for entry in run.entries if isinstance(entry.event, Said)]


async def stopped(library: RunLibrary, run_id: str) -> list[RunStopped]:
    run = await library.open(run_id)
    return [entry.event for entry in run.entries if isinstance(entry.event, RunStopped)]


def a_dead_process() -> Holder:
    process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    here = Holder.here()
    process.communicate()
    return Holder(here.host, process.pid, "1")


async def orphan(library: RunLibrary, store: Store, player: str, status: str = "playing") -> str:
    """A run with one line said, held by another player."""
    run = await library.create("said", "hello")
    await run.append(Said(text="0"))
    await store.runs.adopt(run.id, player, 1.0)
    await store.runs.mark(run.id, status, 1.0, lease=15.0 if status == "playing" else 0.0)
    return run.id


async def die_playing(library: RunLibrary, store: Store, run_id: str, answer: str = "") -> None:
    """A process takes the run up, perhaps has an answer, and dies."""
    run = await library.adopt(await library.get(run_id))
    await run.append(RunAdopted(player="another"))
    if answer:
        await run.append(ModelAnswered(key=answer, purpose="acting", answer=ModelAnswer(text="…", model="m")))
    await store.runs.adopt(run_id, "", 1.0)


async def test_a_run_that_plays_to_its_end_is_ended(library: RunLibrary) -> None:
    engine = LocalEngine(library)
    run = await library.create("said", "hello")
    await engine.start(played(run, recite))
    assert (await library.get(run.id)).status == run.record.status == "ended"
    assert await said(library, run.id) == ["0", "1", "2"]


async def test_a_run_that_fails_is_failed_with_the_reason_and_its_task_raises_it(library: RunLibrary) -> None:
    async def too_dear(run: Run) -> None:
        await run.append(Said(text="0"))
        raise BudgetExceeded("The budget of 1 USD is spent.")

    engine = LocalEngine(library)
    run = await library.create("said", "hello")
    with pytest.raises(BudgetExceeded):
        await engine.start(played(run, too_dear))
    assert (await library.get(run.id)).status == "failed"
    assert await stopped(library, run.id) == [
        RunStopped(reason="The budget of 1 USD is spent.", code="BUDGET_EXCEEDED")
    ]


async def test_a_mistake_of_ours_fails_the_run_too(library: RunLibrary) -> None:
    async def mistaken(run: Run) -> None:
        raise KeyError("beat")

    engine = LocalEngine(library)
    run = await library.create("said", "hello")
    engine.start(played(run, mistaken))
    await engine.join()
    assert (await library.get(run.id)).status == "failed"
    assert await stopped(library, run.id) == [RunStopped(reason="KeyError: 'beat'", code="INTERNAL")]


async def test_a_run_that_is_cancelled_is_stopped_and_plays_on_when_resumed(library: RunLibrary) -> None:
    engine = LocalEngine(library)
    run = await library.create("said", "hello")
    task = engine.start(played(run, wait_for_ever))
    async for _ in library.tail(run.id):
        break
    assert await engine.cancel(run.id)
    assert task.cancelled()
    assert (await library.get(run.id)).status == "stopped"
    assert [event.reason for event in await stopped(library, run.id)] == ["cancelled"]
    assert not await engine.cancel(run.id)

    await (await engine.resume(run.id))
    assert await said(library, run.id) == ["0", "1", "2"]
    record = await library.get(run.id)
    assert (record.status, record.adoptions) == ("ended", 1)


async def test_a_run_that_is_cancelled_before_its_first_step_is_stopped(library: RunLibrary) -> None:
    engine = LocalEngine(library)
    run = await library.create("said", "hello")
    engine.start(played(run, recite))
    await engine.cancel(run.id)
    assert (await library.get(run.id)).status == "stopped"
    assert await said(library, run.id) == []


async def test_a_second_cancellation_does_not_keep_the_run_from_being_stopped(library: RunLibrary) -> None:
    engine = LocalEngine(library)
    run = await library.create("said", "hello")
    task = engine.start(played(run, wait_for_ever))
    async for _ in library.tail(run.id):
        break
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await engine.join()
    assert (await library.get(run.id)).status == "stopped"
    assert len(await stopped(library, run.id)) == 1


async def test_closing_the_engine_stops_what_still_plays(library: RunLibrary) -> None:
    engine = LocalEngine(library)
    runs = [await library.create("said", "hello") for _ in range(3)]
    for run in runs:
        engine.start(played(run, wait_for_ever))
    await engine.close()
    assert {record.status for record in await library.find()} == {"stopped"}


def test_the_end_of_the_event_loop_stops_what_still_plays(tmp_path) -> None:
    from dramaturg.kernel.settings import Settings
    from dramaturg.kernel.store import open_store
    from tests.said import KINDS

    async def leave_it_playing() -> str:
        store = await open_store(Settings(project=tmp_path))
        library = RunLibrary(store, StillClock(), KINDS)
        run = await library.create("said", "hello")
        LocalEngine(library).start(played(run, wait_for_ever))
        await asyncio.sleep(0)
        return run.id

    async def look(run_id: str) -> None:
        store = await open_store(Settings(project=tmp_path))
        library = RunLibrary(store, StillClock(), KINDS)
        assert (await library.get(run_id)).status == "stopped"
        assert len(await stopped(library, run_id)) == 1
        await store.close()

    asyncio.run(look(asyncio.run(leave_it_playing())))


async def test_a_fenced_run_is_left_to_the_other_player(library: RunLibrary) -> None:
    async def overtaken(run: Run) -> None:
        await (await library.open(run.id)).append(Said(text="from the other player"))
        await run.append(Said(text="too late"))

    engine = LocalEngine(library)
    run = await library.create("said", "hello")
    with pytest.raises(RunFenced):
        await engine.start(played(run, overtaken))
    assert (await library.get(run.id)).status == "playing"
    assert await said(library, run.id) == ["from the other player"]
    assert await stopped(library, run.id) == []


async def test_a_run_is_played_once_at_a_time(library: RunLibrary) -> None:
    engine = LocalEngine(library)
    run = await library.create("said", "hello")
    engine.start(played(run, wait_for_ever))
    with pytest.raises(RunFenced, match="already"):
        engine.start(played(run, recite))
    with pytest.raises(RunFenced, match="is being played already"):
        await engine.resume(run.id)
    await engine.close()


async def test_a_run_that_ended_is_not_resumed(library: RunLibrary) -> None:
    engine = LocalEngine(library)
    run = await library.create("said", "hello")
    await engine.start(played(run, recite))
    with pytest.raises(InvalidConfig, match="fork it"):
        await engine.resume(run.id)


@pytest.mark.parametrize("status", ["stopped", "failed"])
async def test_a_run_that_another_process_stopped_is_resumed(
    library: RunLibrary, local_store: Store, status: str
) -> None:
    live = Holder.here()
    run_id = await orphan(library, local_store, f"{live.host}/{os.getppid()}/x", status)
    await (await LocalEngine(library).resume(run_id))
    assert await said(library, run_id) == ["0", "1", "2"]


async def test_unfinished_runs_of_dead_processes_are_taken_up_and_others_left_alone(
    library: RunLibrary, local_store: Store
) -> None:
    dead = await orphan(library, local_store, str(a_dead_process()))
    nobodys = await orphan(library, local_store, "")
    elsewhere = await orphan(library, local_store, "another-machine/1/1")
    living = await orphan(library, local_store, str(Holder.of(os.getppid())))
    resting = await orphan(library, local_store, str(a_dead_process()), status="stopped")
    own = await library.create("said", "not started yet")

    engine = LocalEngine(library)
    taken = await engine.resume_unfinished()
    await engine.join()
    assert {run.id for run in taken} == {dead, nobodys}
    assert await said(library, dead) == ["0", "1", "2"]
    statuses = {record.id: record.status for record in await library.find()}
    assert statuses[dead] == statuses[nobodys] == "ended"
    assert statuses[elsewhere] == statuses[living] == statuses[own.id] == "playing"
    assert statuses[resting] == "stopped"
    assert await engine.resume_unfinished() == []


async def test_a_run_of_a_kind_nobody_here_plays_is_left(library: RunLibrary, local_store: Store) -> None:
    await orphan(library, local_store, "")
    assert await LocalEngine(RunLibrary(local_store, StillClock(), Kinds({}))).resume_unfinished() == []


async def test_of_two_engines_that_take_up_the_same_run_one_plays_it(library: RunLibrary, local_store: Store) -> None:
    run_id = await orphan(library, local_store, str(a_dead_process()))
    engines = [LocalEngine(library), LocalEngine(library)]
    taken = await asyncio.gather(*(engine.resume_unfinished() for engine in engines))
    for engine in engines:
        await engine.join()
    assert sorted(len(runs) for runs in taken) == [0, 1]
    assert await said(library, run_id) == ["0", "1", "2"]


async def test_a_run_that_brings_down_its_process_is_not_taken_up_for_ever(
    library: RunLibrary, local_store: Store
) -> None:
    run_id = await orphan(library, local_store, "")
    for _ in range(3):
        await die_playing(library, local_store, run_id)
    assert await LocalEngine(library).resume_unfinished() == []
    assert (await library.get(run_id)).status == "failed"
    [reason] = await stopped(library, run_id)
    assert reason.code == "GAVE_UP"


async def test_a_run_that_makes_progress_is_taken_up_however_old_it_is(library: RunLibrary, local_store: Store) -> None:
    run_id = await orphan(library, local_store, "")
    for n in range(10):
        await die_playing(library, local_store, run_id, answer=f"beat-{n}/alice")
    engine = LocalEngine(library)
    [taken] = await engine.resume_unfinished()
    await engine.join()
    assert (taken.id, (await library.get(run_id)).status) == (run_id, "ended")


async def test_a_run_resumed_by_hand_after_it_was_given_up_has_its_three_tries_again(
    library: RunLibrary, local_store: Store
) -> None:
    run_id = await orphan(library, local_store, "")
    for _ in range(3):
        await die_playing(library, local_store, run_id)
    engine = LocalEngine(library)
    assert await engine.resume_unfinished() == []
    await engine.adopt(run_id)
    await local_store.runs.adopt(run_id, "", 1.0)
    [taken] = await engine.resume_unfinished()
    await engine.join()
    assert (taken.id, (await library.get(run_id)).status) == (run_id, "ended")


async def test_a_run_that_cannot_be_read_does_not_keep_the_others_from_being_taken_up(
    library: RunLibrary, local_store: Store
) -> None:
    unknown = (await library.create("said", "x")).record.model_copy(update={"id": "unread", "player": ""})
    await local_store.runs.add(unknown, [Row(1, 1.0, "sung", False, b'{"type":"sung"}')])
    readable = await orphan(library, local_store, "")
    engine = LocalEngine(library)
    taken = await engine.resume_unfinished()
    await engine.close()
    assert [run.id for run in taken] == [readable]
    assert (await library.get("unread")).player == ""
