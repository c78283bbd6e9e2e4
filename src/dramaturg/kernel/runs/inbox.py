"""What people send to a run: stored first, whichever process plays it, then taken by the one that does.

Whoever plays writes what it took into the log together with what came of it, and reads on after the last number there:
so a message counts once, also if the process dies between reading and writing.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from contextlib import suppress

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig, NotFound, StoreBlocked
from dramaturg.kernel.store.port import Inbox, InboxMessage, RunRecord

LOOK_SECONDS = 0.25
"""How often messages are looked for at most, if what was told of was about something else."""


class RunInboxes:
    """The inboxes of the runs in one store."""

    def __init__(self, inbox: Inbox, clock: Clock) -> None:
        self._inbox = inbox
        self._clock = clock

    async def send(
        self, record: RunRecord, topic: str, body: str, *, author: str = "", key: str = "", once_ended: bool = False
    ) -> InboxMessage:
        """Stores a message for whoever plays the run; under a key it is stored once, however often it is sent.

        Raises InvalidConfig if the run has ended, unless the message matters `once_ended` too, and AlreadyUsed if its
        key was used for something else.
        """
        if record.status == "ended" and not once_ended and not (key and await self._is_known(record.id, topic, key)):
            raise InvalidConfig(f"Run {record.id} has ended; fork it to play on.", run=record.id)
        message = InboxMessage(0, self._clock.now(), topic, author, key or secrets.token_hex(12), body)
        sent = await self._inbox.send(record.id, message)
        if sent is None:
            raise NotFound(f"There is no run '{record.id}' any more.", run=record.id)
        if (sent.topic, sent.body) != (topic, body):
            raise AlreadyUsed(
                f"The key '{key}' was used for another message to this run. Send this one under a new key.", key=key
            )
        return sent

    async def read(self, run_id: str, topic: str, after: int = 0) -> list[InboxMessage]:
        """Everything sent to a run on a topic, taken or not."""
        return await self._inbox.read(run_id, topic, after)

    async def _is_known(self, run_id: str, topic: str, key: str) -> bool:
        return any(message.key == key for message in await self._inbox.read(run_id, topic))

    def of(self, run_id: str, topic: str) -> RunInbox:
        """One topic of one run, for whoever plays it."""
        return RunInbox(self._inbox, run_id, topic)


class RunInbox:
    """The messages of one topic for a run that this process plays. Its reader knows the last number it took."""

    def __init__(self, inbox: Inbox, run_id: str, topic: str) -> None:
        self._inbox, self._run_id, self._topic = inbox, run_id, topic
        self._signal = inbox.signal(run_id)
        self._quiet_until = 0.0

    async def look(self, after: int, *, closely: bool = False) -> list[InboxMessage]:
        """What is there now after a number.

        What another process sent a moment ago may be missed, unless one looks `closely`: most calls cost no read.
        """
        is_quiet = not self._signal.is_set() and asyncio.get_running_loop().time() < self._quiet_until
        return [] if is_quiet and not closely else await self._read(after, closely=closely)

    async def wait(self, after: int, timeout: float | None = None) -> list[InboxMessage]:
        """The same, as soon as there is something; nothing after `timeout` seconds. Nothing is read meanwhile."""
        loop = asyncio.get_running_loop()
        until = math.inf if timeout is None else loop.time() + timeout
        pause = 0.0
        while True:
            found = await self._read(after)
            if found or loop.time() >= until:
                return found
            with suppress(TimeoutError):
                async with asyncio.timeout_at(None if timeout is None else until):
                    # On SQLite any commit of another process wakes: most of them are about something else.
                    await asyncio.sleep(pause)
                    await self._signal.wait()
            pause = LOOK_SECONDS

    async def _read(self, after: int, *, closely: bool = False) -> list[InboxMessage]:
        # Taken before reading: what is sent between the read and the wait still wakes it.
        self._signal = self._inbox.signal(self._run_id)
        try:
            found = await self._inbox.read(self._run_id, self._topic, after)
        except StoreBlocked:
            if closely:
                raise
            # A run waits for the store where it writes to it; here it would lose the questions that are under way.
            found, self._signal = [], asyncio.Event()
            self._signal.set()
        # What was found is found again until it is taken.
        self._quiet_until = 0.0 if found else asyncio.get_running_loop().time() + LOOK_SECONDS
        return found
