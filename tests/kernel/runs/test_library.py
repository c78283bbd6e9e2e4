"""Finding, opening, forking and following runs."""

from __future__ import annotations

import asyncio
import re

import pytest
from pydantic import TypeAdapter

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import InvalidConfig, NotFound, RunFenced, StoreUnavailable
from dramaturg.kernel.runs import Holder, Kinds, RunForked, RunLibrary
from dramaturg.kernel.runs.ids import ALPHABET, new_id, normal
from dramaturg.kernel.store import RunRecord, Store
from tests.said import Said, SaidKind, Thought


def given_id(run_id: str, created_at: float = 1.0, **changes: object) -> RunRecord:
    return RunRecord.model_validate(
        {
            "id": run_id,
            "kind": "said",
            "name": "hello",
            "status": "stopped",
            "created_at": created_at,
            "updated_at": 1.0,
            **changes,
        }
    )


def test_an_id_is_short_sorts_by_time_and_has_no_letters_to_mistake() -> None:
    ids = [new_id(now) for now in (0, 1_759_501_938.7, 1_759_501_940.1, 30_000_000_000)]
    assert ids == sorted(ids)
    assert all(len(run_id) == 18 and set(run_id) <= set(ALPHABET) for run_id in ids)
    assert len({new_id(1.0) for _ in range(1000)}) == 1000


def test_an_id_is_understood_as_people_type_it() -> None:
    assert normal(" 1NFJ-6brO il ") == "1nfj6br011"


async def test_a_new_run_is_this_processs_and_playing(library: RunLibrary) -> None:
    run = await library.create("said", "hello", seed=3, config='{"a":1}')
    stored = await library.get(run.id)
    assert stored.model_dump() == run.record.model_dump()
    assert (stored.generation, 0 < stored.lease <= 15) == (1, True)
    assert run.record.player == str(Holder.here())
    assert (run.record.status, run.record.seed, run.record.config) == ("playing", 3, '{"a":1}')


async def test_an_unknown_kind_or_an_immense_seed_is_refused_before_anything_is_written(library: RunLibrary) -> None:
    with pytest.raises(NotFound, match=r"'sung' \(known here: said\)"):
        await library.create("sung", "hello")
    with pytest.raises(InvalidConfig, match="too large"):
        await library.create("said", "hello", seed=2**63)
    assert await library.find() == []


def test_a_kind_must_be_able_to_read_the_kernels_own_events(local_store: Store) -> None:
    with pytest.raises(ValueError, match=r"'said' must include the kernel's own 'run.forked'"):
        RunLibrary(local_store, StillClock(), Kinds.of([SaidKind(events=TypeAdapter(Said))]))._kinds["said"]


