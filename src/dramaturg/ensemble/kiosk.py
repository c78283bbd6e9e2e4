"""The queue of a kiosk: requests are played one at a time, each continuing the conversation of the one before."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import orjson

from dramaturg.ensemble.conversation import carried
from dramaturg.ensemble.events import (
    EnsembleBegun,
    EnsembleEvent,
    EnsembleOpened,
    EnsembleRun,
    RequestQueued,
    ThreadCarried,
)
from dramaturg.ensemble.state import EnsembleState, ensemble_state
from dramaturg.ensemble.store import KioskStore
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import NotFound, RunFenced
from dramaturg.kernel.runs import Performance, RunLibrary
from dramaturg.kernel.store import RunRecord

KIND = "ensemble"
MANY = 1000
LOOK_AGAIN_SECONDS = 5.0
BEYOND = 10**9
"""A sequence number that no entry reaches."""


class KioskQueue:
    """Plays the requests of a kiosk one at a time, in the order they were made, across all processes."""

    def __init__(self, runs: RunLibrary, kiosks: KioskStore, clock: Clock) -> None:
        self._runs = runs
        self._kiosks = kiosks
        self._clock = clock

    async def ahead_of(self, kiosk: str, ticket: int) -> tuple[RunRecord, ...]:
        """The unfinished requests of a kiosk with a lower ticket number, oldest first."""
        # A session up to `last_ticket` only has to be marked as ended; nothing waits for that.
        out = (await self._kiosks.get(kiosk)).last_ticket
        playing = await self._runs.find(kind=KIND, status="playing", limit=MANY)
        found = [(number, record) for record in playing if (number := _ticket(record, kiosk)) is not None]
        earlier = [
            (number, record) for number, record in found if out < number < ticket and self._runs.may_be_held(record)
        ]
        return tuple(record for _, record in sorted(earlier, key=lambda one: one[0]))

    async def refuse_if_busy(self, kiosk: str, ticket: int) -> None:
        """Raises RunFenced while another request of this kiosk is being played."""
        if ahead := await self.ahead_of(kiosk, ticket):
            raise RunFenced(
                f"The ensemble at kiosk '{kiosk}' is answering another request (session {ahead[0].id}). "
                'Ask again when it is done, use another kiosk, or set [ensemble] when_busy = "queue".',
                kiosk=kiosk,
                run=ahead[0].id,
            )

    async def wait_turn(self, performance: Performance[EnsembleEvent, EnsembleState]) -> None:
        """Return when it is this run's turn, with the kiosk's threads in its log. A begun run keeps its turn."""
        if performance.state.begun is not None:
            return
        request = performance.state.request
        while ahead := await self.ahead_of(request.kiosk, request.ticket):
            if performance.state.queued is None:
                await performance.write(RequestQueued(behind=ahead[-1].id))
            await self._over(ahead[0].id)
        await performance.write(*await self._beginning(request, performance.state))

    async def advance(self, run: EnsembleRun) -> None:
        """Free the kiosk: every line of this request is in its log, and the next request continues from it."""
        state = ensemble_state(run.entries)
        request, resets = state.request, state.begun.resets if state.begun else 0
        await self._kiosks.advance(request.kiosk, run.id, request.ticket, resets=resets, at=self._clock.now())

    async def _over(self, run_id: str) -> None:
        """Return when a run is no longer being played, or after a timeout."""
        # Checked again after a while: if its process has died, no event reports the end.
        with suppress(NotFound, TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN_SECONDS):
                async for _ in self._runs.tail(run_id, after=BEYOND):
                    pass

    async def _beginning(self, request: EnsembleOpened, state: EnsembleState) -> tuple[EnsembleEvent, ...]:
        kiosk = await self._kiosks.get(request.kiosk)
        last = kiosk.last_run if request.follows is None else request.follows or None
        past = await self._state_of(last)
        begun = EnsembleBegun(follows=last if past else None, resets=kiosk.resets)
        if past is None:
            return (begun,)
        now = {seat.slot_id: seat.agent_id for seat in state.cast}
        # A seat keeps its thread even if it is not asked; a different agent in the seat starts a new one.
        kept = [(slot, agent) for slot, agent in past.agents().items() if now.get(slot, agent) == agent]
        threads = (
            ThreadCarried(slot_id=slot, agent_id=agent, exchanges=carried(past.thread(slot))) for slot, agent in kept
        )
        return (begun, *(thread for thread in threads if thread.exchanges))

    async def _state_of(self, run_id: str | None) -> EnsembleState | None:
        if run_id is None:
            return None
        try:
            return ensemble_state((await self._runs.open(run_id)).entries)
        except NotFound:  # it was deleted; the kiosk starts afresh
            return None


def run_config(kiosk: str, ticket: int) -> str:
    """The config stored with a run, so that the queue needs no logs."""
    return orjson.dumps({"kiosk": kiosk, "ticket": ticket}).decode()


def _ticket(record: RunRecord, kiosk: str) -> int | None:
    try:
        kept = orjson.loads(record.config)
    except orjson.JSONDecodeError:
        return None
    return int(kept["ticket"]) if isinstance(kept, dict) and kept.get("kiosk") == kiosk else None
