"""The front of the ensemble: every operation on its sessions that the CLI and the server offer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from functools import cached_property, partial

from dramaturg.ensemble.artifacts import check_folder
from dramaturg.ensemble.cast import CastingContext, cast_ensemble
from dramaturg.ensemble.ensemble import read_ensemble
from dramaturg.ensemble.events import EnsembleRun, QuestionHeard, VoicingAsked
from dramaturg.ensemble.exports import export_text
from dramaturg.ensemble.kind import EnsembleKind
from dramaturg.ensemble.kiosk import KioskQueue, run_config
from dramaturg.ensemble.listing import EnsembleListing, listed_ensemble
from dramaturg.ensemble.manifest import SessionManifest
from dramaturg.ensemble.request import DEFAULT_KIOSK, ChatRequest, check_kiosk
from dramaturg.ensemble.spoken_question import SpokenQuestions
from dramaturg.ensemble.stage import Ticket, open_ensemble
from dramaturg.ensemble.state import ensemble_state
from dramaturg.ensemble.store import KioskStore
from dramaturg.ensemble.voicing import asked_voicing, check_voiceable, engine_for
from dramaturg.ensemble.wire import SessionEvent, Transmission
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.text.shortened import short_line
from dramaturg.trust import check_authored_model
from dramaturg.voices.lazy_booth import LazyBooth
from dramaturg.voices.profiles import profiles
from dramaturg.voices.voicing import VoicingRequest

LONGEST_NAME = 60


class EnsembleSessions:
    """The sessions of a project. One session is one run, under the same id; a kiosk strings sessions together."""

    def __init__(self, resources: Resources, booth: LazyBooth) -> None:
        self._resources = resources
        self._kiosks = KioskStore(resources.database)
        self._queue = KioskQueue(resources.runs, self._kiosks, resources.clock)
        self._booth = booth
        self.kind = EnsembleKind(resources, self._queue, booth)
        self.questions = SpokenQuestions(resources)
        self._opening = asyncio.Lock()

    @cached_property
    def voice_profiles(self) -> Mapping[str, str]:
        """The available voice profiles, with a description of each."""
        return {name: profile.about for name, profile in profiles().items()}

    async def listing(self) -> EnsembleListing:
        """The ensemble as it is written now, and the voices to choose from. Raises InvalidConfig."""
        settings = self._resources.settings
        return await asyncio.to_thread(listed_ensemble, settings.project, self.voice_profiles, settings)

    async def open(
        self,
        request: ChatRequest,
        *,
        model: str | None = None,
        run_id: str | None = None,
        follows: str | None = None,
        heard: QuestionHeard | None = None,
    ) -> EnsembleRun:
        """A new session, ready to play. Nothing is written before cast and models are checked.

        Raises RunFenced if the kiosk is busy and `[ensemble] when_busy` is "refuse". `run_id` is for callers
        that need to find the session again under a key of their own. `follows` is the session whose threads it takes
        over, empty for none; without it, that is the kiosk's last. `heard` is what a spoken question was.
        """
        resources, settings = self._resources, self._resources.settings
        check_folder(resources.artifacts)
        ensemble = read_ensemble(settings.project)
        default = model or (await resources.choose()).name
        context = CastingContext(
            settings.project,
            self.voice_profiles,
            default,
            resources.gateway.knows,
            partial(check_authored_model, settings),
        )
        cast = cast_ensemble(ensemble, request, context)
        for name in dict.fromkeys(one.seat.model for one in cast):
            resources.gateway.open(name)
        session_id = run_id or new_id(resources.clock.now())
        seed = next((s for s in (request.seed, settings.seed) if s is not None), None)
        # One at a time, so that two concurrent requests do not both find the kiosk free.
        async with self._opening:
            number = await self._kiosks.ticket(request.kiosk, resources.clock.now())
            if settings.ensemble.when_busy == "refuse":
                await self._queue.refuse_if_busy(request.kiosk, number)
            ticket = Ticket(session_id, number, _seed(session_id) if seed is None else seed, follows)
            opening = open_ensemble(ensemble, request, cast, ticket, profiles=self.voice_profiles, settings=settings)
            opening += (heard,) if heard is not None else ()
            kept = run_config(request.kiosk, number)
            name = short_line(request.message, LONGEST_NAME)
            return await resources.runs.create(self.kind, name, ticket.seed, kept, run_id=session_id, opening=opening)

    def start(self, run: EnsembleRun) -> asyncio.Task[None]:
        """Play a session in the background, resuming from its log."""
        return self._resources.engine.start(self._resources.runs.perform(run))

    async def ask(self, request: ChatRequest, *, model: str | None = None) -> EnsembleRun:
        """Ask the ensemble: open a session and play it in the background. Use `follow` to stream it."""
        run = await self.open(request, model=model)
        self.start(run)
        return run

    async def voice(self, session_id: str, request: VoicingRequest) -> VoicingAsked:
        """Have a session that is over spoken, or some of its lines, in the background. Use `follow` to stream it.

        Raises RunFenced while it is played, InvalidConfig or NotFound if there is nothing to speak, and VoiceError if
        the engine cannot speak here or does not have the voice.
        """
        resources = self._resources
        run = await self.open_run(session_id)
        check_voiceable(run)
        check_folder(resources.artifacts)
        settings, state = resources.settings.voices, ensemble_state(run.entries)
        booth = await self._booth.open(engine_for(state, request))
        asked = asked_voicing(run, request, booth, settings, resources.artifacts)
        performance = resources.runs.perform(await resources.runs.adopt(run.record))
        await performance.write(asked)
        resources.engine.start(performance)
        return asked

    async def open_run(self, session_id: str) -> EnsembleRun:
        """A session's run with its log, read-only. Raises NotFound for a run of another kind."""
        return await self._resources.runs.open_as(self.kind, session_id)

    async def follow(self, session_id: str, after: int = 0) -> AsyncIterator[SessionEvent]:
        """The events of a session after number `after`, past and live, until it is over."""
        record = await self._resources.runs.get(session_id)
        transmission = Transmission(record.id)
        # The whole log: event numbers count from its beginning.
        async for entry in self._resources.runs.tail(record.id, audience="hidden"):
            if (made := transmission.of(entry)) is not None and made.seq > after:
                yield made

    def manifest(self, run: EnsembleRun) -> SessionManifest:
        """The session as its log has it, finished or not: the content of its `session.json`."""
        return self.kind.manifest(run)

    def export(self, run: EnsembleRun, form: str) -> str:
        """The session as md, txt, json, vtt or srt. Raises InvalidConfig for anything else."""
        return export_text(run, form)

    async def prune(self) -> tuple[str, ...]:
        """Remove the files of old sessions, as the settings say; returns their ids."""
        return await self.kind.prune()

    async def close(self) -> None:
        """Closes what hears questions."""
        await self.questions.aclose()

    async def reset(self, kiosk: str = DEFAULT_KIOSK) -> None:
        """Clear the conversation of a kiosk: the next request begins with empty threads. The log keeps it.

        Raises InvalidConfig for what cannot name a kiosk.
        """
        await self._kiosks.reset(check_kiosk(kiosk), self._resources.clock.now())


def _seed(session_id: str) -> int:
    """A seed per session, so that the same question is not answered the same way twice."""
    return int.from_bytes(session_id.encode()[-7:])