async def test_a_run_opens_with_its_log(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    await run.append(Said(text="a"), Thought(text="b", weight=0.1))
    again = await library.open(run.id)
    assert list(again.entries) == list(run.entries)
    assert again.record.model_dump() == run.record.model_dump()


async def test_a_run_opens_by_a_beginning_that_no_other_has(library: RunLibrary, local_store: Store) -> None:
    for run_id in ("1nfj5yaaaa", "1nfj5ybbbb"):
        await local_store.runs.add(given_id(run_id))
    assert (await library.open("1NFJ5YA")).id == "1nfj5yaaaa"
    with pytest.raises(NotFound, match=r"several runs: 1nfj5ybbbb \(hello\), 1nfj5yaaaa \(hello\)"):
        await library.open("1nfj5y")


async def test_a_run_whose_id_begins_another_opens_by_its_whole_id(library: RunLibrary, local_store: Store) -> None:
    for run_id in ("1nfj5y", "1nfj5ybbbb"):
        await local_store.runs.add(given_id(run_id))
    assert (await library.open("1nfj5y")).id == "1nfj5y"


async def test_a_whole_id_is_not_taken_for_the_beginning_of_another(library: RunLibrary, local_store: Store) -> None:
    whole = new_id(1.0)
    await local_store.runs.add(given_id(f"{whole}zz"))
    with pytest.raises(NotFound, match=f"There is no run '{whole}'"):
        await library.get(whole)
    assert (await library.get(whole[:-1])).id == f"{whole}zz"


async def test_a_run_that_is_not_there_is_told_with_the_nearest_or_the_latest(
    library: RunLibrary, local_store: Store
) -> None:
    with pytest.raises(NotFound, match="nor any other yet"):
        await library.open("1nfj5ya")
    for i, run_id in enumerate(("1nfj5yaaaa", "1nfj5ybbbb")):
        await local_store.runs.add(given_id(run_id, created_at=i))
    with pytest.raises(NotFound, match=re.escape("Did you mean: 1nfj5yaaaa (hello), 1nfj5ybbbb (hello)?")):
        await library.open("1nfj5yaaab")
    with pytest.raises(NotFound, match=re.escape("The latest are: 1nfj5ybbbb (hello), 1nfj5yaaaa (hello).")):
        await library.open("apology")
    with pytest.raises(NotFound, match="There is no run"):
        await library.get("caf\udce9")
    with pytest.raises(NotFound, match="'1nf' is too short to be the beginning of a run's id"):
        await library.open("1nf")
    with pytest.raises(NotFound):
        await library.open("")


async def test_an_entry_that_cannot_be_read_is_named(library: RunLibrary, local_store: Store) -> None:
    run = await library.create("said", "hello")
    await run.append(Said(text="a"))
    only_thoughts = SaidKind()
    only_kernel = RunLibrary(local_store, StillClock(), Kinds.of([only_thoughts]))
    assert only_kernel.kind_of(run.record) is only_thoughts
    only_thoughts.events = TypeAdapter(Thought)
    with pytest.raises(StoreUnavailable, match=rf"Entry 1 of run {run.id} \('said'\) cannot be read"):
        await only_kernel.open(run.id)


async def test_a_fork_is_a_copy_up_to_an_entry_that_says_so(library: RunLibrary) -> None:
    run = await library.create("said", "hello", seed=5, config='{"a":1}')
    await run.append(*(Said(text=str(i)) for i in range(5)))
    forked = await library.fork(run.id, 3, note="angrier")
    assert list(forked.entries[:3]) == list(run.entries[:3])
    assert [entry.event for entry in forked.entries[3:]] == [RunForked(parent=run.id, at=3, note="angrier")]
    assert (forked.record.parent_id, forked.record.forked_at) == (run.id, 3)
    assert (forked.seed, forked.record.config, forked.name) == (5, '{"a":1}', "hello")
    await forked.append(Said(text="other"))
    await run.append(Said(text="5"))
    assert list((await library.open(forked.id)).entries) == list(forked.entries)
    assert list((await library.open(run.id)).entries) == list(run.entries)


@pytest.mark.parametrize("at", [-1, 3])
async def test_a_fork_at_an_entry_that_is_not_there_is_refused(library: RunLibrary, at: int) -> None:
    run = await library.create("said", "hello")
    await run.append(Said(text="a"), Said(text="b"))
    with pytest.raises(NotFound, match=f"no entry {at}"):
        await library.fork(run.id, at)
    assert len(await library.find()) == 1


async def test_following_gives_what_is_there_then_what_comes_and_ends_with_the_run(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    await run.append(Said(text="before"), Thought(text="hidden"))

    async def follow(**how) -> list[str]:
        return [entry.event.text async for entry in library.tail(run.id, **how)]

    following = [
        asyncio.create_task(follow(**how)) for how in ({}, {"audience": "hidden"}, {"after": 2, "audience": "hidden"})
    ]
    await asyncio.sleep(0)
    await run.append(Said(text="meanwhile"), Thought(text="hidden too"))
    await library.mark(run, "ended")
    assert await asyncio.gather(*following) == [
        ["before", "meanwhile"],
        ["before", "hidden", "meanwhile", "hidden too"],
        ["meanwhile", "hidden too"],
    ]


async def test_following_a_long_log_gives_all_of_it(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    await run.append(*(Said(text=str(i)) for i in range(1100)))
    await library.mark(run, "stopped")
    assert [entry.seq async for entry in library.tail(run.id)] == list(range(1, 1101))


async def test_following_a_run_that_is_deleted_ends(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    await run.append(Said(text="a"))
    following = library.tail(run.id)
    assert (await anext(following)).event == Said(text="a")
    await library.delete(run.id)
    with pytest.raises(StopAsyncIteration):
        await anext(following)
    with pytest.raises(NotFound):
        await library.open(run.id)


async def test_a_run_that_is_deleted_while_it_is_opened_is_not_there(
    library: RunLibrary, local_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await library.create("said", "hello")
    await run.append(Said(text="one"))
    found = await library.get(run.id)

    async def get(run_id: str) -> RunRecord:
        await local_store.runs.remove(run_id)
        return found

    monkeypatch.setattr(library, "get", get)
    with pytest.raises(NotFound, match=f"no run '{run.id}'"):
        await library.open(run.id)


async def test_a_run_that_is_deleted_while_it_is_played_fences_its_player(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    await library.delete(run.id[:12])
    with pytest.raises(RunFenced, match="gone"):
        await run.append(Said(text="a"))


async def test_runs_are_found_by_kind_and_status(library: RunLibrary) -> None:
    runs = [await library.create("said", str(i)) for i in range(3)]
    await library.mark(runs[1], "ended")
    assert runs[1].record.status == "ended"
    assert [record.name for record in await library.find(status="ended")] == ["1"]
    assert await library.find(kind="sung") == []
    assert len(await library.find(limit=2)) == 2
