"""Leases on both databases: the database's clock decides, whatever the machines think."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Collection
from dataclasses import replace

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import RunFenced, StoreBlocked
from dramaturg.kernel.models.port import Message, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.models.wrappers import Limited
from dramaturg.kernel.runs import Holder, LocalEngine, RunLibrary
from dramaturg.kernel.runs.leases import Leased, elapsed
from dramaturg.kernel.settings import Settings, StoreSettings
from dramaturg.kernel.store import open_store
from dramaturg.kernel.store.database import Conflict, Database, Statement, Transaction
from dramaturg.kernel.store.notices import Wakeups
from dramaturg.kernel.store.port import Lease
from dramaturg.kernel.store.run_registry import SqlRunRegistry
from tests.contracts.machines import LEASE, Machine, machine, time_passes
from tests.postgres import RestartableServer, restartable_postgres
from tests.said import KINDS, Said


@pytest.fixture
async def one(store_settings: Settings) -> AsyncIterator[Machine]:
    async with machine(store_settings, "one") as made:
        yield made


@pytest.fixture
async def two(store_settings: Settings) -> AsyncIterator[Machine]:
    async with machine(store_settings, "two", clock=StillClock(0.0)) as made:
        yield made


async def test_a_lease_lasts_as_long_by_the_databases_clock_whatever_the_machine_thinks(one: Machine) -> None:
    run = await one.library.create("said", "hello")
    [[left]] = await one.store.database.read(
        Statement(f"SELECT lease_until - {one.store.database.now} FROM runs WHERE id = '{run.id}'", {})
    )
    assert 0 < left <= LEASE


async def test_a_lease_from_before_the_databases_clock_went_back_is_over(one: Machine, two: Machine) -> None:
    run = await one.library.create("said", "hello")
    await one.write("UPDATE runs SET lease_until = lease_until + 3600")
    assert (await two.library.get(run.id)).lease == 0
    assert await two.take_up() == [run.id]


async def test_a_run_that_rests_or_has_ended_has_no_lease(one: Machine) -> None:
    run = await one.library.create("said", "hello")
    await one.library.mark(run, "stopped")
    assert (await one.library.get(run.id)).lease == 0
    await one.library.leases.renew()
    assert (await one.library.get(run.id)).lease == 0
    await one.library.mark(run, "playing")
    assert (await one.library.get(run.id)).lease > 0


async def test_a_run_that_nobody_has_in_hand_any_more_keeps_no_lease(one: Machine, two: Machine) -> None:
    run_id = (await one.library.create("said", "hello")).id
    await one.write(time_passes(250))
    await one.library.leases.renew()
    await one.write(time_passes(100))
    assert await two.take_up() == [run_id]


async def test_a_dead_process_of_this_machine_frees_its_runs_at_once_where_only_this_machine_uses_the_store(
    one: Machine, two: Machine
) -> None:
    here = Holder.here()
    one.library.holder = replace(here, pid=2**22 + 1)
    run = await one.library.create("said", "hello")
    taken = await two.take_up()
    assert taken == ([run.id] if one.store.database.is_local else [])


async def test_a_live_process_of_a_version_without_leases_keeps_its_runs_where_it_can_be_seen(
    one: Machine, two: Machine
) -> None:
    one.library.holder = Holder.of(os.getppid())
    run = await one.library.create("said", "hello")
    await one.write("UPDATE runs SET lease_until = 0, generation = 0")
    assert await two.take_up() == ([] if one.store.database.is_local else [run.id])


async def test_a_question_that_waited_for_room_past_the_lease_is_not_sent(one: Machine, two: Machine) -> None:
    run = await one.library.create("said", "hello")
    places, asked = asyncio.Semaphore(1), []
    scripted = ScriptedModel(lambda request: asked.append(request) or "Yes.")
    model = Leased(Limited(scripted, places), run, one.library.leases)
    request = ModelRequest("beat-1/alice", "acting", "", (Message("user", "Well?"),), 10)
    async with places:
        waiting = asyncio.ensure_future(model.complete(request))
        await asyncio.sleep(0)
        await two.write(time_passes(301))
        await two.engine.adopt(run.id)
        run.leased_until = elapsed() - 1
    with pytest.raises(RunFenced, match="taken over"):
        await waiting
    assert asked == []


async def test_runs_whose_leases_are_over_at_the_same_moment_are_renewed_by_one_statement(one: Machine) -> None:
    runs = [await one.library.create("said", f"hello {number}") for number in range(40)]
    asked: list[int] = []
    renew = one.store.runs.renew

    async def counted(player: str, run_ids: Collection[str], lease: float) -> list[Lease]:
        asked.append(len(run_ids))
        return await renew(player, run_ids, lease)

    one.store.runs.renew = counted  # type: ignore[method-assign]
    for run in runs:
        run.leased_until = elapsed() - 1
    await asyncio.gather(*(one.library.leases.check(run) for run in runs))
    assert asked == [40]
    assert all(run.leased_until > elapsed() for run in runs)
    runs[0].leased_until = elapsed() - 1
    await one.library.leases.check(runs[0])
    assert asked == [40, 40]


async def test_a_lease_that_ran_out_while_others_are_renewed_is_not_believed(one: Machine, two: Machine) -> None:
    run, other = [await one.library.create("said", name) for name in ("hello", "goodbye")]
    run.leased_until = other.leased_until = elapsed() - 1
    await two.write(time_passes(301))
    await two.engine.adopt(run.id)
    checked = await asyncio.gather(
        *(one.library.leases.check(one_run) for one_run in (other, run)), return_exceptions=True
    )
    assert checked[0] is None
    assert isinstance(checked[1], RunFenced)


async def test_the_log_and_the_registry_change_hands_together_or_not_at_all(one: Machine, two: Machine) -> None:
    run = await one.library.create("said", "hello")
    await run.append(Said(text="0"))
    await two.write(time_passes(301))
    await two.engine.adopt(run.id)
    before = await two.library.get(run.id)
    for late in (one.library.mark(run, "stopped"), one.library.mark_record(run.record, "failed")):
        with pytest.raises(RunFenced):
            await late
    await one.library.release(run)
    after = await two.library.get(run.id)
    assert (after.player, after.status, after.generation) == (before.player, "playing", 2)


async def test_a_database_that_is_away_for_longer_than_a_lease_takes_no_run_from_its_player(tmp_path) -> None:
    with restartable_postgres() as server:
        await away_and_back(server, Settings(project=tmp_path, store=StoreSettings(url=server.url)))


async def away_and_back(server: RestartableServer, settings: Settings) -> None:
    store = await open_store(settings)
    library = RunLibrary(store, StillClock(), KINDS)
    engine = LocalEngine(library)
    run = await library.create("said", "hello")
    await asyncio.to_thread(server.stop)
    run.leased_until = elapsed() - 1
    with pytest.raises(StoreBlocked):
        await library.leases.check(run)
    await asyncio.to_thread(server.start)
    await library.leases.check(run)
    await engine.start(library.perform(run))
    assert (await library.get(run.id)).status == "ended"
    await store.close()


async def test_a_process_stopped_in_a_transaction_does_not_keep_others_from_taking_its_run(
    postgres_settings: Settings,
) -> None:
    """Its locks are freed before its lease is over."""
    async with machine(postgres_settings, "one") as one:
        [[limit]] = await one.store.database.read(Statement("SHOW idle_in_transaction_session_timeout", {}))
    assert limit == "10s"


class Deadlocked:
    """A database that ends the first transaction for the sake of another."""

    def __init__(self, database: Database) -> None:
        self._database, self.ended = database, 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._database, name)

    def write(self, transaction: Transaction, *, small: bool = False) -> asyncio.Future:
        if self.ended:
            return self._database.write(transaction, small=small)
        self.ended += 1
        refused = asyncio.get_running_loop().create_future()
        refused.set_exception(Conflict())
        return refused


async def test_a_renewal_that_met_a_deadlock_is_tried_again(one: Machine) -> None:
    run = await one.library.create("said", "hello")
    database = Deadlocked(one.store.database)
    [lease] = await SqlRunRegistry(database, Wakeups()).renew(str(one.library.holder), [run.id], 300.0)
    assert (lease.run_id, database.ended) == (run.id, 1)
