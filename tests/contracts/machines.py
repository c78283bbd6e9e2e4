"""Machines that share a store: each with its own name, its own connection and an engine, all in one test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dramaturg.cluster.worker import QueueEngine
from dramaturg.kernel.clock import Clock, StillClock
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.runs import Engine, Event, Holder, Kinds, LocalEngine, ModelAnswered, Run, RunLibrary
from dramaturg.kernel.settings import QueueSettings, Settings
from dramaturg.kernel.store import Store, open_store
from dramaturg.kernel.store.database import Statement
from dramaturg.kernel.store.transactions import in_sequence
from tests.said import Said, SaidKind, recite

Play = Callable[[Run], Awaitable[None]]
MakeEngine = Callable[[RunLibrary], Engine]


def queue_engine(library: RunLibrary) -> QueueEngine:
    """An engine with a queue that these runs never need."""
    settings = Settings(queue=QueueSettings(enabled=True))
    return QueueEngine(LocalEngine(library), library, library._store.database, settings)


ENGINES: dict[str, MakeEngine] = {"local": LocalEngine, "queue": queue_engine}
"""Every engine that there is; one that is added here has to keep all that these tests say."""

LEASE = 300.0
"""So long that none is over, or renewed by itself, while a test runs: `time_passes` decides."""


@dataclass
class Machine:
    """A process on a machine of its own, as far as the others can tell."""

    store: Store
    library: RunLibrary
    engine: Engine

    async def playing(self, run: Run) -> None:
        """Starts a run and returns when its first line is said."""
        self.engine.start(self.library.perform(run))
        async for _ in self.library.tail(run.id):
            return

    async def take_up(self) -> list[str]:
        """Takes up what nobody plays, and plays it to its end."""
        taken = [one.id for one in await self.engine.resume_unfinished()]
        await self.engine.join()
        return taken

    async def types(self, run_id: str) -> list[str]:
        return [entry.event.type for entry in (await self.library.open(run_id)).entries]

    async def write(self, sql: str) -> None:
        await self.store.database.write(in_sequence(Statement(sql, {})))


@asynccontextmanager
async def machine(
    settings: Settings, name: str, play: Play = recite, *, make: MakeEngine = LocalEngine, clock: Clock | None = None
) -> AsyncIterator[Machine]:
    """A machine of this name that plays recitals in its own way."""
    store = await open_store(settings)
    library = RunLibrary(store, clock or StillClock(), Kinds.of([SaidKind(play), RestingKind(play)]), lease=LEASE)
    library.holder = Holder(name, 7, "42@elsewhere")
    try:
        yield Machine(store, library, engine := make(library))
        await engine.close()
    finally:
        await store.close()


class RestingKind(SaidKind):
    """A recital that is never over."""

    name = "resting"
    rests = True


async def say_one_and_wait(run: Run) -> None:
    await run.append(Said(text="0"))
    await asyncio.Event().wait()


def answered(key: str) -> Event:
    return ModelAnswered(key=key, purpose="acting", answer=ModelAnswer(text="…", model="m"))


def time_passes(seconds: float) -> str:
    """The SQL after which every lease has that much less to run."""
    return f"UPDATE runs SET lease_until = lease_until - {seconds}"
