"""Recording in the background: every line is recorded as soon as its text is in, while the next turn is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, TypeAlias

from dramaturg.ensemble.artifacts import audio_path, in_data, stage_path, words_path
from dramaturg.ensemble.events import (
    TURNS,
    EnsembleEvent,
    ManifestWritten,
    RemarkMade,
    SlotFailed,
    SlotRecorded,
    TurnHeard,
)
from dramaturg.ensemble.manifest import manifest_of, write_manifest
from dramaturg.ensemble.state import EnsembleState, Place
from dramaturg.kernel.errors import StoreError, VoiceError
from dramaturg.kernel.runs import Performance
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.recording import Recording

EnsemblePerformance: TypeAlias = Performance[EnsembleEvent, EnsembleState]
MANIFEST_LOST = "MANIFEST_NOT_WRITTEN"


class SpeechBooth(Protocol):
    """The part of the booth that a session needs: lines recorded as WAV files."""

    async def record(self, text: str, to: str, *, profile: str | None, voice: str | None) -> Recording:
        """Record the line to `to`, a path below the data folder. Raises VoiceError, StoreError."""
        ...

    async def copy_at(self, recording: Recording, rate: int, to: str) -> Recording:
        """Write the same recording at another sample rate."""
        ...


@dataclass(frozen=True, slots=True)
class VoicePlan:
    """The voice of each seat, and the sample rate of the copies for a stage, if any."""

    voices: Mapping[int, str] = field(default_factory=dict)
    stage_rate: int | None = None


class LineRecorder:
    """A context manager that records lines in the background and keeps the session's files up to date.

    Leaving the block waits for the last recording; leaving it with an error cancels the rest.
    """

    def __init__(
        self,
        performance: EnsemblePerformance,
        booth: SpeechBooth | None,
        artifacts: Artifacts,
        voices: VoicePlan | None = None,
    ) -> None:
        self._performance = performance
        self._plan = voices or VoicePlan()
        self._booth = booth
        self._artifacts = artifacts
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None
        self._writing = asyncio.Lock()

    async def __aenter__(self) -> LineRecorder:
        """Resumes the recordings an interrupted session still owes: unrecorded texts and lost files."""
        state = self._performance.state
        lost = [
            place
            for place, recorded in state.recorded.items()
            if not self._artifacts.path(in_data(recorded.audio_path)).exists()
        ]
        for place in (*lost, *state.owed()):
            self.record(place)
        self._close()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            while self._tasks and error is None and self._failure is None:
                await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        if error is None and self._failure is not None:
            raise self._failure

    def record(self, place: Place) -> None:
        """Record a line in the background. Without a booth it stays text only."""
        if self._booth is not None:
            self._begin(self._record(self._booth, place))

    def close_turn(self) -> None:
        """Close a turn whose texts are in, and its audio too if complete. Nothing waits for the manifest."""
        self._close()
        self._begin(self.update_manifest())

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and self._failure is None:
            self._failure = task.exception()

    async def update_manifest(self, *coming: Event) -> None:
        """Rewrite `session.json`, including the `coming` events. A write error is reported once, as a remark."""
        async with self._writing:
            performance = self._performance
            manifest = manifest_of(
                performance.run.id, performance.run.record.created_at, performance.state.after(coming)
            )
            try:
                path = await asyncio.to_thread(write_manifest, self._artifacts, manifest)
            except StoreError as error:
                self._remark(MANIFEST_LOST, error.message)
                return
            performance.put(ManifestWritten(path=path, turns=len(performance.state.done)))

    async def _record(self, booth: SpeechBooth, place: Place) -> None:
        performance, line = self._performance, self._performance.state.lines[place]
        seat = performance.state.seat(line.slot_id)
        profile = line.voice_profile if line.voice_profile in performance.state.profiles else None
        path = audio_path(performance.run.id, seat, line)
        try:
            voice = seat.voice or self._plan.voices.get(seat.slot_id)
            made = await booth.record(line.text, in_data(path), profile=profile, voice=voice)
            copied = await self._copied(booth, path, made)
        except (VoiceError, StoreError) as error:
            failed = {"turn": line.turn, "slot_id": line.slot_id, "error": "tts_error", "message": error.message}
            performance.put(SlotFailed.model_validate(failed))
        else:
            words = await asyncio.to_thread(self._words, path, made)
            recorded = {"turn": line.turn, "slot_id": line.slot_id, "voice_profile": line.voice_profile}
            # Word times have their own file; they would dominate the log.
            kept = made.model_copy(update={"words": ()})
            paths = {"audio_path": path, "words_path": words, "stage_path": copied, "recording": kept}
            performance.put(SlotRecorded.model_validate({**recorded, **paths}))
        if self._close():
            await self.update_manifest()

    async def _copied(self, booth: SpeechBooth, path: str, made: Recording) -> str | None:
        """Write a copy at the stage's sample rate, if one is configured."""
        if self._plan.stage_rate is None:
            return None
        copy = stage_path(path, self._plan.stage_rate)
        await booth.copy_at(made, self._plan.stage_rate, in_data(copy))
        return copy

    def _words(self, audio: str, made: Recording) -> str | None:
        if not made.words:
            return None
        path = words_path(audio)
        try:
            self._artifacts.write_json(in_data(path), {"words": [word.model_dump() for word in made.words]})
        except StoreError:
            return None  # the WAV is complete; an absent `wordsPath` says that the times are missing
        return path

    def _close(self) -> bool:
        """Report each turn whose audio is complete, once. Returns True if one was reported now.

        In turn order, whichever was recorded first, because a stage plays the turns in sequence.
        """
        said = False
        for turn in TURNS:
            state = self._performance.state
            if self._booth is None or turn not in state.done or state.owed(turn):
                break
            if turn not in state.heard:
                heard = tuple(sorted(slot for where, slot in state.recorded if where == turn))
                failed = tuple(sorted(slot for where, slot in state.unspoken if where == turn))
                self._performance.put(TurnHeard(turn=turn, slots=heard, failed=failed))
                said = True
        return said

    def _remark(self, code: str, message: str) -> None:
        if not any(remark.code == code for remark in self._performance.state.remarks):
            self._performance.put(RemarkMade(code=code, message=message))
