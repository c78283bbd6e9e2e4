"""Voicing a session that is over: lines without sound are spoken, or others anew, by the same or another engine.

It is recorded in the session's own log, so that whoever follows the session hears of it, and one that was interrupted
is resumed like any other run.
"""

from __future__ import annotations

from dramaturg.ensemble.events import (
    EnsembleRun,
    LinePlace,
    SeatVoice,
    SlotFailed,
    SlotUnspoken,
    VoicingAsked,
    VoicingEnded,
)
from dramaturg.ensemble.seat_voices import SeatBooth, cast_seats
from dramaturg.ensemble.speech import EnsemblePerformance, LineRecorder, VoicePlan, lost_recordings
from dramaturg.ensemble.state import EnsembleState, Place, ensemble_state, in_order
from dramaturg.kernel.errors import InvalidConfig, NotFound, RunFenced
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.lazy_booth import LazyBooth
from dramaturg.voices.voicing import VoicingRequest


def places_to_voice(state: EnsembleState, request: VoicingRequest, artifacts: Artifacts) -> tuple[Place, ...]:
    """The lines that a request is about, by turn and slot. Raises NotFound or InvalidConfig if there are none."""
    lines = in_order(state.lines)
    if request.line is not None and request.line > len(lines):
        raise NotFound(f"There is no line {request.line}; the session has {len(lines)}.", line=request.line)
    if request.slot is not None and all(slot != request.slot for _, slot in lines):
        raise NotFound(f"Slot {request.slot} says nothing in this session.", slot=request.slot)
    chosen = lines if request.line is None else lines[request.line - 1 : request.line]
    places = tuple(place for place in chosen if request.slot in (None, place[1]))
    if not request.is_anew:
        lost = set(lost_recordings(state, artifacts))
        places = tuple(place for place in places if place not in state.recorded or place in lost)
    if places:
        return places
    if request.is_anew:
        raise NotFound(f"Line {request.line} is not one of slot {request.slot}.", line=request.line, slot=request.slot)
    if not lines:
        raise InvalidConfig("Nobody says anything in this session, so there is nothing to speak.")
    raise InvalidConfig(
        "Every line of this session has its sound. To have it spoken anew, name an engine, a voice, a slot or a line."
    )


def asked_voicing(
    run: EnsembleRun, request: VoicingRequest, booth: SeatBooth, settings: VoiceSettings, artifacts: Artifacts
) -> VoicingAsked:
    """What is to be spoken, by whom. Raises VoiceError if the engine does not have the voice."""
    state = ensemble_state(run.entries)
    places = places_to_voice(state, request, artifacts)
    began_so = state.voices is not None and state.voices.engine == booth.engine
    if state.voices is not None and began_so:
        voices = {one.slot_id: one.voice for one in state.voices.voices}
    else:
        voices = dict(cast_seats(state.cast, booth, settings).voices)
    if request.voice:
        (named,) = booth.casting([request.voice])
        voices |= {slot: named for _, slot in places}
    return VoicingAsked(
        engine=booth.engine,
        lines=tuple(LinePlace(turn_index=turn, slot_id=slot) for turn, slot in places),
        voices=tuple(SeatVoice(slot_id=slot, voice=voice) for slot, voice in voices.items()),
    )


def engine_for(state: EnsembleState, request: VoicingRequest) -> str | None:
    """The engine that is asked for, else the one that the session began with, else that of the settings."""
    return request.engine or (state.voices.engine if state.voices else None)


def check_voiceable(run: EnsembleRun) -> None:
    """Raises RunFenced while the session is played, InvalidConfig if it was stopped before its end."""
    if run.record.status == "playing":
        raise RunFenced(f"Session {run.id} is being played. Have it voiced when it is over.", run=run.id)
    if ensemble_state(run.entries).ended is None:
        raise InvalidConfig(
            f"Session {run.id} was stopped before its end. Resume it first: dramaturg runs resume {run.id}", run=run.id
        )


async def voice_session(performance: EnsemblePerformance, booths: LazyBooth, resources: Resources) -> None:
    """Speak the lines that a voicing under way still owes, and bring the session's files up to date."""
    asked = performance.state.voicing
    if asked is None:
        return
    booth = await booths.open(asked.engine)
    voices = {one.slot_id: one.voice for one in asked.voices}
    plan = VoicePlan(voices, resources.settings.ensemble.stage_rate, f"voicing/{performance.run.id}")
    only = performance.state.to_voice()
    async with LineRecorder(performance, booth, resources.artifacts, plan, only) as recorder:
        pass
    ended = _ended(asked, performance.state)
    await recorder.update_manifest(ended)
    performance.put(ended)
    await performance.run.flush()


def _ended(asked: VoicingAsked, state: EnsembleState) -> VoicingEnded:
    why = [state.unspoken.get((line.turn_index, line.slot_id)) for line in asked.lines]
    failed = sum(isinstance(one, SlotFailed) for one in why)
    unspoken = sum(isinstance(one, SlotUnspoken) for one in why)
    return VoicingEnded(spoken=len(why) - failed - unspoken, failed=failed, unspoken=unspoken)
