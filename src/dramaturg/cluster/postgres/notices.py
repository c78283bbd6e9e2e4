"""Listening on Postgres for what other processes append: one connection, made when somebody waits for a run."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from dramaturg.cluster.postgres.log import LogConnection
from dramaturg.kernel.store.notices import LOOK_AROUND, LOOK_SECONDS
from dramaturg.kernel.store.postgres import CHANNEL

PROBE = "probe/"
MOST_UNHEARD = 1_000
"""How many notices are kept while nobody waits for a run; one to look around stands for the rest."""


class NoticeListener:
    """Hands out notices. A connection that cannot be had or is lost costs a look at everything every two seconds."""

    def __init__(self, url: URL, log: LogConnection) -> None:
        self._engine = create_async_engine(url, poolclass=NullPool, hide_parameters=True)
        self._log = log
        self._connection: AsyncConnection | None = None
        self._driver: Any = None
        self._is_lost = False
        self._heard: asyncio.Queue[str] = asyncio.Queue()
        self._probes: dict[str, asyncio.Event] = {}

    async def next(self) -> str:
        """The next notice; after a lost connection, or a while without any, to look around."""
        if self._connection is None or self._is_lost:
            if not await self._connect():
                await asyncio.sleep(LOOK_SECONDS)
            return LOOK_AROUND
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                return await self._heard.get()
        await self._check()
        return LOOK_AROUND

    async def hears(self, tell: Callable[[str], Awaitable[None]]) -> bool:
        """Whether what is told arrives here."""
        if (self._connection is None or self._is_lost) and not await self._connect():
            return False
        probe = PROBE + secrets.token_hex(8)
        arrived = self._probes[probe] = asyncio.Event()
        try:
            await tell(probe)
            async with asyncio.timeout(LOOK_SECONDS):
                await arrived.wait()
        except TimeoutError:
            return False
        finally:
            del self._probes[probe]
        return True

    async def close(self) -> None:
        await self._drop()
        await self._engine.dispose()

    async def _check(self) -> None:
        """A connection that is quiet may have been cut without a word."""
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await self._driver.execute(f"LISTEN {CHANNEL}")
        except Exception:  # noqa: BLE001 # reason: whatever the driver says, it is connected anew
            self._is_lost = True

    async def _drop(self) -> None:
        connection, driver, is_lost = self._connection, self._driver, self._is_lost
        self._connection, self._driver, self._is_lost = None, None, False
        if driver is not None and is_lost:
            driver.terminate()  # it would wait for an answer
        if connection is not None:
            try:
                await connection.close()
            except Exception:  # noqa: BLE001 # reason: it is given up, whatever the driver says
                return

    async def _connect(self) -> bool:
        await self._drop()
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                self._connection = await self._engine.connect()
                self._driver = (await self._connection.get_raw_connection()).driver_connection
                self._driver.add_termination_listener(self._lost)
                await self._driver.add_listener(CHANNEL, self._hear)
        except Exception:  # noqa: BLE001 # reason: the driver's own errors too; whoever waits must go on looking
            self._is_lost = True
            await self._drop()
            return False
        self._is_lost = self._driver.is_closed()
        return True

    def _hear(self, _driver: object, pid: int, _channel: str, notice: object) -> None:
        text = str(notice)
        if text in self._probes:
            self._probes[text].set()
        elif pid != self._log.pid and not text.startswith(PROBE) and self._heard.qsize() <= MOST_UNHEARD:
            self._heard.put_nowait(text if self._heard.qsize() < MOST_UNHEARD else LOOK_AROUND)

    def _lost(self, _driver: object) -> None:
        self._is_lost = True
        self._heard.put_nowait(LOOK_AROUND)
