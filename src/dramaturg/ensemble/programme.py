"""A session as one audio programme: its turns are the chapters, its slots the seats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from dramaturg.ensemble.events import EnsembleRun, TurnIndex
from dramaturg.ensemble.state import EnsembleState, ensemble_state, in_order
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.export import ProgrammeExport, export_programme, export_target
from dramaturg.voices.programme import MissingPassage, Programme, ProgrammePassage, seats

CHAPTERS: Mapping[TurnIndex, str] = {1: "Turn 1: answers", 2: "Turn 2: comments", 3: "Turn 3: replies"}
LINE_GAP_MS, TURN_GAP_MS = 500, 1_400
LOST = "its file is gone: moved, or pruned with the session"
NOT_SPOKEN = "it was not spoken when the session was played"


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
            reason = LOST if made else failed.message if failed else NOT_SPOKEN
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


def export_session(run: EnsembleRun, artifacts: Artifacts, out: Path | None = None) -> ProgrammeExport:
    """Mix a session and write it beside its `session.json`, or to `out`. Nothing new is recorded.

    Raises VoiceError if the session has no recordings, InvalidConfig if the file belongs to something else.
    """
    state = ensemble_state(run.entries)
    target = export_target(run.id, run.record.kind, artifacts, state.request.folder, out)
    paths = [made.recording.path for made in state.recorded.values()]
    lost = {path for path in paths if not artifacts.path(path).exists()}
    return replace(export_programme(programme_of(state, lost), target, artifacts.root), newly_spoken=0)
