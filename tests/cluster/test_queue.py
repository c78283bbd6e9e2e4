"""The queue and its workers, on a real Postgres: who starts what, and what happens when a worker dies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dramaturg.cluster.left_runs import LeftRuns, leave_unplayable
from dramaturg.cluster.queue import RunQueue
from dramaturg.cluster.worker import REST_SECONDS, QueueEngine, queue_of
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidSettings, KeyRejected
from dramaturg.kernel.runs import Holder, Kinds, LocalEngine, Run, RunLibrary
from dramaturg.kernel.settings import QueueSettings, Settings
from dramaturg.kernel.store import RunRecord, open_store
from tests.contracts.machines import RestingKind
from tests.said import Said, SaidKind

LEASE = 2.0


class PatientKind(SaidKind):
    """A recital that may wait in a queue."""

    patient = True


@dataclass
class Process:
    """A process among several, and the runs that it has begun."""

    name: str
    library: RunLibrary
    engine: QueueEngine
    local: LocalEngine
    began: list[str] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, about: str = "{}") -> Run:
        return await self.library.create("said", "recital", config=about)


Open = Callable[..., Awaitable[Process]]


@pytest.fixture
async def process(postgres_settings: Settings) -> AsyncIterator[Open]:
    """Opens processes that share a database. Their runs wait at the process's gate."""
    async with AsyncExitStack() as stack:

        async def opened(name: str, *, has_key: bool = True, **queue: object) -> Process:
            settings = postgres_settings.model_copy(update={"queue": QueueSettings(enabled=True, **queue)})
            return await stack.enter_async_context(_process(settings, name, has_key=has_key))

        yield opened


@asynccontextmanager
async def _process(settings: Settings, name: str, *, has_key: bool) -> AsyncIterator[Process]:
    store = await open_store(settings)

    async def play(run: Run) -> None:
        made.began.append(run.id)
        if not has_key:
            raise KeyRejected("house needs a key and HOUSE_KEY is not set.")
        await run.append(Said(text=f"begun by {name}"))
        await made.gate.wait()
        await run.append(Said(text=f"ended by {name}"))

    library = RunLibrary(store, Clock(), Kinds.of([PatientKind(play), RestingKind(play)]), lease=LEASE)
    library.holder = Holder(name, 7, "42@elsewhere")
    leave_unplayable(local := LocalEngine(library), LeftRuns(library, store.database, seconds=3))
    made = Process(name, library, QueueEngine(local, library, store.database, settings), local)
    try:
        yield made
    finally:
        made.gate.set()
        await made.engine.close()
        await store.close()


async def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0.01)


async def test_a_run_is_played_at_once_where_there_is_a_place_and_queued_where_there_is_none(process: Open) -> None:
    server, worker = await process("server", places=1), await process("worker")
    first, second = await server.run(), await server.run()
    here = server.engine.start(server.library.perform(first))
    elsewhere = server.engine.start(server.library.perform(second))
    await until(lambda: server.began == [first.id])
    worker.engine.work()
    await until(lambda: worker.began == [second.id])
    worker.gate.set()
    server.gate.set()
    await asyncio.gather(here, elsewhere)
    log = [entry.event for entry in (await server.library.open(second.id)).entries]
    assert [event.type for event in log] == ["run.released", "run.adopted", "said", "said"]
    assert (await server.library.get(second.id)).status == "ended"


async def test_a_turn_that_a_person_waits_for_is_never_queued(process: Open) -> None:
    server = await process("server", places=1)
    server.engine.elsewhere = True
    session = await server.library.create("resting", "talk")
    server.engine.start(server.library.perform(session))
    await until(lambda: server.began == [session.id])


async def test_what_somebody_watches_goes_before_rows_of_batches(process: Open) -> None:
    server, worker = await process("server"), await process("worker")
    server.engine.elsewhere = True
    runs = [await server.run('{"batch": "b", "line": 1}'), await server.run('{"takes": "t"}'), await server.run()]
    tasks = [server.engine.start(server.library.perform(run)) for run in runs]
    await until_queued(server, [run.id for run in runs])
    worker.gate.set()
    worker.engine.work(places=1)
    await asyncio.gather(*tasks)
    assert worker.began[0] == runs[2].id
    assert len(worker.began) == 3


async def until_queued(process: Process, run_ids: list[str]) -> None:
    while await process.engine.queue.waiting(run_ids) != set(run_ids):
        await asyncio.sleep(0.02)


async def test_workers_play_no_more_than_their_places_and_batches_no_more_than_their_limit(process: Open) -> None:
    server = await process("server")
    workers = [await process(name, batch=3) for name in ("one", "two")]
    server.engine.elsewhere = True
    runs = [await server.run('{"batch": "b"}') for _ in range(7)]
    tasks = [server.engine.start(server.library.perform(run)) for run in runs]
    for worker in workers:
        worker.engine.work(places=2)
    began = lambda: sum(len(worker.began) for worker in workers)  # noqa: E731
    await until(lambda: began() == 3)
    watched = server.engine.start(server.library.perform(await server.run()))
    await until(lambda: began() == 4)  # the limit of batches does not hold it up
    await until_queued(server, [run.id for run in runs if not any(run.id in worker.began for worker in workers)])
    assert all(len(worker.began) <= 2 for worker in workers)
    for worker in workers:
        worker.gate.set()
    await asyncio.gather(*tasks, watched)


