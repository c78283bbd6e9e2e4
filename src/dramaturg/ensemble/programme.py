"""A session as one audio programme: its turns are the chapters, its slots the seats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from dramaturg.ensemble.artifacts import in_data
from dramaturg.ensemble.events import EnsembleRun, SlotFailed, SlotUnspoken, TurnIndex
from dramaturg.ensemble.state import EnsembleState, ensemble_state, in_order
from dramaturg.kernel.errors import NotSpoken, VoiceError
from dramaturg.kernel.files import read_file
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.cache import LARGEST_METADATA
from dramaturg.voices.export import ProgrammeExport, export_programme, export_target
from dramaturg.voices.listen import ListenRequest
from dramaturg.voices.port import WordTime
from dramaturg.voices.programme import QUESTION_ID, MissingPassage, Programme, ProgrammePassage, seats
from dramaturg.voices.recording import Recording
from dramaturg.voices.wanted_voice import CastingBooth

CHAPTERS: Mapping[TurnIndex, str] = {1: "Turn 1: answers", 2: "Turn 2: comments", 3: "Turn 3: replies"}
LINE_GAP_MS, TURN_GAP_MS = 500, 1_400
LOST = "its file is gone: moved, or pruned with the session"
NOT_SPOKEN = "it was not spoken when the session was played"
ASKER, QUESTION = "Question", "The question"
_WORDS: TypeAdapter[dict[str, tuple[WordTime, ...]]] = TypeAdapter(dict[str, tuple[WordTime, ...]])


class QuestionBooth(CastingBooth, Protocol):
    """The part of a booth that the question needs."""

    async def record(self, text: str, to: str, *, profile: str | None, voice: str | None) -> Recording: ...


def programme_of(state: EnsembleState, lost: Collection[str] = ()) -> Programme:
    """Every recorded line, by turn and slot. A text that could not be spoken is listed as missing.

    `lost` are recordings whose file is gone, by their path.
    """
    places = {seat.slot_id: at for seat, at in zip(state.cast, seats(len(state.cast)), strict=True)}
    passages: list[ProgrammePassage] = []
    missing: list[MissingPassage] = []
    for turn, slot in in_order(state.lines):
        seat, line, made = state.seat(slot), state.lines[turn, slot], state.recorded.get((turn, slot))
        name = f"turn-{turn}/slot-{slot}"
        if made is None or made.recording.path in lost:
            failed = state.unspoken.get((turn, slot))
            reason = LOST if made else why_unspoken(failed)
            missing.append(MissingPassage(id=name, speaker=seat.name, text=line.text, reason=reason))
            continue
        chapter = CHAPTERS[turn]
        same = passages and passages[-1].chapter == chapter
        passages.append(
            ProgrammePassage(
                id=name,
                speaker=seat.name,
                text=line.text,
                recording=made.recording,
                seat=places[slot],
                gap_ms=LINE_GAP_MS if same else TURN_GAP_MS,
                chapter=chapter,
            )
        )
    return Programme(title=state.request.message, passages=tuple(passages), missing=tuple(missing))


def why_unspoken(failed: SlotFailed | SlotUnspoken | None) -> str:
    """Why a line has no sound."""
    if failed is None:
        return NOT_SPOKEN
    return failed.reason if isinstance(failed, SlotUnspoken) else failed.told


def export_session(
    run: EnsembleRun, artifacts: Artifacts, request: ListenRequest, question: SpokenQuestion | None = None
) -> ProgrammeExport:
    """Mix a session and write it beside its `session.json`, or to `request.out`. No line is recorded.

    Raises NotSpoken if it was played as text, VoiceError if none of its recordings is left, and InvalidConfig if the
    file belongs to something else.
    """
    state = ensemble_state(run.entries)
    target = export_target(run.id, run.record.kind, artifacts, state.request.folder, request.out)
    paths = [made.recording.path for made in state.recorded.values()]
    lost = {path for path in paths if not artifacts.found(path).exists()}
    programme = _timed(programme_of(state, lost), state, artifacts)
    if question is not None:
        programme = question.before(programme)
    programme = programme.model_copy(update={"backdrop": request.backdrop})
    if not programme.passages and {one.reason for one in programme.missing} == {NOT_SPOKEN}:
        raise NotSpoken(
            f"Session {run.id} was played as text. Have it spoken first: dramaturg runs voice {run.id}, or over HTTP "
            f"POST /v1/sessions/{run.id}/voice.",
            run=run.id,
        )
    return replace(export_programme(programme, target, artifacts.root), newly_spoken=int(question is not None))


def _timed(programme: Programme, state: EnsembleState, artifacts: Artifacts) -> Programme:
    """With the word times of each line, which are not in the log but beside its file."""
    beside = {one.recording.path: one.words_path for one in state.recorded.values()}
    passages = []
    for passage in programme.passages:
        words = _words(artifacts, beside.get(passage.recording.path))
        recording = passage.recording.model_copy(update={"words": words})
        passages.append(passage.model_copy(update={"recording": recording}))
    return programme.model_copy(update={"passages": tuple(passages)})


def _words(artifacts: Artifacts, path: str | None) -> tuple[WordTime, ...]:
    if path is None:
        return ()
    try:
        return _WORDS.validate_json(read_file(artifacts.found(in_data(path)), LARGEST_METADATA))["words"]
    except (OSError, ValidationError, KeyError):
        return ()


@dataclass(frozen=True, slots=True)
class SpokenQuestion:
    """What was asked, spoken by somebody who is not at the table; `reason` says why it could not be."""

    text: str
    recording: Recording | None = None
    reason: str = ""

    def before(self, programme: Programme) -> Programme:
        """The programme with the question in front, as a chapter of its own."""
        if self.recording is None:
            gone = MissingPassage(id=QUESTION_ID, speaker=ASKER, text=self.text, reason=self.reason)
            return programme.model_copy(update={"missing": (gone, *programme.missing)})
        asked = ProgrammePassage(
            id=QUESTION_ID, speaker=ASKER, text=self.text, recording=self.recording, chapter=QUESTION, gap_ms=0
        )
        return programme.model_copy(update={"passages": (asked, *programme.passages)})


async def spoken_question(
    state: EnsembleState, booth: QuestionBooth, settings: VoiceSettings, wanted: str | None = None
) -> SpokenQuestion:
    """The question, recorded in a voice that no seat of the session has. A failure costs the question alone."""
    text = state.request.message
    try:
        voice = wanted or settings.narrator or _unused(state, booth)
        path = f"{state.request.folder}/question.wav"
        return SpokenQuestion(text, await booth.record(text, path, profile=None, voice=voice))
    except VoiceError as error:
        return SpokenQuestion(text, reason=error.message)


def _unused(state: EnsembleState, booth: QuestionBooth) -> str | None:
    """A voice of the engine that nobody at the table has; the narrator's, if the narrator is not at the table."""
    taken = {made.recording.voice for made in state.recorded.values()}
    narrator = booth.narrator()
    if narrator not in taken:
        return narrator
    return next((voice for voice in booth.casting([None] * (len(taken) + 1)) if voice not in taken), narrator)
