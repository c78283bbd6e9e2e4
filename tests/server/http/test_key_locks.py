"""Who waits for whom: requests with the same key, and nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.cluster.limits import SharedLimits
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store
from dramaturg.server.http.key_locks import KeyLocks
from tests.server.visitor import Visitor


@pytest.fixture
async def limits(local_store: Store, tmp_path: Path) -> AsyncIterator[SharedLimits]:
    made = SharedLimits(Settings(project=tmp_path), local_store.database, Clock())
    yield made
    await made.close()


async def test_two_keys_are_held_at_once(limits: SharedLimits) -> None:
    locks = KeyLocks(limits)
    async with locks.locked("one"), locks.locked("other"):
        pass


async def test_one_key_is_held_by_one_request_after_the_other(limits: SharedLimits) -> None:
    locks, order = KeyLocks(limits), []

    async def hold(name: str) -> None:
        async with locks.locked("one"):
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

    await asyncio.gather(hold("anna"), hold("ben"))
    assert order == ["anna begins", "anna ends", "ben begins", "ben ends"]


async def test_a_key_that_nobody_holds_is_forgotten(limits: SharedLimits) -> None:
    locks = KeyLocks(limits)
    async with locks.locked("one"):
        assert list(locks._locks) == ["one"]
    assert list(locks._locks) == []


async def test_a_start_with_a_key_does_not_wait_for_the_start_of_another(visitor: Visitor) -> None:
    app = visitor.server.config.app
    async with app.state.key_locks.locked("that of a request that takes long"):
        await visitor.play(headers={"Idempotency-Key": "mine"})