async def test_the_run_of_a_worker_that_dies_goes_on_elsewhere_when_its_lease_is_over(process: Open) -> None:
    server, dead, alive = await process("server"), await process("dead"), await process("alive")
    server.engine.elsewhere = True
    run = await server.run()
    task = server.engine.start(server.library.perform(run))
    dead.engine.work()
    await until(lambda: dead.began == [run.id])
    dead.library.leases.close()  # nothing is heard of it any more
    for one in dead.engine._workers:
        one.cancel()
    alive.gate.set()
    alive.engine.work()
    await asyncio.wait([task])
    assert alive.began == [run.id]
    texts = [entry.event.text for entry in (await server.library.open(run.id)).entries if isinstance(entry.event, Said)]
    assert texts == ["begun by dead", "begun by alive", "ended by alive"]


async def test_a_worker_that_is_told_to_stop_hands_back_what_it_plays(process: Open) -> None:
    server, first, second = await process("server"), await process("first"), await process("second")
    server.engine.elsewhere = True
    run = await server.run()
    task = server.engine.start(server.library.perform(run))
    first.engine.work()
    await until(lambda: first.began == [run.id])
    await first.engine.drain(5)
    second.gate.set()
    second.engine.work()
    await task
    assert second.began == [run.id]
    log = [entry.event.type for entry in (await server.library.open(run.id)).entries]
    assert log.count("run.released") == 2


async def test_a_worker_without_the_key_leaves_runs_to_one_that_has_it(process: Open) -> None:
    server, without, worker = await process("server"), await process("without", has_key=False), await process("worker")
    server.engine.elsewhere = True
    without.engine.work(places=2)
    runs = [await server.run() for _ in range(4)]
    tasks = [server.engine.start(server.library.perform(run)) for run in runs]
    await until(lambda: len(without.began) >= 2)
    worker.gate.set()
    worker.engine.work()
    await asyncio.gather(*tasks)
    assert {(await server.library.get(run.id)).status for run in runs} == {"ended"}
    assert sorted(worker.began) == sorted(run.id for run in runs)


async def test_a_run_that_no_worker_has_the_key_for_fails_and_says_so(process: Open) -> None:
    server, without = await process("server"), await process("without", has_key=False)
    server.engine.elsewhere = True
    without.engine.work(places=8)
    run = await server.run()
    await server.engine.start(server.library.perform(run))
    log = [entry.event for entry in (await server.library.open(run.id)).entries]
    assert [event.type for event in log] == [
        "run.released", "run.adopted", "run.released", "run.adopted", "run.stopped"
    ]  # fmt: skip
    assert log[-1].code == "KEY_REJECTED"
    assert (await server.library.get(run.id)).status == "failed"


async def test_a_worker_that_rests_because_it_lacks_a_key_stops_at_once(process: Open) -> None:
    server, without = await process("server"), await process("without", has_key=False)
    run = await server.run()
    await server.library.release(run)
    without.engine.work(places=1)
    await until(lambda: without.began == [run.id])
    async with asyncio.timeout(REST_SECONDS - 2):
        await without.engine.drain(0)


async def test_a_job_that_is_given_twice_plays_its_run_once(process: Open) -> None:
    server, worker = await process("server"), await process("worker")
    run = await server.run()
    await server.library.release(run)
    for _ in range(3):
        await server.engine.queue.put(run.id)
    worker.gate.set()
    worker.engine.work()
    await until(lambda: worker.began == [run.id])
    await server.engine.queue.put(run.id)
    again = await server.run()
    await server.library.release(again)
    await server.engine.queue.put(again.id)
    await until(lambda: len(worker.began) == 2)
    assert worker.began == [run.id, again.id]


async def test_a_run_that_nobody_plays_is_queued_again_and_one_that_waits_is_left_alone(process: Open) -> None:
    server = await process("server")
    lost, waits, held = await server.run(), await server.run(), await server.run()
    for run in (lost, waits):
        await server.library.release(run)
    await server.engine.queue.put(waits.id, "batch")
    assert await server.engine.sweep() == [lost.id]
    assert await server.engine.sweep() == []
    assert await server.engine.queue.waiting([lost.id, waits.id, held.id]) == {lost.id, waits.id}


async def test_a_queued_run_can_be_cancelled_before_anybody_plays_it(process: Open) -> None:
    server, worker = await process("server"), await process("worker")
    server.engine.elsewhere = True
    run = await server.run()
    server.engine.start(server.library.perform(run))
    await until_queued(server, [run.id])
    assert await server.engine.cancel(run.id)
    assert (await server.library.get(run.id)).status == "stopped"
    worker.gate.set()
    worker.engine.work()
    other = await server.run()
    await server.engine.start(server.library.perform(other))
    assert worker.began == [other.id]


def test_workers_need_postgres(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="stored in SQLite"):
        RunQueue(Settings(project=tmp_path)).check()


@pytest.mark.parametrize(
    ("config", "queue"),
    [("{}", "interactive"), ('{"batch": ', "interactive"), ('{"batch": "x"}', "batch"), ('{"takes": "x"}', "batch")],
)
def test_rows_and_takes_wait_behind_what_is_watched(config: str, queue: str) -> None:
    record = RunRecord(
        id="x", kind="said", name="n", status="playing", created_at=0, updated_at=0, seed=0, config=config
    )
    assert queue_of(record) == queue
