"""What every engine does on every database: it plays what it holds, and only that."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from dramaturg.kernel.errors import RunFenced, StoreBlocked
from dramaturg.kernel.runs import Entry, Holder, ModelAnswered, RunAdopted, RunLibrary, RunReleased, RunStopped
from dramaturg.kernel.runs.cancellation import cancel_run
from dramaturg.kernel.runs.engines import local
from dramaturg.kernel.runs.leases import elapsed
from dramaturg.kernel.runs.run import to_row
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Row, RunRecord
from tests.contracts.machines import ENGINES, MakeEngine, answered, machine, say_one_and_wait, time_passes
from tests.said import Said, recite


@pytest.fixture(params=list(ENGINES))
def make(request: pytest.FixtureRequest) -> MakeEngine:
    return ENGINES[request.param]


async def test_a_run_is_started_stopped_resumed_and_ends(store_settings: Settings, make: MakeEngine) -> None:
    async with machine(store_settings, "one", say_one_and_wait, make=make) as one:
        run = await one.library.create("said", "hello")
        await one.playing(run)
        assert one.engine.is_playing(run.id)
        assert await one.engine.cancel(run.id)
        assert (await one.library.get(run.id)).status == "stopped"
    async with machine(store_settings, "two", make=make) as two:
        await (await two.engine.resume(run.id))
        record = await two.library.get(run.id)
        assert (record.status, record.generation, record.lease) == ("ended", 2, 0)
        assert await two.types(run.id) == ["said", "run.stopped", "said", "said"]


async def test_a_lease_that_runs_is_respected_by_every_other_machine(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with (
        machine(store_settings, "one", say_one_and_wait, make=make) as one,
        machine(store_settings, "two", make=make) as two,
    ):
        run = await one.library.create("said", "hello")
        await one.playing(run)
        assert await two.take_up() == []
        with pytest.raises(RunFenced, match="one/7"):
            await two.engine.adopt(run.id)
        assert (await two.library.get(run.id)).player == "one/7/42@elsewhere"


async def test_who_comes_between_the_end_of_a_turn_and_its_release_waits_for_the_other_machine(
    store_settings: Settings, make: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        machine(store_settings, "one", make=make) as one,
        machine(store_settings, "two", make=make) as two,
    ):
        run = await one.library.create("resting", "hello")
        get, held = two.library.get, []

        async def get_while_it_is_let_go(run_id: str) -> RunRecord:
            record = await get(run_id)
            if two.library.is_held_elsewhere(record):
                held.append(record.player)
                if len(held) == 3:
                    await one.library.mark(run, "stopped")
            return record

        monkeypatch.setattr(two.library, "get", get_while_it_is_let_go)
        await two.engine.adopt(run.id)
        assert held == ["one/7/42@elsewhere"] * 3
        assert (await two.library.get(run.id)).player == "two/7/42@elsewhere"


async def test_two_machines_of_one_name_do_not_take_each_others_runs(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with (
        machine(store_settings, "twin", say_one_and_wait, make=make) as one,
        machine(store_settings, "twin", make=make) as two,
    ):
        here = Holder.here()
        one.library.holder = replace(here, pid=1, born="1@another-container")
        two.library.holder = replace(here, pid=1, born="2@a-third-container")
        run = await one.library.create("said", "hello")
        await one.playing(run)
        assert await two.take_up() == []
        assert one.engine.is_playing(run.id)


async def test_a_run_whose_lease_is_over_is_taken_up_once_and_goes_on(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with (
        machine(store_settings, "one", say_one_and_wait, make=make) as one,
        machine(store_settings, "two", make=make) as two,
        machine(store_settings, "three", make=make) as three,
    ):
        run = await one.library.create("said", "hello")
        await one.playing(run)
        await two.write(time_passes(200))
        assert await two.take_up() == []
        await two.write(time_passes(101))
        taken = await asyncio.gather(two.take_up(), three.take_up())
        assert sorted(taken) == [[], [run.id]]
        assert await two.types(run.id) == ["said", "run.adopted", "said", "said"]
        assert (await two.library.get(run.id)).status == "ended"


async def test_whoever_held_a_run_cannot_write_once_it_is_taken_even_if_the_other_has_said_nothing(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with (
        machine(store_settings, "one", say_one_and_wait, make=make) as one,
        machine(store_settings, "two", say_one_and_wait, make=make) as two,
    ):
        run = await one.library.create("said", "hello")
        await run.append(Said(text="0"))
        await two.write(time_passes(301))
        taken = await two.engine.adopt(run.id)
        assert [type(entry.event) for entry in taken.run.entries] == [Said, RunAdopted]
        with pytest.raises(RunFenced):
            await run.append(Said(text="too late"))
        with pytest.raises(RunFenced):
            await one.library.mark(run, "ended")
        assert (await two.library.get(run.id)).player == "two/7/42@elsewhere"


async def test_who_is_quicker_than_the_one_that_takes_over_keeps_the_run(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with (
        machine(store_settings, "one", make=make) as one,
        machine(store_settings, "two", make=make) as two,
    ):
        run = await one.library.create("said", "hello")
        await two.write(time_passes(301))
        seen = await two.library.get(run.id)
        await run.append(Said(text="0"))
        await one.library.leases.renew()
        with pytest.raises(RunFenced):
            await two.library.adopt(seen, RunAdopted(player="two"))
        await run.append(Said(text="1"))
        assert await one.types(run.id) == ["said", "said"]


async def test_an_entry_written_while_the_run_was_read_keeps_it_from_being_taken(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with (
        machine(store_settings, "one", make=make) as one,
        machine(store_settings, "two", make=make) as two,
    ):
        run = await one.library.create("said", "hello")
        await two.write(time_passes(301))
        seen = await two.library.open(run.id)
        await run.append(Said(text="0"))
        with pytest.raises(RunFenced):
            await two.library._take(seen, seen.record, _row_of(RunAdopted(player="two")))
        record = await two.library.get(run.id)
        assert (record.generation, record.player) == (1, "one/7/42@elsewhere")


async def test_a_run_at_rest_whose_log_has_grown_since_it_was_read_is_read_again_before_it_is_taken(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with (
        machine(store_settings, "one", make=make) as one,
        machine(store_settings, "two", make=make) as two,
    ):
        run = await one.library.create("said", "hello")
        await one.library.mark(run, "stopped")
        seen = await two.library.open(run.id)
        await run.append(Said(text="an answer that was still on its way"))
        with pytest.raises(RunFenced):
            await two.library._take(seen, seen.record)
        taken = await two.engine.adopt(run.id)
        assert [entry.event for entry in taken.run.entries] == [Said(text="an answer that was still on its way")]


def _row_of(event: RunAdopted) -> list[Row]:
    return [to_row(Entry(seq=1, at=1.0, event=event))]


async def test_a_process_renews_all_its_leases_at_once_and_learns_what_it_lost(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with (
        machine(store_settings, "one", say_one_and_wait, make=make) as one,
        machine(store_settings, "two", make=make) as two,
    ):
        runs = [await one.library.create("said", "hello") for _ in range(5)]
        for run in runs:
            await one.playing(run)
        await two.write(time_passes(250))
        await one.library.leases.renew()
        assert min([(await two.library.get(run.id)).lease for run in runs]) > 200
        await two.write(f"{time_passes(301)} WHERE id = '{runs[0].id}'")
        assert await two.take_up() == [runs[0].id]
        await one.library.leases.renew()
        await one.engine.settled(runs[0].id)
        assert [one.engine.is_playing(run.id) for run in runs] == [False, True, True, True, True]
        assert await two.types(runs[0].id) == ["said", "run.adopted", "said", "said"]


async def test_before_a_question_a_lease_that_is_over_is_renewed_or_the_question_not_asked(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with (
        machine(store_settings, "one", make=make) as one,
        machine(store_settings, "two", make=make) as two,
    ):
        run = await one.library.create("said", "hello")
        leases = one.library.leases
        await leases.check(run)
        run.leased_until = elapsed() - 1
        await leases.check(run)
        assert run.leased_until > elapsed()
        run.leased_until = elapsed() - 1
        await two.write(time_passes(301))
        await two.engine.adopt(run.id)
        with pytest.raises(RunFenced, match="taken over"):
            await leases.check(run)


async def test_a_run_at_rest_asks_nothing_more_once_another_machine_has_taken_it(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with (
        machine(store_settings, "one", make=make) as one,
        machine(store_settings, "two", make=make) as two,
    ):
        run = await one.library.create("resting", "hello")
        await one.library.mark(run, "stopped")
        await one.library.leases.check(run)
        await two.engine.adopt(run.id)
        with pytest.raises(RunFenced, match="taken over"):
            await one.library.leases.check(run)


async def test_a_run_at_rest_that_the_same_machine_takes_up_again_is_not_lost_to_it(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with machine(store_settings, "one", make=make) as one:
        run = await one.library.create("resting", "hello")
        await one.library.mark(run, "stopped")
        before = run.record
        await one.library.readopt(run, before)
        one.library.leases.drop(run)
        run.record = before  # the database knows the new generation, and the handle does not yet
        await one.library.leases.check(run)
        assert run.failure is None


async def test_a_run_is_cancelled_from_another_machine(store_settings: Settings, make: MakeEngine) -> None:
    async with (
        machine(store_settings, "one", say_one_and_wait, make=make) as one,
        machine(store_settings, "two", make=make) as two,
    ):
        run = await one.library.create("said", "hello")
        await one.playing(run)
        asking = asyncio.ensure_future(cancel_run(two.library, two.engine, run.id))
        assert (await asking).status == "stopped"
        await one.engine.settled(run.id)
        [stopped] = [e.event for e in (await two.library.open(run.id)).entries if isinstance(e.event, RunStopped)]
        assert stopped.code == "CANCELLED"


async def test_a_run_that_is_paused_while_somebody_resumes_it_is_not_taken_before_its_end_is_stored(
    store_settings: Settings, make: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "SETTLE_SECONDS", 0.01)
    async with machine(store_settings, "one", say_one_and_wait, make=make) as one:
        run = await one.library.create("said", "hello")
        await one.playing(run)
        at_rest, mark = local.at_rest, one.library.mark

        async def refuse(*_: object) -> None:
            raise StoreBlocked("the disk is full")

        async def look_as_it_pauses(library: RunLibrary, run_id: str) -> RunRecord:
            record = await at_rest(library, run_id)
            if one.engine.is_playing(run_id):
                monkeypatch.setattr(one.library, "mark", refuse)
                await one.engine.cancel(run_id)
            return record

        monkeypatch.setattr(local, "at_rest", look_as_it_pauses)
        with pytest.raises(StoreBlocked, match="is paused"):
            await one.engine.resume(run.id)
        monkeypatch.setattr(one.library, "mark", mark)
        assert (await one.library.get(run.id)).generation == run.record.generation


async def test_a_run_whose_player_is_gone_is_cancelled_by_anybody(store_settings: Settings, make: MakeEngine) -> None:
    async with machine(store_settings, "two", make=make) as two:
        async with machine(store_settings, "one", make=make) as one:
            run = await one.library.create("said", "hello")
        await two.write(time_passes(301))
        assert (await cancel_run(two.library, two.engine, run.id)).status == "stopped"
        assert await two.types(run.id) == ["run.adopted", "run.stopped"]


async def test_a_request_to_stop_does_not_outlive_what_it_was_for(store_settings: Settings, make: MakeEngine) -> None:
    async with machine(store_settings, "one", make=make) as one:
        run = await one.library.create("said", "hello")
        await one.store.runs.ask_to_stop(run.id)
        await one.library.mark(run, "stopped")
        await (await one.engine.resume(run.id))
        assert (await one.library.get(run.id)).status == "ended"


async def test_what_is_handed_back_is_taken_up_at_once_and_does_not_count_towards_giving_up(
    store_settings: Settings, make: MakeEngine
) -> None:
    run_id = ""
    for name in ("one", "two", "three", "four", "five", "six"):
        async with machine(store_settings, name, say_one_and_wait, make=make) as here:
            if not run_id:
                run = await here.library.create("said", "hello")
                run_id = run.id
                await here.playing(run)
            else:
                assert [one.id for one in await here.engine.resume_unfinished()] == [run_id]
            await here.engine.drain(0)
            record = await here.library.get(run_id)
            assert (record.status, record.player, record.lease) == ("playing", "", 0)
    async with machine(store_settings, "last", make=make) as last:
        assert await last.take_up() == [run_id]
        assert (await last.library.get(run_id)).status == "ended"
        events = [entry.event for entry in (await last.library.open(run_id)).entries]
        assert sum(isinstance(event, RunReleased) for event in events) == 6
        assert not any(isinstance(event, RunStopped) for event in events)


async def test_what_a_late_request_starts_in_a_process_that_ends_is_handed_back_too(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with machine(store_settings, "one", say_one_and_wait, make=make) as one:
        await one.engine.drain(0)
        run = await one.library.create("said", "hello")
        await one.playing(run)
        await one.engine.close()
        record = await one.library.get(run.id)
        assert (record.status, record.player) == ("playing", "")
        assert "run.stopped" not in await one.types(run.id)
    async with machine(store_settings, "two", make=make) as two:
        assert await two.take_up() == [run.id]
        assert (await two.library.get(run.id)).status == "ended"


async def test_turns_finish_before_the_rest_is_handed_back(store_settings: Settings, make: MakeEngine) -> None:
    told = asyncio.Event()

    async def wait_then_recite(run: object) -> None:
        await told.wait()
        await recite(run)  # type: ignore[arg-type]

    async with machine(store_settings, "one", wait_then_recite, make=make) as one:
        turn, scene = await one.library.create("resting", "a turn"), await one.library.create("said", "a scene")
        for run in (turn, scene):
            one.engine.start(one.library.perform(run))
        draining = asyncio.ensure_future(one.engine.drain(600))
        await asyncio.sleep(0)
        assert one.engine.is_playing(turn.id)
        told.set()
        await draining
        assert (await one.library.get(turn.id)).status == "stopped"
        assert await one.types(turn.id) == ["said", "said", "said"]


async def test_a_run_that_dies_without_progress_is_given_up_whatever_its_kind_and_progress_counts(
    store_settings: Settings, make: MakeEngine
) -> None:
    async with machine(store_settings, "two", say_one_and_wait, make=make) as two:
        made = {kind: (await two.library.create(kind, "hello")).id for kind in ("said", "resting")}
        healthy = await two.library.create("said", "healthy")
    for life in range(4):
        async with machine(store_settings, f"life-{life}", make=make) as one:
            await one.write(time_passes(1000))
            for record in await one.library.abandoned():
                run = await one.library.adopt(record, RunAdopted(player="x"))
                if run.id == healthy.id:
                    await run.append(answered(f"beat-{life}"))
    async with machine(store_settings, "last", make=make) as last:
        await last.write(time_passes(1000))
        assert await last.take_up() == [healthy.id]
        assert (await last.library.get(made["said"])).status == "failed"
        assert (await last.library.get(made["resting"])).status == "stopped"
        entries = (await last.library.open(healthy.id)).entries
        assert sum(isinstance(entry.event, ModelAnswered) for entry in entries) == 4
