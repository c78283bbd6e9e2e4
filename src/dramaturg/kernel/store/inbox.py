"""What people send to runs, on either database."""

from __future__ import annotations

import asyncio

from dramaturg.kernel.store.database import Database, Insert, Statement, Transaction
from dramaturg.kernel.store.notices import Wakeups
from dramaturg.kernel.store.port import InboxMessage
from dramaturg.kernel.store.transactions import storable, write_retrying

COLUMNS = ("run_id", "number", "at", "topic", "author", "message_key", "body")
FIELDS = ", ".join(COLUMNS[1:])
IS_THERE = "SELECT 1 FROM runs WHERE id = :id"
BY_KEY = f"SELECT {FIELDS} FROM run_messages WHERE run_id = :id AND message_key = :key"
LAST = "SELECT COALESCE(MAX(number), 0) FROM run_messages WHERE run_id = :id"
READ = f"SELECT {FIELDS} FROM run_messages WHERE run_id = :id AND topic = :topic AND number > :after ORDER BY number"


NAME = "inbox/"
"""What a run's name begins with in a notice that is about its messages and not about its log."""


class SqlInbox:
    """`Inbox` in SQL."""

    def __init__(self, database: Database, wakeups: Wakeups) -> None:
        self._database = database
        self._wakeups = wakeups

    async def send(self, run_id: str, message: InboxMessage) -> InboxMessage | None:
        message = message._replace(author=storable(message.author), body=storable(message.body))
        what = f"The message to run {run_id}"
        sent = await write_retrying(self._database, lambda: _send(run_id, message), what)
        self._wakeups.wake(NAME + run_id)
        return sent

    async def read(self, run_id: str, topic: str, after: int = 0) -> list[InboxMessage]:
        rows = await self._database.read(Statement(READ, {"id": run_id, "topic": topic, "after": after}))
        return [InboxMessage(*row) for row in rows]

    def signal(self, run_id: str) -> asyncio.Event:
        return self._wakeups.signal(NAME + run_id)


def _send(run_id: str, message: InboxMessage) -> Transaction[InboxMessage | None]:
    """Two senders that take the same number conflict, and one of them tries again: numbers are seen without gaps."""
    if not (yield Statement(IS_THERE, {"id": run_id})):
        return None
    there = yield Statement(BY_KEY, {"id": run_id, "key": message.key})
    if there:
        return InboxMessage(*there[0])
    last = yield Statement(LAST, {"id": run_id})
    message = message._replace(number=int(last[0][0]) + 1)
    yield Insert("run_messages", COLUMNS, [(run_id, *message)])
    return message
