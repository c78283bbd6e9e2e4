"""Recording in the background: every line is recorded as soon as its text is in, while the next turn is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import PurePath
from types import TracebackType
from typing import Protocol, TypeAlias

from dramaturg.ensemble.artifacts import audio_path, in_data, stage_path, words_path
from dramaturg.ensemble.events import (
    TURNS,
    EnsembleEvent,
    ManifestWritten,
    RemarkMade,
    Seat,
    SlotFailed,
    SlotRecorded,
    SlotUnspoken,
    TurnHeard,
    TurnIndex,
)
from dramaturg.ensemble.manifest import manifest_of, write_manifest
from dramaturg.ensemble.state import EnsembleState, Place
from dramaturg.kernel.errors import LineUnspeakable, StoreError, VoiceError
from dramaturg.kernel.runs import Performance
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.languages import code_of, language_of
from dramaturg.voices.queue import SpeechOrder
from dramaturg.voices.recording import Recording

EnsemblePerformance: TypeAlias = Performance[EnsembleEvent, EnsembleState]
RecordedLine: TypeAlias = SlotRecorded | SlotUnspoken | SlotFailed
"""What became of a line."""
MANIFEST_LOST = "MANIFEST_NOT_WRITTEN"


class SpeechBooth(Protocol):
    """The part of the booth that a session needs: lines recorded as WAV files."""

    async def record(
        self, text: str, to: str, *, profile: str | None, voice: str | None, language: str, order: SpeechOrder
    ) -> Recording:
        """Record the line to `to`, a path below the data folder. Raises LineUnspeakable, VoiceError, StoreError."""
        ...

    def lane(self, name: str) -> AbstractContextManager[None]:
        """Keep a lane of the booth's queue open while its lines come in."""
        ...

    async def copy_at(self, recording: Recording, rate: int, to: str) -> Recording:
        """Write the same recording at another sample rate."""
        ...


@dataclass(frozen=True, slots=True)
class VoicePlan:
    """The voice of each seat, the sample rate of the copies for a stage, if any, and the lane in the engine's queue."""

    voices: Mapping[int, str] = field(default_factory=dict)
    stage_rate: int | None = None
    lane: str = ""


