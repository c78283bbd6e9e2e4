"""What a run of the ensemble is: one request, answered in three turns."""

from __future__ import annotations

from asyncio import to_thread

from dramaturg.ensemble.artifacts import is_session_folder, prune_sessions
from dramaturg.ensemble.events import ENSEMBLE_EVENTS, EnsembleEvent, EnsembleRun
from dramaturg.ensemble.kiosk import KIND, KioskQueue
from dramaturg.ensemble.manifest import SessionManifest, manifest_of, write_manifest
from dramaturg.ensemble.play import play_ensemble
from dramaturg.ensemble.programme import export_session
from dramaturg.ensemble.seat_voices import seat_voices
from dramaturg.ensemble.stage import Speech, stage_ensemble
from dramaturg.ensemble.state import ENSEMBLE_FOLD, EnsembleState, ensemble_state
from dramaturg.ensemble.transcript import session_text
from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.runs import Kind, Performance, Resources
from dramaturg.voices.export import ProgrammeExport
from dramaturg.voices.lazy_booth import LazyBooth
from dramaturg.voices.listen import ListenRequest

MANY = 1000


class EnsembleKind(Kind[EnsembleEvent, EnsembleState]):
    """A session of the ensemble. It waits for its turn at the kiosk, is played, and frees the kiosk."""

    name = KIND
    noun = "a session of the ensemble"
    events = ENSEMBLE_EVENTS
    fold = ENSEMBLE_FOLD

    def __init__(self, resources: Resources, queue: KioskQueue, booth: LazyBooth) -> None:
        self._resources = resources
        self._queue = queue
        self._booth = booth

    async def play(self, performance: Performance[EnsembleEvent, EnsembleState]) -> None:
        resources, run = self._resources, performance.run
        await resources.gateway.ready()
        speech = await self._speech(performance.state)
        await self._queue.wait_turn(performance)
        models = resources.models(performance)
        staged = stage_ensemble(run, resources.settings, models, resources.artifacts, speech, self._queue.advance)
        await play_ensemble(performance, staged)
        await self.prune()

    async def files(self, performance: Performance[EnsembleEvent, EnsembleState]) -> None:
        write_manifest(self._resources.artifacts, self.manifest(performance.run))

    def folder(self, run: EnsembleRun) -> str | None:
        folder = ensemble_state(run.entries).request.folder
        return folder if is_session_folder(folder) else None

    def show(self, run: EnsembleRun) -> str:
        return session_text(ensemble_state(run.entries))

    def manifest(self, run: EnsembleRun) -> SessionManifest:
        """The session as its log has it, finished or not."""
        return manifest_of(run.id, run.record.created_at, ensemble_state(run.entries))

    async def listen(self, run: EnsembleRun, request: ListenRequest) -> ProgrammeExport:
        return await to_thread(export_session, run, self._resources.artifacts, request.out)

    async def prune(self) -> tuple[str, ...]:
        """Remove the files of old sessions, as the settings say; returns their ids."""
        resources, limits = self._resources, self._resources.settings.ensemble
        if limits.keep_days is None and limits.keep_mb is None:
            return ()
        playing = {record.id for record in await resources.runs.find(KIND, status="playing", limit=MANY)}
        return await to_thread(
            prune_sessions,
            resources.artifacts,
            keep_days=limits.keep_days,
            keep_mb=limits.keep_mb,
            now=resources.clock.now(),
            playing=playing,
        )

    async def _speech(self, state: EnsembleState) -> Speech:
        if not state.request.audio:
            return Speech(None)
        try:
            booth = await self._booth.open()
        except VoiceError as error:
            return Speech(None, f"The lines stay text. {error.message}")
        return Speech(booth, voices=seat_voices(state.cast, booth, self._resources.settings.voices))
