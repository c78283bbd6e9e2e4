"""`session.json`: a whole session for clients that poll a file. A view of the log, rewritten after each turn."""

from __future__ import annotations

import json
from typing import Final, Literal

from pydantic import Field

from dramaturg.ensemble.artifacts import in_data, manifest_path
from dramaturg.ensemble.events import (
    KINDS,
    TURNS,
    Assignment,
    ErrorType,
    LineKind,
    Seat,
    SlotFailed,
    SlotUnspoken,
    TurnIndex,
)
from dramaturg.ensemble.state import EnsembleState, Place
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import WireValue

SCHEMA: Final = "dramaturg.session/1"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TurnStatus = Literal["waiting", "playing", "texts_in", "audio_in", "skipped"]


class ManifestAudio(WireValue):
    """The recording of a line: its file, below `artifacts/`, and its measurements."""

    audio_path: str
    sha256: str
    duration_ms: int
    sample_rate: int
    bytes: int
    lufs: float | None = None
    engine: str
    voice: str
    language: str = ""
    words_path: str | None = None
    stage_path: str | None = None
    silent: bool = False


class ManifestError(WireValue):
    """A slot that failed in a turn: no text, or no recording of it."""

    turn_index: TurnIndex
    slot_id: int
    agent_id: str
    type: ErrorType
    message: str


class ManifestLine(WireValue):
    """One line of a session. `dropped` is set for a comment that did not reach its target."""

    turn_index: TurnIndex
    kind: LineKind
    slot_id: int
    agent_id: str
    text: str
    voice_profile: str
    target_slot_id: int | None = None
    received_from: tuple[int, ...] = ()
    dropped: bool = False
    repaired: bool = False
    shortened: bool = False
    salvaged: bool = False
    audio: ManifestAudio | None = None
    unspoken: str | None = Field(None, description="why the line stays text")


class ManifestTurn(WireValue):
    """The status of a turn, and its lines by slot."""

    turn_index: TurnIndex
    kind: LineKind
    status: TurnStatus
    reason: str | None = None
    lines: tuple[ManifestLine, ...] = ()


class SessionManifest(WireValue):
    """`session.json`."""

    schema_name: Literal["dramaturg.session/1"] = Field(SCHEMA, alias="schema")
    session_id: str
    kiosk: str
    ensemble: str
    message: str
    seed: int
    created_at: float
    finished: bool
    completed_slots: int
    cast: tuple[Seat, ...]
    turns: tuple[ManifestTurn, ...]
    dropped: tuple[Assignment, ...] = ()
    errors: tuple[ManifestError, ...] = ()


def manifest_of(session_id: str, created_at: float, state: EnsembleState) -> SessionManifest:
    """The manifest built from the log, even while the session is being played."""
    request = state.request
    unheard = (one for one in state.unspoken.values() if isinstance(one, SlotFailed))
    failed = (*state.failures.values(), *unheard)
    return SessionManifest(
        session_id=session_id,
        kiosk=request.kiosk,
        ensemble=request.ensemble,
        message=request.message,
        seed=request.seed,
        created_at=created_at,
        finished=state.ended is not None,
        completed_slots=len(state.survivors()),
        cast=request.cast,
        turns=tuple(_turn(turn, state) for turn in TURNS),
        dropped=state.routed.dropped if state.routed else (),
        errors=tuple(
            ManifestError(
                turn_index=one.turn,
                slot_id=one.slot_id,
                agent_id=state.seat(one.slot_id).agent_id,
                type=one.error,
                message=one.told,
            )
            for one in sorted(failed, key=lambda one: (one.turn, one.slot_id))
        ),
    )


def write_manifest(artifacts: Artifacts, manifest: SessionManifest) -> str:
    """Replace `session.json` atomically; returns its path below `artifacts/`. Raises StoreUnavailable."""
    path = manifest_path(manifest.session_id)
    artifacts.write_text(in_data(path), manifest.model_dump_json(indent=2) + "\n")
    return path


def render_schema() -> str:
    """The JSON Schema of `session.json`, draft 2020-12."""
    schema = SessionManifest.model_json_schema(by_alias=True, mode="serialization")
    return json.dumps({"$schema": DIALECT, "$id": f"urn:{SCHEMA.replace('/', ':')}", **schema}, indent=2) + "\n"


def _turn(turn: TurnIndex, state: EnsembleState) -> ManifestTurn:
    places = sorted(place for place in state.lines if place[0] == turn)
    skipped = state.skipped.get(turn)
    return ManifestTurn(
        turn_index=turn,
        kind=KINDS[turn],
        status=_status(turn, state),
        reason=skipped.reason if skipped else None,
        lines=tuple(_line(place, state) for place in places),
    )


def _status(turn: int, state: EnsembleState) -> TurnStatus:
    if turn in state.skipped:
        return "skipped"
    if turn in state.heard:
        return "audio_in"
    if turn in state.done:
        return "texts_in"
    return "playing" if turn in state.opened_turns else "waiting"


def _line(place: Place, state: EnsembleState) -> ManifestLine:
    spoke, recorded = state.lines[place], state.recorded.get(place)
    dropped = {one.slot_id for one in state.routed.dropped} if state.routed else set()
    audio = None
    if recorded:
        measured = recorded.recording.model_dump(
            include=set(ManifestAudio.model_fields) - {"audio_path", "words_path", "stage_path"}
        )
        paths = recorded.model_dump(include={"audio_path", "words_path", "stage_path"})
        audio = ManifestAudio.model_validate({**paths, **measured})
    silent = state.unspoken.get(place)
    received = state.comments_for(spoke.slot_id) if spoke.turn == 3 else ()
    return ManifestLine(
        turn_index=spoke.turn,
        kind=KINDS[spoke.turn],
        slot_id=spoke.slot_id,
        agent_id=state.seat(spoke.slot_id).agent_id,
        text=spoke.text,
        voice_profile=spoke.voice_profile,
        target_slot_id=spoke.target,
        received_from=tuple(comment.from_slot_id for comment in received),
        dropped=spoke.turn == 2 and spoke.slot_id in dropped,
        repaired=spoke.repaired,
        shortened=spoke.shortened,
        salvaged=spoke.salvaged,
        audio=audio,
        unspoken=silent.reason if isinstance(silent, SlotUnspoken) else None,
    )
