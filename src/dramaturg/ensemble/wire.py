"""The JSON events that clients receive, exactly as documented; new fields are only ever added.

`seq` counts the sent events from 1 without gaps; `id` is `<sessionId>:<seq>`. The stream is a pure function of
the log, so a replay is identical to the live stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatchmethod
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from dramaturg.ensemble.events import (
    KINDS,
    Assignment,
    CommentsRouted,
    EnsembleEnded,
    EnsembleOpened,
    ErrorType,
    LineKind,
    ManifestWritten,
    QuestionAsked,
    RemarkMade,
    RequestQueued,
    Seat,
    SlotFailed,
    SlotRecorded,
    SlotSpoke,
    SlotStarted,
    SlotUnspoken,
    TurnDone,
    TurnHeard,
    TurnIndex,
    TurnSkipped,
    TurnStarted,
    VoicingAsked,
    VoicingEnded,
)
from dramaturg.ensemble.request import DEFAULT_KIOSK
from dramaturg.kernel.runs.events import Entry, Event, RunAdopted, RunStopped
from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.values import WireValue


class SessionEvent(WireValue):
    """The fields of every event. `ts` is in seconds since the epoch; `kiosk` is where the session was asked for."""

    v: Literal[1] = 1
    event: str
    seq: int = Field(ge=1)
    ts: float
    session_id: str
    kiosk: str = DEFAULT_KIOSK

    @property
    def id(self) -> str:
        """The id of the event in a stream."""
        return f"{self.session_id}:{self.seq}"

    def payload(self) -> str:
        """One line of JSON: the content of an SSE `data:` field, a WebSocket message or an OSC blob."""
        return self.model_dump_json(exclude_none=True)


class SlotEvent(SessionEvent):
    """An event of one slot in one turn."""

    turn_index: TurnIndex
    kind: LineKind
    slot_id: int
    agent_id: str


class SlotStart(SlotEvent):
    """`slot.start`: the slot is being asked."""

    event: Literal["slot.start"] = "slot.start"


class SlotDone(SlotEvent):
    """`slot.done`: its text is in. Turns 1 and 3 have `text`, turn 2 has `targetSlotId` and `comment`."""

    event: Literal["slot.done"] = "slot.done"
    text: str | None = None
    target_slot_id: int | None = None
    comment: str | None = None
    voice_profile: str
    repaired: bool = False
    shortened: bool = False
    salvaged: bool = False
    reprofiled: bool = False


class SlotAudio(SlotEvent):
    """`slot.audio`: a WAV file is available below `/v1/audio/`; or the line stays text, `unspoken`, and why."""

    event: Literal["slot.audio"] = "slot.audio"
    status: Literal["spoken", "unspoken"] = "spoken"
    voice_profile: str
    reason: str | None = None
    language: str | None = None
    audio_format: Literal["wav"] | None = None
    audio_path: str | None = None
    duration_ms: int | None = None
    sample_rate: int | None = None
    bytes: int | None = None
    sha256: str | None = None
    lufs: float | None = None
    engine: str | None = None
    voice: str | None = None
    cached: bool = False
    silent: bool = False
    words_path: str | None = None
    stage_path: str | None = None


class SlotErrorDetail(WireValue):
    """What went wrong with a slot."""

    type: ErrorType
    message: str
    retryable: bool = False


class SlotErrorEvent(SlotEvent):
    """`slot.error`: no text this turn, or a text that could not be spoken."""

    event: Literal["slot.error"] = "slot.error"
    error: SlotErrorDetail


class TurnEvent(SessionEvent):
    """An event of a whole turn."""

    turn_index: TurnIndex
    kind: LineKind


class TurnStart(TurnEvent):
    """`turn.start`, with the slots that take part."""

    event: Literal["turn.start"] = "turn.start"
    slots: tuple[int, ...]


class TurnEnd(TurnEvent):
    """`turn.done`: its texts are in."""

    event: Literal["turn.done"] = "turn.done"
    slot_count: int
    failed_slots: tuple[int, ...] = ()


class TurnAudio(TurnEvent):
    """`turn.audio`: its last recording is written."""

    event: Literal["turn.audio"] = "turn.audio"
    slot_count: int
    failed_slots: tuple[int, ...] = ()
    unspoken_slots: tuple[int, ...] = ()


class TurnSkip(TurnEvent):
    """`turn.skipped`, and why."""

    event: Literal["turn.skipped"] = "turn.skipped"
    reason: str
    message: str


class RouteDone(TurnEvent):
    """`route.done`: which comments reach whom, and which were dropped."""

    event: Literal["route.done"] = "route.done"
    assignments: tuple[Assignment, ...]
    dropped: tuple[Assignment, ...] = ()


class SessionQuestion(SessionEvent):
    """`session.question`: what was asked, and the slots that answer. Sessions of version 0.1.0 have none."""

    event: Literal["session.question"] = "session.question"
    message: str
    slots: tuple[int, ...]


class SessionQueued(SessionEvent):
    """`session.queued`: another request of this kiosk is being played."""

    event: Literal["session.queued"] = "session.queued"
    behind: str


class SessionRemark(SessionEvent):
    """`remark`: a notice; nothing has failed."""

    event: Literal["remark"] = "remark"
    code: str
    message: str


class SessionManifestReady(SessionEvent):
    """`session.manifest`: `session.json` is up to date."""

    event: Literal["session.manifest"] = "session.manifest"
    manifest_path: str
    turns: int


class SessionFault(WireValue):
    """Why a request was stopped as a whole. `attempt` counts how often it was played, from 1: resumed, it is 2."""

    type: str
    message: str
    attempt: int = 1


class SessionStopped(SessionEvent):
    """`session.error`: stopped before its end. A resumed session continues in the same stream."""

    event: Literal["session.error"] = "session.error"
    error: SessionFault


class SessionDone(SessionEvent):
    """`done`: the last event."""

    event: Literal["done"] = "done"
    completed_slots: int
    turns: int
    reason: str


class SessionVoicing(SessionEvent):
    """`session.voicing`: lines of a session that is over are being spoken, for the first time or anew."""

    event: Literal["session.voicing"] = "session.voicing"
    engine: str
    line_count: int


class SessionVoiced(SessionEvent):
    """`session.voiced`: they are; `slot.audio` told which."""

    event: Literal["session.voiced"] = "session.voiced"
    spoken_count: int
    failed_count: int
    unspoken_count: int


SentEvent = Annotated[
    SlotStart
    | SlotDone
    | SlotAudio
    | SlotErrorEvent
    | TurnStart
    | TurnEnd
    | TurnAudio
    | TurnSkip
    | RouteDone
    | SessionQuestion
    | SessionQueued
    | SessionRemark
    | SessionManifestReady
    | SessionStopped
    | SessionDone
    | SessionVoicing
    | SessionVoiced,
    Field(discriminator="event"),
]
SENT_EVENTS: TypeAdapter[SentEvent] = TypeAdapter(SentEvent)
INTERNAL = "The session was stopped by an internal error; the log of the server has it."


class Transmission:
    """Turns the entries of one log, fed in order from the first, into the events to send."""

    def __init__(self, session_id: str) -> None:
        self._session = session_id
        self._seats: dict[int, Seat] = {}
        self._kiosk = DEFAULT_KIOSK
        self._attempt = 1
        self.sent = 0

    def of(self, entry: Entry[Event]) -> SessionEvent | None:
        """The event to send for an entry; None if the entry is not public."""
        head = {"seq": self.sent + 1, "ts": entry.at, "session_id": self._session, "kiosk": self._kiosk}
        made = self._made(entry.event, head)
        self.sent += made is not None
        return made

    def _slot(self, event: SlotStarted | SlotSpoke | SlotRecorded | SlotUnspoken | SlotFailed) -> dict[str, object]:
        seat = self._seats[event.slot_id]
        return {**_turn(event.turn), "slot_id": seat.slot_id, "agent_id": seat.agent_id}

    @singledispatchmethod
    def _made(self, event: Event, head: dict[str, object]) -> SessionEvent | None:
        return None

    @_made.register
    def _(self, event: EnsembleOpened, head: dict[str, object]) -> SessionEvent | None:
        self._seats = {seat.slot_id: seat for seat in event.cast}
        self._kiosk = event.kiosk
        return None

    @_made.register
    def _(self, event: QuestionAsked, head: dict[str, object]) -> SessionEvent | None:
        return SessionQuestion.model_validate({**head, "message": event.message, "slots": event.slots})

    @_made.register
    def _(self, event: RequestQueued, head: dict[str, object]) -> SessionEvent | None:
        return SessionQueued.model_validate({**head, "behind": event.behind})

    @_made.register
    def _(self, event: RemarkMade, head: dict[str, object]) -> SessionEvent | None:
        return SessionRemark.model_validate({**head, "code": event.code, "message": event.message})

    @_made.register
    def _(self, event: TurnStarted, head: dict[str, object]) -> SessionEvent | None:
        return TurnStart.model_validate({**head, **_turn(event.turn), "slots": event.slots})

    @_made.register
    def _(self, event: SlotStarted, head: dict[str, object]) -> SessionEvent | None:
        return SlotStart.model_validate({**head, **self._slot(event)})

    @_made.register
    def _(self, event: SlotSpoke, head: dict[str, object]) -> SessionEvent | None:
        said = {"text": event.text} if event.target is None else {"target_slot_id": event.target, "comment": event.text}
        flags = event.model_dump(include={"voice_profile", "repaired", "shortened", "salvaged", "reprofiled"})
        return SlotDone.model_validate({**head, **self._slot(event), **said, **flags})

    @_made.register
    def _(self, event: SlotRecorded, head: dict[str, object]) -> SessionEvent | None:
        made = event.recording
        measured = made.model_dump(
            include={"duration_ms", "sample_rate", "bytes", "sha256", "lufs", "engine", "voice", "cached", "silent"}
        )
        paths = event.model_dump(include={"audio_path", "words_path", "stage_path"}) | {"audio_format": "wav"}
        profile = {"voice_profile": event.voice_profile, "language": made.language or None}
        return SlotAudio.model_validate({**head, **self._slot(event), **profile, **paths, **measured})

    @_made.register
    def _(self, event: SlotUnspoken, head: dict[str, object]) -> SessionEvent | None:
        why = {"status": "unspoken", "reason": event.reason, "language": event.language or None}
        return SlotAudio.model_validate({**head, **self._slot(event), **why, "voice_profile": event.voice_profile})

    @_made.register
    def _(self, event: SlotFailed, head: dict[str, object]) -> SessionEvent | None:
        error = {"type": event.error, "message": event.told, "retryable": event.retryable}
        return SlotErrorEvent.model_validate({**head, **self._slot(event), "error": error})

    @_made.register
    def _(self, event: TurnDone, head: dict[str, object]) -> SessionEvent | None:
        counted = {"slot_count": len(event.slots), "failed_slots": event.failed}
        return TurnEnd.model_validate({**head, **_turn(event.turn), **counted})

    @_made.register
    def _(self, event: TurnHeard, head: dict[str, object]) -> SessionEvent | None:
        counted = {"slot_count": len(event.slots), "failed_slots": event.failed, "unspoken_slots": event.unspoken}
        return TurnAudio.model_validate({**head, **_turn(event.turn), **counted})

    @_made.register
    def _(self, event: TurnSkipped, head: dict[str, object]) -> SessionEvent | None:
        why = {"reason": event.reason, "message": event.message}
        return TurnSkip.model_validate({**head, **_turn(event.turn), **why})

    @_made.register
    def _(self, event: CommentsRouted, head: dict[str, object]) -> SessionEvent | None:
        routed = {"assignments": event.assignments, "dropped": event.dropped}
        return RouteDone.model_validate({**head, **_turn(2), **routed})

    @_made.register
    def _(self, event: ManifestWritten, head: dict[str, object]) -> SessionEvent | None:
        return SessionManifestReady.model_validate({**head, "manifest_path": event.path, "turns": event.turns})

    @_made.register
    def _(self, event: EnsembleEnded, head: dict[str, object]) -> SessionEvent | None:
        counted = {"completed_slots": event.completed_slots, "turns": event.turns, "reason": event.reason}
        return SessionDone.model_validate({**head, **counted})

    @_made.register
    def _(self, event: VoicingAsked, head: dict[str, object]) -> SessionEvent | None:
        return SessionVoicing.model_validate({**head, "engine": event.engine, "line_count": len(event.lines)})

    @_made.register
    def _(self, event: VoicingEnded, head: dict[str, object]) -> SessionEvent | None:
        counted = {f"{name}_count": count for name, count in event.model_dump(exclude={"type"}).items()}
        return SessionVoiced.model_validate({**head, **counted})

    @_made.register
    def _(self, event: RunStopped, head: dict[str, object]) -> SessionEvent | None:
        reason = INTERNAL if event.code == "INTERNAL" else event.reason
        fault = {"type": event.code.lower(), "message": reason, "attempt": self._attempt}
        self._attempt += 1
        return SessionStopped.model_validate({**head, "error": fault})

    @_made.register
    def _(self, event: RunAdopted, head: dict[str, object]) -> SessionEvent | None:
        self._attempt += 1  # its process died, so nobody told of the end of that attempt
        return None


def sent_events(session_id: str, entries: Iterable[Entry[Event]], after: int = 0) -> Iterator[SessionEvent]:
    """The events of a session after number `after`. The entries are its whole log."""
    transmission = Transmission(session_id)
    for entry in entries:
        if (made := transmission.of(entry)) is not None and made.seq > after:
            yield made


def event_number(session_id: str, event_id: str) -> int | None:
    """The number in an event id; None if the id is malformed or of another session."""
    head, _, number = event_id.strip().rpartition(":")
    return whole_number(number) if head == session_id else None


def _turn(turn: int) -> dict[str, object]:
    return {"turn_index": turn, "kind": KINDS[turn]}
