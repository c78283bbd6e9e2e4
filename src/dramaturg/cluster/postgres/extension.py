"""Extends an open Postgres: a connection that listens, and one that only appends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from dramaturg.cluster.postgres.log import LogConnection
from dramaturg.cluster.postgres.notices import NoticeListener
from dramaturg.kernel.settings import StoreSettings
from dramaturg.kernel.store.database import Append, Database, Rows
from dramaturg.kernel.store.postgres import PostgresDatabase, read_url


def extend(database: Database, settings: StoreSettings) -> None:
    """Gives a database on Postgres what many processes need of it; any other stays as it is."""
    if settings.url and isinstance(database, PostgresDatabase):
        database.extension = PostgresLines(database, settings)


class PostgresLines:
    """The two connections. Each is made when it is first needed."""

    def __init__(self, database: PostgresDatabase, settings: StoreSettings) -> None:
        self._log = LogConnection(database.engine)
        self._is_pooled = database.is_pooled
        direct = read_url(settings.listen_url, "store.listen_url") if settings.listen_url else database.engine.url
        self._listener = NoticeListener(direct, self._log)

    async def insert(self, appends: Sequence[Append]) -> Rows:
        """Behind a pooler there is no connection that could be kept: the store goes the long way."""
        return [] if self._is_pooled else await self._log.insert(appends)

    async def notice(self) -> str:
        return await self._listener.next()

    async def hears(self, tell: Callable[[str], Awaitable[None]]) -> bool:
        return await self._listener.hears(tell)

    async def close(self) -> None:
        await self._listener.close()
        await self._log.close()
