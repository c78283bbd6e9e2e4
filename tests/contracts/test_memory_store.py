"""What characters keep, on SQLite and on Postgres."""

from __future__ import annotations

import asyncio

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store, open_store
from dramaturg.scenes.memories import FADES, Aftermath, BondChange, Memory, Past, Shift
from dramaturg.scenes.store import MemoryStore


@pytest.fixture
def memory(store: Store) -> MemoryStore:
    return MemoryStore(store.database)


def trace(run: str, line: int, character: str = "alice", at: float = 1.5) -> dict[str, object]:
    place = {"scene": "the-letter", "run": run, "line": line, "at": at, "moment": f"{run}/{line}"}
    return {"character": character, **place}


def left(run: str = "r1", lines: int = 3, character: str = "alice", at: float = 1.5) -> Aftermath:
    places = [trace(run, line, character, at) for line in range(1, lines + 1)]
    more = {"kind": "heard", "importance": 1 / 3, "about": ("Bob", "Zoë"), "quote": 'He said "—"\0'}
    return Aftermath(
        run=run,
        memories=tuple(Memory.model_validate({**p, **more, "text": f"Bob said: “{p['line']} 🎭”"}) for p in places),
        shifts=tuple(Shift.model_validate({**p, "valence": 0.2, "arousal": 0.1, "cause": "tea"}) for p in places),
        changes=tuple(
            BondChange.model_validate({**p, "toward": "bob", "trust": 0.1, "affection": 0.2, "tension": -0.1})
            for p in places
        ),
    )


async def test_what_was_recorded_is_there_as_it_was(memory: MemoryStore) -> None:
    recorded = left()
    await memory.record(recorded)
    past = await memory.past("alice")
    assert past.memories == tuple(
        one.model_copy(update={"quote": one.quote.replace("\0", "\ufffd")}) for one in recorded.memories
    )
    assert past.bonds[0].history == recorded.changes
    assert past.mood.valence > 0.2
    assert past.bond("bob").trust > 0.2
    assert await memory.past("nobody") == Past(character="nobody")
    assert await memory.characters() == ("alice",)


async def test_recording_a_run_again_changes_nothing(memory: MemoryStore) -> None:
    await memory.record(left())
    before = await memory.past("alice")
    await memory.record(left())
    assert await memory.past("alice") == before


async def test_a_run_that_was_played_on_is_recorded_anew(memory: MemoryStore) -> None:
    await memory.record(left(lines=3))
    await memory.record(left(lines=5))
    assert [one.line for one in (await memory.past("alice")).memories] == [1, 2, 3, 4, 5]
    await memory.record(left(lines=2))
    assert [one.line for one in (await memory.past("alice")).memories] == [1, 2]


async def test_a_moment_that_two_runs_share_counts_once(memory: MemoryStore) -> None:
    parent = left(lines=2)
    shared = {"run": "fork"}
    fork = Aftermath(
        run="fork",
        memories=tuple(one.model_copy(update=shared) for one in parent.memories),
        shifts=tuple(one.model_copy(update=shared) for one in parent.shifts),
        changes=tuple(one.model_copy(update=shared) for one in parent.changes),
    )
    await memory.record(parent)
    before = await memory.past("alice")
    await memory.record(fork)
    assert await memory.past("alice") == before


async def test_an_edit_outlasts_another_recording_and_is_found_by_the_beginning_of_its_id(memory: MemoryStore) -> None:
    await memory.record(left())
    first = (await memory.past("alice")).memories[0]
    edited = await memory.edit("alice", first.id[:6].upper(), "  Bob said\nnothing. ")
    assert (edited.text, edited.edited) == ("Bob said nothing.", True)
    await memory.record(left())
    past = await memory.past("alice")
    assert past.memories[0] == edited
    assert len(past.memories) == 3


async def test_what_is_forgotten_does_not_come_back(memory: MemoryStore) -> None:
    await memory.record(left())
    first, *others = (await memory.past("alice")).memories
    assert await memory.forget("alice", first.id) == first.id
    await memory.record(left())
    assert (await memory.past("alice")).memories == tuple(others)
    with pytest.raises(NotFound, match="no memory"):
        await memory.forget("alice", first.id)


async def test_after_a_reset_only_what_happens_later_is_remembered(memory: MemoryStore) -> None:
    await memory.record(left())
    await memory.record(left(run="r1b", character="bob"))
    await memory.reset("alice")
    await memory.record(left())
    assert await memory.past("alice") == Past(character="alice")
    assert (await memory.past("bob")).memories
    await memory.record(left(run="r2", at=9.0))
    past = await memory.past("alice")
    assert {one.run for one in past.memories} == {"r2"}
    assert len(past.bond("bob").history) == 3


async def test_what_is_not_there_or_belongs_to_another_cannot_be_changed(memory: MemoryStore) -> None:
    await memory.record(left())
    known = (await memory.past("alice")).memories[0].id
    for who, which in (("bob", known), ("alice", "ffffffffff"), ("alice", ""), ("alice", "%")):
        with pytest.raises(NotFound, match="has no memory"):
            await memory.edit(who, which, "Something else.")
    with pytest.raises(InvalidConfig, match="forget it instead"):
        await memory.edit("alice", known, " \n")


async def test_a_mood_fades_between_runs_in_the_order_in_which_they_were_played(memory: MemoryStore) -> None:
    await memory.record(left(run="r2", lines=1, at=2.0))
    await memory.record(left(run="r1", lines=1, at=1.0))
    mood = (await memory.past("alice")).mood
    faded = 0.2 * FADES
    assert mood.valence == pytest.approx(faded + 0.2 * (1 - faded))


async def test_two_processes_may_record_at_once(memory: MemoryStore, store_settings: Settings) -> None:
    other = await open_store(store_settings)
    try:
        second = MemoryStore(other.database)
        await asyncio.gather(*(one.record(left(lines=20)) for one in (memory, second) * 4))
        assert len((await memory.past("alice")).memories) == 20
    finally:
        await other.close()
