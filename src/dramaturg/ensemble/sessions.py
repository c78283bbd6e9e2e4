"""The sessions of a project: opened, played, followed, pruned. What the studio hands requests to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

from dramaturg.ensemble.artifacts import prune_sessions
from dramaturg.ensemble.casting import Placed
from dramaturg.ensemble.ensemble import Ensemble
from dramaturg.ensemble.events import EnsembleRun
from dramaturg.ensemble.kiosk import KIND, Usher, about
from dramaturg.ensemble.manifest import SessionManifest, manifest_of, write_manifest
from dramaturg.ensemble.play import play_ensemble
from dramaturg.ensemble.request import ChatRequest
from dramaturg.ensemble.stage import OpenModel, Speech, Ticket, open_ensemble, stage_ensemble
from dramaturg.ensemble.state import ensemble_state
from dramaturg.ensemble.store import KioskStore
from dramaturg.ensemble.wire import SessionEvent, Transmission
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs import RunLibrary
from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts

MANY = 1000
LONGEST_NAME = 60


class Sessions:
    """One session is one run; its id is the run's. A kiosk strings sessions together."""

    def __init__(
        self, settings: Settings, clock: Clock, runs: RunLibrary, kiosks: KioskStore, artifacts: Artifacts
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._runs = runs
        self._kiosks = kiosks
        self._artifacts = artifacts
        self._usher = Usher(runs, kiosks, clock)
        self._opening = asyncio.Lock()

    async def open(
        self,
        ensemble: Ensemble,
        request: ChatRequest,
        cast: Sequence[Placed],
        *,
        profiles: Mapping[str, str],
        seed: int | None = None,
        run_id: str | None = None,
        asked: str = "",
    ) -> EnsembleRun:
        """A new run, ready to be played. Raises Fenced where the kiosk is busy and the settings refuse."""
        session_id = run_id or new_id(self._clock.now())
        # One at a time, so that two that are made at once do not both find the kiosk free.
        async with self._opening:
            number = await self._kiosks.ticket(request.kiosk, self._clock.now())
            if self._settings.ensemble.when_busy == "refuse":
                await self._usher.refuse_if_busy(request.kiosk, number)
            ticket = Ticket(session_id, number, _seed(session_id) if seed is None else seed)
            opening = open_ensemble(ensemble, request, cast, ticket, profiles=profiles, settings=self._settings)
            kept = about(request.kiosk, number, asked)
            name = _name(request.message)
            return await self._runs.create(KIND, name, ticket.seed, kept, run_id=session_id, opening=opening)

    async def open_run(self, session_id: str) -> EnsembleRun:
        """A session's run with its log. Raises NotFound, or InvalidConfig for a run of another kind."""
        run = await self._runs.open(session_id)
        if run.kind != KIND:
            raise InvalidConfig(f"Run {run.id} is no session of an ensemble; it is a {run.kind}.", run=run.id)
        return run

    async def play(self, run: EnsembleRun, open_model: OpenModel, speech: Speech) -> None:
        """Wait for its turn at the kiosk, play it to its end, and let the next one in."""
        await self._usher.let_in(run)
        staged = stage_ensemble(run, self._settings, open_model, self._artifacts, speech, self._usher.let_out)
        await play_ensemble(run, staged)
        await self.prune()

    async def follow(self, session_id: str, after: int = 0) -> AsyncIterator[SessionEvent]:
        """What a session sends above number `after`, then what it sends as it is played, until it is over."""
        record = await self._runs.get(session_id)
        transmission = Transmission(record.id)
        # The whole log, since the numbers of what is sent count from its beginning.
        async for entry in self._runs.tail(record.id, audience="hidden"):
            if (made := transmission.of(entry)) is not None and made.seq > after:
                yield made

    def manifest(self, run: EnsembleRun) -> SessionManifest:
        """The session as its log tells it, over or not."""
        return manifest_of(run.id, run.record.created_at, ensemble_state(run.entries))

    def write(self, run: EnsembleRun) -> None:
        """Write `session.json` anew."""
        write_manifest(self._artifacts, self.manifest(run))

    async def reset(self, kiosk: str) -> None:
        """Let the next request of a kiosk begin with empty threads."""
        await self._kiosks.reset(kiosk, self._clock.now())

    async def prune(self) -> tuple[str, ...]:
        """Remove the files of old sessions, as the settings say; the ids that went."""
        limits = self._settings.ensemble
        if limits.keep_days is None and limits.keep_mb is None:
            return ()
        playing = {record.id for record in await self._runs.find(kind=KIND, status="playing", limit=MANY)}
        return await asyncio.to_thread(
            prune_sessions,
            self._artifacts,
            keep_days=limits.keep_days,
            keep_mb=limits.keep_mb,
            now=self._clock.now(),
            playing=playing,
        )


def _seed(session_id: str) -> int:
    """A session's own, so that the same question is not answered the same way twice."""
    return int.from_bytes(session_id.encode()[-7:])


def _name(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"
