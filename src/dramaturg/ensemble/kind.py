"""What a run of the ensemble is: one request, answered in three turns."""

from __future__ import annotations

from asyncio import to_thread

from dramaturg.ensemble.artifacts import check_folder, is_session_folder, prune_sessions
from dramaturg.ensemble.events import ENSEMBLE_EVENTS, EnsembleEvent, EnsembleRun, RemarkMade
from dramaturg.ensemble.kiosk import KIND, KioskQueue
from dramaturg.ensemble.manifest import SessionManifest, manifest_of, write_manifest
from dramaturg.ensemble.play import play_ensemble
from dramaturg.ensemble.programme import SpokenQuestion, export_session, spoken_question
from dramaturg.ensemble.seat_voices import cast_seats
from dramaturg.ensemble.stage import Speech, stage_ensemble
from dramaturg.ensemble.state import ENSEMBLE_FOLD, EnsembleState, ensemble_state
from dramaturg.ensemble.transcript import session_text
from dramaturg.ensemble.voicing import voice_session
from dramaturg.kernel.errors import DramaturgError, VoiceError
from dramaturg.kernel.runs import Kind, Performance, Resources
from dramaturg.voices.export import ProgrammeExport
from dramaturg.voices.lazy_booth import LazyBooth
from dramaturg.voices.listen import ListenRequest

MANY = 1000


class EnsembleKind(Kind[EnsembleEvent, EnsembleState]):
    """A session of the ensemble. It waits for its turn at the kiosk, is played, and frees the kiosk."""

    name = KIND
    noun = "a session of the ensemble"
    views = ("transcript", "exports")
    events = ENSEMBLE_EVENTS
    fold = ENSEMBLE_FOLD

    def __init__(self, resources: Resources, queue: KioskQueue, booth: LazyBooth) -> None:
        self._resources = resources
        self._queue = queue
        self._booth = booth

    async def play(self, performance: Performance[EnsembleEvent, EnsembleState]) -> None:
        resources, run = self._resources, performance.run
        check_folder(resources.artifacts)
        if performance.state.voicing is not None:
            await voice_session(performance, self._booth, resources)
            return
        await resources.gateway.ready()
        speech = await self._speech(performance.state)
        await self._queue.wait_turn(performance)
        if speech.casting is not None and performance.state.voices is None:
            performance.put(speech.casting, *(RemarkMade(code="VOICES", message=remark) for remark in speech.remarks))
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
        question = await self._question(run, request) if request.question else None
        return await to_thread(export_session, run, self._resources.artifacts, request, question)

    async def _question(self, run: EnsembleRun, request: ListenRequest) -> SpokenQuestion:
        state = ensemble_state(run.entries)
        try:
            booth = await self._booth.open(request.engine)
        except VoiceError as error:
            return SpokenQuestion(state.request.message, reason=error.message)
        return await spoken_question(state, booth, self._resources.settings.voices, request.question_voice)

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
        begun = state.voices
        try:
            booth = await self._booth.open(begun.engine if begun else None)
        except DramaturgError as error:
            return Speech(None, f"The lines stay text. {error.message}")
        if begun is not None:
            return Speech(booth, casting=begun)
        casting = cast_seats(state.cast, booth, self._resources.settings.voices)
        remarks = (booth.remark, *casting.remarks) if booth.remark else casting.remarks
        return Speech(booth, casting=casting.event(booth.engine), remarks=remarks)
