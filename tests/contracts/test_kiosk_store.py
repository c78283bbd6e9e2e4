"""Kiosks, on SQLite and on Postgres."""

from __future__ import annotations

import asyncio

from dramaturg.ensemble.store import Kiosk, KioskStore
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store, open_store


async def test_a_kiosk_nobody_has_used_is_fresh(store: Store) -> None:
    kiosks = KioskStore(store.database)
    assert await kiosks.get("main") == Kiosk(name="main")
    assert await kiosks.all() == ()


async def test_tickets_count_from_one_and_none_is_given_twice(store: Store) -> None:
    kiosks = KioskStore(store.database)
    numbers = await asyncio.gather(*(kiosks.ticket("main", 1.0) for _ in range(20)))
    assert sorted(numbers) == list(range(1, 21))
    assert await kiosks.ticket("foyer", 1.0) == 1


async def test_two_processes_share_the_tickets_of_a_kiosk(store: Store, store_settings: Settings) -> None:
    other = await open_store(store_settings)
    ours, theirs = KioskStore(store.database), KioskStore(other.database)
    try:
        numbers = await asyncio.gather(*(one.ticket("main", 1.0) for _ in range(8) for one in (ours, theirs)))
    finally:
        await other.close()
    assert sorted(numbers) == list(range(1, 17))


async def test_a_kiosk_goes_on_from_the_newest_run_and_never_backwards(store: Store) -> None:
    kiosks = KioskStore(store.database)
    for _ in range(3):
        await kiosks.ticket("main", 1.0)
    await kiosks.advance("main", "second", 2, resets=0, at=2.0)
    await kiosks.advance("main", "first", 1, resets=0, at=3.0)
    assert (await kiosks.get("main")).last_run == "second"
    await kiosks.advance("main", "third", 3, resets=0, at=4.0)
    assert await kiosks.get("main") == Kiosk(name="main", last_run="third", last_ticket=3, tickets=3, resets=0)


async def test_a_reset_forgets_the_run_and_what_was_begun_before_it(store: Store) -> None:
    kiosks = KioskStore(store.database)
    await kiosks.ticket("main", 1.0)
    await kiosks.ticket("main", 1.0)
    await kiosks.advance("main", "first", 1, resets=0, at=2.0)
    await kiosks.reset("main", 3.0)
    await kiosks.advance("main", "second", 2, resets=0, at=4.0)
    assert (await kiosks.get("main")).last_run is None
    await kiosks.advance("main", "third", await kiosks.ticket("main", 5.0), resets=1, at=5.0)
    assert (await kiosks.get("main")).last_run == "third"


async def test_a_kiosk_that_was_never_used_can_be_cleared(store: Store) -> None:
    kiosks = KioskStore(store.database)
    await kiosks.reset("foyer", 1.0)
    assert [kiosk.name for kiosk in await kiosks.all()] == ["foyer"]


async def test_what_is_kept_outlasts_the_process(store: Store, store_settings: Settings) -> None:
    await KioskStore(store.database).ticket("main", 1.0)
    await KioskStore(store.database).advance("main", "a", 1, resets=0, at=1.0)
    other = await open_store(store_settings)
    try:
        assert (await KioskStore(other.database).get("main")).last_run == "a"
    finally:
        await other.close()
