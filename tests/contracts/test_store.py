"""What every store must do, on SQLite and on Postgres."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from dramaturg.cluster.limits import open_shared_store
from dramaturg.kernel.errors import RunFenced, StoreUnavailable
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Row, RunRecord, Store, open_store
from tests.log_wait import wait


def record(run_id: str = "run", **changes: object) -> RunRecord:
    given = {"kind": "scene", "name": "apology", "status": "playing", "created_at": 1.0, "updated_at": 1.0}
    return RunRecord.model_validate({"id": run_id, **given, **changes})


def rows(first: int, last: int, hidden: bool = False, text: str = "x") -> list[Row]:
    return [
        Row(seq, seq + 0.25, "said", hidden, f'{{"text":"{text} {seq}"}}'.encode()) for seq in range(first, last + 1)
    ]


async def test_a_run_is_found_as_it_was_added(store: Store) -> None:
    whole = record(
        name='the "apology" — 一度',
        seed=2**63 - 1,
        parent_id="other",
        forked_at=3,
        player="host/1/2",
        adoptions=2,
        config='{"a": 1}',
        created_at=1_759_501_938.123456,
    )
    await store.runs.add(whole)
    assert await store.runs.get("run") == whole
    assert await store.runs.get("nobody") is None


async def test_runs_are_found_by_kind_status_and_beginning_newest_first(store: Store) -> None:
    await store.runs.add(record("aa1", created_at=1))
    await store.runs.add(record("aa2", created_at=3, status="ended"))
    await store.runs.add(record("ab3", created_at=2, kind="chat"))

    async def found(**asked: object) -> list[str]:
        return [run.id for run in await store.runs.find(**asked)]

    assert await found() == ["aa2", "ab3", "aa1"]
    assert await found(kind="scene") == ["aa2", "aa1"]
    assert await found(status="playing", kind="scene") == ["aa1"]
    assert await found(prefix="aa") == ["aa2", "aa1"]
    assert await found(prefix="a%") == []
    assert await found(limit=1) == ["aa2"]


async def test_runs_are_found_page_by_page_each_once_even_if_several_began_at_once(store: Store) -> None:
    runs = [
        record(f"r{number}", created_at=number // 3, kind="chat" if number == 4 else "scene") for number in range(8)
    ]
    for one in runs:
        await store.runs.add(one)
    whole = await store.runs.find()
    paged, page = [], await store.runs.find(limit=3)
    while page:
        paged += page
        page = await store.runs.find(limit=3, before=page[-1])
    assert paged == whole
    assert [run.id for run in await store.runs.find(kind="scene", before=runs[5])] == ["r3", "r2", "r1", "r0"]


async def test_a_run_and_its_first_rows_are_added_together_or_not_at_all(store: Store) -> None:
    with pytest.raises(StoreUnavailable):
        await store.runs.add(record(), [*rows(1, 2), *rows(2, 2)])
    assert await store.runs.get("run") is None
    await store.runs.add(record(), rows(1, 2))
    assert await store.journal.read("run") == rows(1, 2)


async def test_a_run_cannot_be_added_twice(store: Store) -> None:
    await store.runs.add(record(name="first"))
    with pytest.raises(StoreUnavailable, match="already exists"):
        await store.runs.add(record(name="second"))
    assert (await store.runs.find())[0].name == "first"


async def test_rows_are_read_as_they_were_appended(store: Store) -> None:
    await store.runs.add(record())
    written = [
        Row(1, 1_759_501_938.123456, "said", False, '{"text":"\\u0000 “Zoë” 🎭\\n"}'.encode()),
        Row(2, 0.1 + 0.2, "thought", True, b'{"text":""}'),
    ]
    await store.journal.append("run", 0, written)
    assert await store.journal.read("run") == written


async def test_reading_begins_after_a_number_and_stops_at_a_limit(store: Store) -> None:
    await store.runs.add(record(), rows(1, 6))
    assert await store.journal.read("run", after=2, limit=3) == rows(3, 5)
    assert await store.journal.read("run", after=6) == []
    assert await store.journal.read("nobody") == []


@pytest.mark.parametrize("after", [0, 1, 3])
async def test_an_append_that_does_not_follow_on_is_fenced_and_leaves_no_row(store: Store, after: int) -> None:
    await store.runs.add(record(), rows(1, 2))
    with pytest.raises(RunFenced, match="another process"):
        await store.journal.append("run", after, rows(after + 1, after + 3, text="second"))
    assert await store.journal.read("run") == rows(1, 2)


async def test_an_append_to_a_run_that_is_gone_is_fenced(store: Store) -> None:
    with pytest.raises(RunFenced, match="gone"):
        await store.journal.append("nobody", 0, rows(1, 1))


async def test_rows_that_are_misnumbered_are_a_mistake_of_the_caller(store: Store) -> None:
    await store.runs.add(record())
    with pytest.raises(ValueError, match="without a gap"):
        store.journal.append("run", 0, rows(2, 2))


async def test_many_appends_at_once_take_few_commits_and_keep_each_run_in_order(store: Store) -> None:
    runs = [f"run{i}" for i in range(40)]
    for run_id in runs:
        await store.runs.add(record(run_id))
    before = store.journal.commits
    await asyncio.gather(
        *(store.journal.append(run_id, seq - 1, rows(seq, seq)) for seq in range(1, 6) for run_id in runs)
    )
    assert store.journal.commits - before <= 3
    for run_id in runs:
        assert await store.journal.read(run_id) == rows(1, 5)


async def test_a_fenced_append_does_not_spoil_its_neighbours(store: Store) -> None:
    for run_id in ("a", "b"):
        await store.runs.add(record(run_id))
    outcomes = await asyncio.gather(
        store.journal.append("a", 0, rows(1, 2)),
        store.journal.append("b", 7, rows(8, 8)),
        store.journal.append("a", 0, rows(1, 1, text="second")),
        store.journal.append("gone", 0, rows(1, 1)),
        store.journal.append("b", 0, rows(1, 1)),
        store.journal.append("a", 2, rows(3, 3)),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [
        type(None),
        RunFenced,
        RunFenced,
        RunFenced,
        type(None),
        type(None),
    ]
    assert store.journal.commits == 1
    assert await store.journal.read("a") == rows(1, 3)
    assert await store.journal.read("b") == rows(1, 1)


async def test_of_two_stores_that_append_at_once_one_wins_and_the_other_is_fenced(
    store: Store, store_settings: Settings
) -> None:
    other = await open_store(store_settings)
    try:
        for attempt in range(20):
            run_id = f"run{attempt}"
            await store.runs.add(record(run_id))
            outcomes = await asyncio.gather(
                store.journal.append(run_id, 0, rows(1, 1, text="one")),
                other.journal.append(run_id, 0, rows(1, 2, text="other")),
                return_exceptions=True,
            )
            assert {type(outcome) for outcome in outcomes} == {type(None), RunFenced}
            winner = rows(1, 1, text="one") if outcomes[0] is None else rows(1, 2, text="other")
            assert await store.journal.read(run_id) == winner
    finally:
        await other.close()


async def test_waiting_ends_at_once_with_what_is_there_or_is_appended_here(store: Store) -> None:
    await store.runs.add(record(), rows(1, 1))
    assert await wait(store.journal, "run", 0, timeout=0)
    assert not await wait(store.journal, "run", 1, timeout=0)
    waiting = asyncio.create_task(wait(store.journal, "run", 1, timeout=3600))
    await asyncio.sleep(0)
    await store.journal.append("run", 1, rows(2, 2))
    assert await waiting


async def test_waiting_sees_what_another_process_appends(store: Store, store_settings: Settings) -> None:
    await store.runs.add(record())
    other = await open_store(store_settings)
    try:
        waiting = asyncio.create_task(wait(other.journal, "run", 0, timeout=3600))
        await store.journal.append("run", 0, rows(1, 1))
        assert await waiting
    finally:
        await other.close()


async def test_waiting_ends_when_the_run_is_marked_or_removed(store: Store) -> None:
    for run_id, end in (("a", store.runs.mark("a", "ended", 2.0)), ("b", store.runs.remove("b"))):
        await store.runs.add(record(run_id), rows(1, 1))
        waiting = asyncio.create_task(wait(store.journal, run_id, 1, timeout=3600))
        await asyncio.sleep(0)
        await end
        assert not await waiting


async def test_a_mark_is_kept_with_its_time(store: Store) -> None:
    await store.runs.add(record())
    await store.runs.mark("run", "failed", 9.5)
    assert await store.runs.get("run") == record(status="failed", updated_at=9.5)
    await store.runs.mark("nobody", "ended", 1.0)


async def test_a_hundred_adoptions_at_once_are_a_hundred(store: Store, store_settings: Settings) -> None:
    await store.runs.add(record(status="stopped"))
    other = await open_store(store_settings)
    try:
        stores = [store, other] * 50
        adopted = await asyncio.gather(*(s.runs.adopt("run", f"p{i}", i) for i, s in enumerate(stores)))
    finally:
        await other.close()
    assert sorted(run.adoptions for run in adopted) == list(range(1, 101))
    kept = await store.runs.get("run")
    assert kept is not None
    assert (kept.adoptions, kept.status) == (100, "playing")


async def test_of_many_who_adopt_from_the_same_holder_only_one_gets_the_run(store: Store) -> None:
    await store.runs.add(record(player="dead"))
    outcomes = await asyncio.gather(
        *(store.runs.adopt("run", f"p{i}", 2.0, generation=0) for i in range(10)), return_exceptions=True
    )
    assert sum(isinstance(outcome, RunRecord) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, RunFenced) for outcome in outcomes) == 9


async def test_a_run_that_is_removed_takes_its_log_with_it(store: Store) -> None:
    await store.runs.add(record("a"), rows(1, 3))
    await store.runs.add(record("b"), rows(1, 1))
    await store.runs.remove("a")
    assert await store.runs.get("a") is None
    assert await store.journal.read("a") == []
    assert await store.journal.read("b") == rows(1, 1)


@pytest.mark.parametrize("opening", [open_store, open_shared_store])
async def test_what_is_written_while_another_process_deletes_the_run_goes_with_it(
    opening: Callable[[Settings], Awaitable[Store]], store_settings: Settings
) -> None:
    one, other = await opening(store_settings), await opening(store_settings)
    names = [f"r{number}" for number in range(40)]
    for name in names:
        await one.runs.add(record(name))

    async def append(name: str) -> None:
        for last in range(5):
            await one.journal.append(name, last, rows(last + 1, last + 1))

    async def remove(name: str, turns: int) -> None:
        for _ in range(turns % 7):
            await other.journal.read(name)
        await other.runs.remove(name)

    tried = [work for number, name in enumerate(names) for work in (append(name), remove(name, number))]
    outcomes = await asyncio.gather(*tried, return_exceptions=True)
    left = [await one.journal.read(name) for name in names]
    await one.close()
    await other.close()
    assert not any(left)
    assert all(outcome is None or isinstance(outcome, RunFenced) for outcome in outcomes)


async def test_what_was_written_is_there_after_closing_and_opening_again(store_settings: Settings) -> None:
    first = await open_store(store_settings)
    await first.runs.add(record())
    unwaited = [first.journal.append("run", seq - 1, rows(seq, seq)) for seq in range(1, 4)]
    await first.close()
    await first.close()
    assert all(written.done() for written in unwaited)
    second = await open_store(store_settings)
    try:
        assert await second.journal.read("run") == rows(1, 3)
    finally:
        await second.close()


async def test_a_closed_store_says_so(store: Store) -> None:
    await store.runs.add(record())
    await store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.journal.append("run", 0, rows(1, 1))
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.runs.get("run")
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.runs.mark("run", "ended", 1.0)


async def test_many_processes_may_open_a_new_store_at_once(store_settings: Settings) -> None:
    stores = await asyncio.gather(*(open_store(store_settings) for _ in range(8)))
    await stores[0].runs.add(record())
    assert await stores[7].runs.get("run") == record()
    for opened in stores:
        await opened.close()


async def test_an_append_whose_caller_went_away_is_written_all_the_same(store: Store) -> None:
    await store.runs.add(record())
    left = store.journal.append("run", 0, rows(1, 1))
    left.cancel()
    await store.journal.append("run", 1, rows(2, 2))
    assert await store.journal.read("run") == rows(1, 2)


async def test_rows_of_some_types_are_read_for_several_runs_at_once(store: Store) -> None:
    await store.runs.add(record("aa1"), [*rows(1, 2), Row(3, 3.0, "ended", True, b'{"a": 1}')])
    await store.runs.add(record("aa2"), [Row(1, 1.0, "ended", False, b"{}")])
    await store.runs.add(record("aa3"), rows(1, 4))
    found = await store.journal.select(["aa1", "aa2", "nobody"], {"ended", "never"})
    assert {run: [(row.seq, row.type, row.body) for row in found[run]] for run in found} == {
        "aa1": [(3, "ended", b'{"a": 1}')],
        "aa2": [(1, "ended", b"{}")],
        "nobody": [],
    }
    assert [row.seq for row in (await store.journal.select(["aa3"], ("said",)))["aa3"]] == [1, 2, 3, 4]
    assert await store.journal.select([], ("said",)) == {}


async def test_what_is_kept_beside_a_log_can_be_replaced(store: Store) -> None:
    await store.runs.add(record(config='{"a": 1}', updated_at=3.0))
    await store.runs.annotate("run", '{"picked": true}')
    await store.runs.annotate("nobody", "{}")
    assert await store.runs.get("run") == record(config='{"picked": true}', updated_at=3.0)
