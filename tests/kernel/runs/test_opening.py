"""A run that begins with its first events, and one that is found again by a key."""

import pytest
from pydantic import ValidationError

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.runs import RunForked, RunLibrary
from dramaturg.kernel.runs.ids import ALPHABET, id_for, new_id
from dramaturg.scenes.events import BeatClosed
from tests.said import Said


async def test_the_first_events_are_in_the_log_as_soon_as_the_run_is(library: RunLibrary) -> None:
    run = await library.create("said", "hello", opening=[Said(text="one"), Said(text="two")])
    await run.append(Said(text="three"))
    for entries in (run.entries, (await library.open(run.id)).entries):
        assert [(entry.seq, entry.event.text) for entry in entries] == [(1, "one"), (2, "two"), (3, "three")]


async def test_a_run_whose_first_events_are_not_of_its_kind_is_not_made(library: RunLibrary) -> None:
    with pytest.raises(ValidationError):
        await library.create("said", "hello", opening=[BeatClosed(beat=0)])
    assert await library.find() == []


async def test_a_fork_may_bring_events_of_its_own(library: RunLibrary) -> None:
    parent = await library.create("said", "hello", opening=[Said(text="one"), Said(text="two")])
    fork = await library.fork(parent.id, 1, opening=[Said(text="other")])
    expected = [Said(text="one"), RunForked(parent=parent.id, at=1), Said(text="other")]
    assert [entry.event for entry in fork.entries] == expected
    assert [entry.event for entry in (await library.open(fork.id)).entries] == expected


async def test_a_key_makes_one_run(library: RunLibrary) -> None:
    run_id = id_for("said", "order-66")
    assert (await library.create("said", "hello", run_id=run_id)).id == run_id
    with pytest.raises(StoreUnavailable, match="already exists"):
        await library.create("said", "hello", run_id=run_id)


def test_the_id_of_a_key_is_an_id_like_others_and_the_same_every_time() -> None:
    assert id_for("said", "k") == id_for("said", "k")
    assert len({id_for("said", "k"), id_for("scene", "k"), id_for("said", "l")}) == 3
    assert len(id_for("said", "k")) == len(new_id(0.0))
    assert set(id_for("said", "ключ")) <= set(ALPHABET)