class LineRecorder:
    """A context manager that records lines in the background and keeps the session's files up to date.

    A line is told of when every line of the turns before it was, whichever is recorded first, because a stage plays the
    turns in sequence. Leaving the block waits for the last recording; leaving it with an error cancels the rest. `only`
    are the lines of a session that is over which are to be spoken now, and no others.
    """

    def __init__(
        self,
        performance: EnsemblePerformance,
        booth: SpeechBooth | None,
        artifacts: Artifacts,
        voices: VoicePlan | None = None,
        only: tuple[Place, ...] | None = None,
    ) -> None:
        self._performance = performance
        self._plan = voices or VoicePlan()
        self._booth = booth
        self._artifacts = artifacts
        self._only = only
        self._awaited: dict[Place, RecordedLine | None] = {}
        self._question: asyncio.Task[str] | None = None
        self._lane = ExitStack()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None
        self._writing = asyncio.Lock()

    async def __aenter__(self) -> LineRecorder:
        """Resumes the recordings an interrupted session still owes: unrecorded texts and lost files."""
        state = self._performance.state
        if self._booth is not None:
            self._lane.enter_context(self._booth.lane(self._plan.lane))
            self._question = asyncio.create_task(asyncio.to_thread(language_of, state.request.message))
        owed = (*lost_recordings(state, self._artifacts), *state.owed()) if self._only is None else self._only
        for place in owed:
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
            self._lane.close()
            begun = [*self._tasks, *([self._question] if self._question else [])]
            for task in begun:
                task.cancel()
            await asyncio.gather(*begun, return_exceptions=True)
        if error is None and self._failure is not None:
            raise self._failure

    def record(self, place: Place) -> None:
        """Record a line in the background. Without a booth it stays text only."""
        if self._booth is not None:
            self._awaited[place] = None
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
                self._remark(MANIFEST_LOST, public_fault(error))
                return
            performance.put(ManifestWritten(path=path, turns=len(performance.state.done)))

    async def _record(self, booth: SpeechBooth, place: Place) -> None:
        self._awaited[place] = await self._recorded(booth, place)
        if self._tell():
            await self.update_manifest()

    async def _recorded(self, booth: SpeechBooth, place: Place) -> RecordedLine:
        performance, line = self._performance, self._performance.state.lines[place]
        seat = performance.state.seat(line.slot_id)
        profile = line.voice_profile if line.voice_profile in performance.state.profiles else None
        path = audio_path(performance.run.id, seat, line)
        where = {"turn": line.turn, "slot_id": line.slot_id}
        try:
            made = await booth.record(
                line.text,
                in_data(path),
                profile=profile,
                voice=self._plan.voices.get(seat.slot_id) or seat.voice,
                language=await self._expected(seat),
                order=SpeechOrder(lane=self._plan.lane, rank=line.turn),
            )
            copied = await self._copied(booth, path, made)
        except LineUnspeakable as error:
            language = str(error.context.get("language", ""))
            why = {"voice_profile": line.voice_profile, "reason": error.message, "language": language}
            return SlotUnspoken.model_validate({**where, **why})
        except (VoiceError, StoreError) as error:
            return SlotFailed.model_validate({**where, "error": "tts_error", "message": public_fault(error)})
        words = await asyncio.to_thread(self._words, path, made)
        # Word times have their own file; they would dominate the log.
        kept = made.model_copy(update={"words": ()})
        paths = {"audio_path": path, "words_path": words, "stage_path": copied, "recording": kept}
        return SlotRecorded.model_validate({**where, "voice_profile": line.voice_profile, **paths})

    async def _expected(self, seat: Seat) -> str:
        """The language that a seat's lines are in, unless they clearly are not."""
        if seat.language and (code := code_of(seat.language)):
            return code
        return await asyncio.shield(self._question) if self._question else ""

    def _tell(self) -> bool:
        """Report the recorded lines whose turn has come. Returns True if a turn was closed."""
        closed = False
        while self._awaited:
            turn = min(place[0] for place in self._awaited)
            made = {place: one for place, one in self._awaited.items() if place[0] == turn and one is not None}
            if not made:
                break
            for place, one in made.items():
                del self._awaited[place]
                self._performance.put(one)
            closed = self._close() or closed
        return closed

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
        """Report each turn whose audio is complete, once and in order. Returns True if one was reported now."""
        said = False
        for turn in TURNS:
            state = self._performance.state
            if self._booth is None or not self._is_complete(turn, state):
                break
            if turn not in state.heard and (self._only is None or any(place[0] == turn for place in self._only)):
                self._performance.put(turn_heard(turn, state))
                said = True
        return said

    def _is_complete(self, turn: TurnIndex, state: EnsembleState) -> bool:
        awaited = any(place[0] == turn for place in self._awaited)
        return turn in state.done and not awaited and (self._only is not None or not state.owed(turn))

    def _remark(self, code: str, message: str) -> None:
        if not any(remark.code == code for remark in self._performance.state.remarks):
            self._performance.put(RemarkMade(code=code, message=message))


def lost_recordings(state: EnsembleState, artifacts: Artifacts) -> tuple[Place, ...]:
    """Recorded lines whose files are gone."""
    return tuple(
        place
        for place, recorded in state.recorded.items()
        if not artifacts.found(in_data(recorded.audio_path)).exists()
    )


def turn_heard(turn: TurnIndex, state: EnsembleState) -> TurnHeard:
    """The event that closes the audio of a turn: which slots are heard, and which are not."""
    unheard = {slot: why for (where, slot), why in state.unspoken.items() if where == turn}
    return TurnHeard(
        turn=turn,
        slots=tuple(sorted(slot for where, slot in state.recorded if where == turn)),
        failed=tuple(sorted(slot for slot, why in unheard.items() if isinstance(why, SlotFailed))),
        unspoken=tuple(sorted(slot for slot, why in unheard.items() if isinstance(why, SlotUnspoken))),
    )


def public_fault(error: VoiceError | StoreError) -> str:
    """What everybody is told of a fault: a file is named, and not where this machine keeps it."""
    place = str(error.context.get("place") or "")
    return error.message.replace(place, PurePath(place).name) if place else error.message
