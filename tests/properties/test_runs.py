"""Laws of the log, for all events and every order of writing."""

from __future__ import annotations

import asyncio

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import RunFenced
from dramaturg.kernel.models.port import ModelAnswer, Usage
from dramaturg.kernel.runs import Entry, Event, Fold, ModelAnswered, RunForked, RunLibrary, RunStopped, public
from dramaturg.kernel.store import Store
from tests.laws import examples
from tests.said import KINDS, Said, Thought

on_one_store = examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])

answers = st.builds(
    ModelAnswer,
    text=st.text(),
    model=st.text(),
    usage=st.builds(Usage, input_tokens=st.integers(0, 2**40), reported=st.booleans()),
    cost_usd=st.none() | st.floats(0, 1e6),
    arrived_at=st.floats(0, 2e9),
)
hidden_events = st.one_of(
    st.builds(Thought, text=st.text(), weight=st.floats(allow_nan=False, allow_infinity=False)),
    st.builds(ModelAnswered, key=st.text(), purpose=st.just("acting"), answer=answers, who=st.text()),
    st.builds(RunStopped, reason=st.text(), code=st.text()),
)
events = st.builds(Said, text=st.text()) | hidden_events
logs = st.lists(events, max_size=12)
appends = st.lists(st.lists(events, min_size=1, max_size=3), max_size=5)


def library_on(store: Store) -> RunLibrary:
    return RunLibrary(store, StillClock(), KINDS)


def remember(state: tuple[object, ...], entry: Entry[Event]) -> tuple[object, ...]:
    """A fold that forgets nothing and is sensitive to order."""
    return (*state[-3:], entry.seq, entry.at, entry.event, hash(state))


@on_one_store
@given(written=appends)
async def test_folding_a_log_saving_it_loading_it_and_folding_again_gives_the_same(
    store: Store, written: list[list[Event]]
) -> None:
    library = library_on(store)
    run = await library.create("said", "hello")
    await asyncio.gather(*(run.append(*together) for together in written))
    loaded = await library.open(run.id)
    assert list(loaded.entries) == list(run.entries)
    assert [entry.event for entry in loaded.entries] == [event for together in written for event in together]
    state = Fold((), each=remember)
    assert state(loaded.entries) == state(run.entries)


@on_one_store
@given(log=logs, after=st.integers(0, 12))
async def test_no_hidden_event_reaches_a_public_view(store: Store, log: list[Event], after: int) -> None:
    library = library_on(store)
    run = await library.create("said", "hello")
    following = asyncio.create_task(_followed(library, run.id, 0))
    await run.append(*log)
    await library.mark(run, "ended")
    allowed = [entry for entry in run.entries if isinstance(entry.event, Said)]
    assert list(public(run.entries)) == allowed
    assert await following == allowed
    assert await _followed(library, run.id, after) == [entry for entry in allowed if entry.seq > after]


async def _followed(library: RunLibrary, run_id: str, after: int) -> list[Entry[Event]]:
    return [entry async for entry in library.tail(run_id, after=after)]


@on_one_store
@given(before=logs, schedule=st.lists(st.tuples(st.booleans(), st.integers(1, 3), st.booleans()), max_size=10))
async def test_a_second_writer_is_refused_and_stops_and_nothing_of_it_is_in_the_log(
    store: Store, before: list[Event], schedule: list[tuple[bool, int, bool]]
) -> None:
    """Two players append as the schedule says, each at once or after waiting for what is under way."""
    library = library_on(store)
    run = await library.create("said", "hello")
    await run.append(*before)
    players = [await library.open(run.id), await library.open(run.id)]
    written: list[list[Event]] = [[], []]
    refused = [False, False]

    async def append(who: int, said: list[Event]) -> None:
        try:
            await players[who].append(*said)
        except RunFenced:
            refused[who] = True
        else:
            assert not refused[who], "a player that was refused wrote again"
            written[who].extend(said)

    under_way: list[asyncio.Task[None]] = []
    for turn, (first, count, wait) in enumerate(schedule):
        said: list[Event] = [Said(text=f"{turn}.{i}") for i in range(count)]
        under_way.append(asyncio.create_task(append(0 if first else 1, said)))
        if wait:
            await asyncio.gather(*under_way)
    await asyncio.gather(*under_way)

    log = [entry.event for entry in (await library.open(run.id)).entries]
    for player in players:
        assert log[: player.seq] == [entry.event for entry in player.entries]
    assert [] in written, "both players wrote"
    assert log == [*before, *written[0], *written[1]]


@on_one_store
@given(log=logs, at=st.integers(0, 12), more=logs)
async def test_a_fork_is_a_prefix_and_leaves_its_parent_as_it_was(
    store: Store, log: list[Event], at: int, more: list[Event]
) -> None:
    library = library_on(store)
    run = await library.create("said", "hello")
    await run.append(*log)
    at = min(at, len(log))
    before = await library.open(run.id)
    forked = await library.fork(run.id, at)
    await forked.append(*more)
    after = await library.open(run.id)
    # What is left of its lease is told anew at each look.
    as_before = after.record.model_copy(update={"lease": before.record.lease})
    assert (as_before, list(after.entries)) == (before.record, list(before.entries))
    loaded = await library.open(forked.id)
    assert list(loaded.entries[:at]) == list(run.entries[:at])
    assert [entry.event for entry in loaded.entries[at:]] == [RunForked(parent=run.id, at=at), *more]
