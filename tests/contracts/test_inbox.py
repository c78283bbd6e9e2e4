"""What people send to a run, on SQLite and on Postgres: kept in order, once, and seen by whoever plays."""

from __future__ import annotations

import asyncio

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig, NotFound
from dramaturg.kernel.runs import RunInboxes
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store, open_store
from tests.contracts.test_store import record


@pytest.fixture
async def inboxes(store: Store) -> RunInboxes:
    await store.runs.add(record())
    return RunInboxes(store.inbox, StillClock())


async def bodies(inboxes: RunInboxes, topic: str = "directions", after: int = 0) -> list[str]:
    return [message.body for message in await inboxes.read("run", topic, after)]


async def test_messages_are_read_in_the_order_they_were_sent_each_by_its_topic(inboxes: RunInboxes) -> None:
    for place, topic in enumerate(["directions", "seat/bob", "directions"]):
        sent = await inboxes.send(record(), topic, f'{{"text": "{place} “Zoë” 🎭"}}', author="Ann\0a")
        assert (sent.number, sent.author) == (place + 1, "Ann\ufffda")
    assert await bodies(inboxes) == ['{"text": "0 “Zoë” 🎭"}', '{"text": "2 “Zoë” 🎭"}']
    assert await bodies(inboxes, after=1) == ['{"text": "2 “Zoë” 🎭"}']
    assert await bodies(inboxes, "seat/bob") == ['{"text": "1 “Zoë” 🎭"}']
    assert await bodies(inboxes, "seat/alice") == []


async def test_a_key_is_good_for_one_message_however_often_it_is_sent(inboxes: RunInboxes) -> None:
    first = await inboxes.send(record(), "directions", "{}", key="k")
    assert await inboxes.send(record(), "directions", "{}", key="k") == first
    assert await inboxes.send(record(status="ended"), "directions", "{}", key="k") == first
    with pytest.raises(AlreadyUsed, match="'k' was used for another"):
        await inboxes.send(record(), "directions", '{"other": 1}', key="k")
    assert await bodies(inboxes) == ["{}"]


async def test_nothing_is_sent_to_a_run_that_has_ended_or_is_gone(inboxes: RunInboxes, store: Store) -> None:
    with pytest.raises(InvalidConfig, match="has ended"):
        await inboxes.send(record(status="ended"), "directions", "{}", key="new")
    await inboxes.send(record(), "directions", "{}")
    await store.runs.remove("run")
    with pytest.raises(NotFound, match="no run 'run' any more"):
        await inboxes.send(record(), "directions", "{}")
    assert await bodies(inboxes) == []


async def test_many_senders_in_two_processes_get_numbers_without_gaps(
    inboxes: RunInboxes, store_settings: Settings
) -> None:
    other = await open_store(store_settings)
    try:
        others = RunInboxes(other.inbox, StillClock())
        sent = await asyncio.gather(
            *(one.send(record(), "directions", f"{n}") for n in range(2) for one in (inboxes, others))
        )
    finally:
        await other.close()
    assert sorted(message.number for message in sent) == [1, 2, 3, 4]
    assert len(await bodies(inboxes)) == 4


@pytest.mark.parametrize("elsewhere", [False, True], ids=["in this process", "in another process"])
async def test_whoever_waits_gets_what_is_sent(inboxes: RunInboxes, store_settings: Settings, elsewhere: bool) -> None:
    inbox = inboxes.of("run", "directions")
    assert await inbox.look(0) == []
    waiting = asyncio.create_task(inbox.wait(0))
    await asyncio.sleep(0)
    sender = await open_store(store_settings) if elsewhere else None
    try:
        await (RunInboxes(sender.inbox, StillClock()) if sender else inboxes).send(record(), "seat/bob", '"no"')
        await (RunInboxes(sender.inbox, StillClock()) if sender else inboxes).send(record(), "directions", '"yes"')
        assert [message.body for message in await waiting] == ['"yes"']
    finally:
        if sender:
            await sender.close()
    assert await inbox.wait(2, timeout=0) == []


async def test_a_look_reads_only_when_something_may_be_there(inboxes: RunInboxes, store: Store) -> None:
    reads: list[int] = []

    class Counting:
        async def read(self, run_id: str, topic: str, after: int = 0):
            reads.append(after)
            return await store.inbox.read(run_id, topic, after)

        def signal(self, run_id: str) -> asyncio.Event:
            return store.inbox.signal(run_id)

    inbox = RunInboxes(Counting(), StillClock()).of("run", "directions")
    for _ in range(100):
        await inbox.look(0)
    assert len(reads) < 100
    await inboxes.send(record(), "directions", "{}")
    for _ in range(2):
        assert len(await inbox.look(0)) == 1, "found again until it is taken"
    assert await inbox.look(1) == []
    assert len(await inbox.look(0, closely=True)) == 1


async def test_whoever_waits_reads_once_before_and_once_after_however_long_it_takes(store: Store) -> None:
    await store.runs.add(record())
    reads: list[int] = []

    class Silent:
        async def read(self, run_id: str, topic: str, after: int = 0):
            reads.append(after)
            return await store.inbox.read(run_id, topic, after)

        def signal(self, run_id: str) -> asyncio.Event:
            return asyncio.Event()

    assert await RunInboxes(Silent(), StillClock()).of("run", "directions").wait(0, timeout=0.6) == []
    assert len(reads) == 2
