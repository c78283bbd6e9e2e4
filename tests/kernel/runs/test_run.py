"""The handle of a run: appending from several tasks, and stopping when another player writes."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import ValidationError

from dramaturg.kernel.errors import InvalidConfig, RunFenced, StoreUnavailable
from dramaturg.kernel.runs import Event, Fold, RunLibrary, public
from dramaturg.kernel.store import Store
from tests.log_wait import wait
from tests.said import Said, Thought


def texts(entries) -> list[str]:
    return [entry.event.text for entry in entries]


async def test_entries_are_numbered_from_one_and_carry_the_time_of_the_clock(library: RunLibrary) -> None:
    run = await library.create("said", "hello", seed=7)
    written = await run.append(Said(text="a"), Thought(text="b"))
    library._clock.wind(60)
    await run.append(Said(text="c"))
    assert [entry.seq for entry in run.entries] == [1, 2, 3]
    assert tuple(run.entries[:2]) == written
    assert run.entries[2].at - run.entries[1].at == 60
    assert (run.seq, run.kind, run.name, run.seed) == (3, "said", "hello", 7)


async def test_appending_nothing_writes_nothing(library: RunLibrary, local_store: Store) -> None:
    run = await library.create("said", "hello")
    assert await run.append() == ()
    assert local_store.journal.commits == 0


async def test_tasks_that_append_at_once_are_written_in_order_and_in_few_commits(
    library: RunLibrary, local_store: Store
) -> None:
    run = await library.create("said", "hello")
    await asyncio.gather(*(run.append(Said(text=f"{i}a"), Said(text=f"{i}b")) for i in range(50)))
    spoken = [f"{i}{part}" for i in range(50) for part in "ab"]
    assert texts(run.entries) == spoken
    assert local_store.journal.commits == 2
    assert texts((await library.open(run.id)).entries) == spoken


async def test_an_entry_is_seen_only_when_it_is_safe(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    appending = asyncio.create_task(run.append(Said(text="a")))
    await asyncio.sleep(0)
    assert run.seq == 0
    await appending
    assert run.seq == 1


async def test_a_caller_that_is_cancelled_takes_nothing_back(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    appending = asyncio.create_task(run.append(Said(text="a")))
    await asyncio.sleep(0)
    appending.cancel()
    await run.append(Said(text="b"))
    assert appending.cancelled()
    assert texts(run.entries) == ["a", "b"]


async def test_a_player_that_was_overtaken_is_fenced_from_then_on(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    await run.append(Said(text="a"))
    first, second = await library.open(run.id), await library.open(run.id)
    await first.append(Said(text="b"))
    outcomes = await asyncio.gather(*(second.append(Said(text=f"late {i}")) for i in range(3)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [RunFenced] * 3
    with pytest.raises(RunFenced):
        await second.append(Said(text="later"))
    assert texts(second.entries) == ["a"]
    await first.append(Said(text="c"))
    assert texts((await library.open(run.id)).entries) == ["a", "b", "c"]


async def test_what_is_queued_behind_a_failure_fails_for_the_same_reason(
    library: RunLibrary, local_store: Store
) -> None:
    run = await library.create("said", "hello")
    await local_store.close()
    outcomes = await asyncio.gather(*(run.append(Said(text="x")) for _ in range(2)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 2


async def test_an_event_of_another_play_is_not_written(library: RunLibrary) -> None:
    class Sung(Event):
        type: str = "sung"

    run = await library.create("said", "hello")
    with pytest.raises(ValidationError):
        await run.append(Said(text="a"), Sung())
    await run.append(Said(text="b"))
    assert texts(run.entries) == ["b"]


async def test_an_event_that_cannot_be_written_down_is_refused_and_spoils_nothing(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    outcomes = await asyncio.gather(
        *(run.append(Said(text=text)) for text in ("a", "half a character: \ud83c", "b")), return_exceptions=True
    )
    assert isinstance(outcomes[1], InvalidConfig)
    assert "half of a character" in outcomes[1].message
    assert texts(run.entries) == ["a", "b"]


async def test_state_is_a_fold_and_the_public_sees_its_part(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    await run.append(Said(text="a"), Thought(text="b"), Said(text="c"))
    state = Fold("", each=lambda state, entry: state + entry.event.text)
    assert state(run.entries) == "abc"
    assert texts(public(run.entries)) == ["a", "c"]


async def test_what_is_put_is_written_in_its_place_and_flush_waits_for_it(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    run.put(Said(text="a"))
    run.put(Said(text="b"), Said(text="c"))
    assert run.seq == 0
    await run.append(Said(text="d"))
    assert texts(run.entries) == ["a", "b", "c", "d"]
    run.put(Said(text="e"))
    await run.flush()
    assert texts((await library.open(run.id)).entries) == ["a", "b", "c", "d", "e"]


async def test_a_run_to_which_nothing_was_put_has_nothing_to_flush(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    await run.flush()
    assert run.seq == 0


async def test_what_is_put_is_written_soon_even_if_nothing_follows(library: RunLibrary, local_store: Store) -> None:
    run = await library.create("said", "hello")
    run.put(Said(text="a"))
    assert await wait(local_store.journal, run.id, 0, timeout=10)
    assert texts((await library.open(run.id)).entries) == ["a"]


async def test_what_went_wrong_with_something_put_is_raised_by_the_next_call(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    other = await library.open(run.id)
    await other.append(Said(text="first"))
    run.put(Said(text="late"))
    with pytest.raises(RunFenced):
        await run.flush()
    with pytest.raises(RunFenced):
        run.put(Said(text="later"))
    assert texts((await library.open(run.id)).entries) == ["first"]
