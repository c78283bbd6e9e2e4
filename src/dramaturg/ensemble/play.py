"""The three turns of an ensemble: respond, comment, reply. Read it top to bottom.

The log determines where to continue, so the same function resumes a session that was killed anywhere; answers
already paid for and lines already recorded are in the log and are not requested again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce

from dramaturg.ensemble.comment_routes import route
from dramaturg.ensemble.events import (
    TURNS,
    UNREADABLE,
    CommentsRouted,
    EnsembleEnded,
    EnsembleEvent,
    EnsembleRun,
    ErrorType,
    RemarkMade,
    Seat,
    SkipReason,
    SlotFailed,
    SlotStarted,
    TurnDone,
    TurnIndex,
    TurnSkipped,
    TurnStarted,
)
from dramaturg.ensemble.rehearsal.cues import read_ahead
from dramaturg.ensemble.speaker import Speaker
from dramaturg.ensemble.speech import EnsemblePerformance, LineRecorder, SpeechBooth, VoicePlan
from dramaturg.ensemble.state import EnsembleState
from dramaturg.kernel.errors import ModelError, ModelRejected, ModelTimeout, ModelUnavailable, ModelUnreadable
from dramaturg.kernel.floor import Failure, play_round
from dramaturg.kernel.store import Artifacts

FEWEST_AT_THE_TABLE = 2
COMMENTS: TurnIndex = 2
"""The turn in which they comment on each other."""
SKIPPED: Mapping[SkipReason, str] = {
    "all_failed": "No slot could answer, so there is nothing to talk about.",
    "fewer_than_two": "Only one slot has answered, and nobody comments on themselves.",
    "no_comments": "No comment has come in, so there is nothing to reply to.",
}

NO_AUDIO = "NO_AUDIO"
DECLINED = (
    "The model declined to answer. Another question, card or model may help; the log of the session has its words."
)


@dataclass(frozen=True, slots=True)
class EnsembleProduction:
    """The slots, ready to be asked, and the booth that records their lines; `silence` says why there is no booth.

    `on_spoken` is called once everything is written and recorded, before `done` is sent.
    """

    speakers: Mapping[int, Speaker]
    booth: SpeechBooth | None
    artifacts: Artifacts
    timeout: float
    on_spoken: Callable[[EnsembleRun], Awaitable[None]]
    silence: str = ""
    voices: VoicePlan = field(default_factory=VoicePlan)


async def play_ensemble(performance: EnsemblePerformance, production: EnsembleProduction) -> None:
    """Play a request to its end, resuming from its log."""
    if performance.state.ended is not None:
        return
    if production.silence and not any(remark.code == NO_AUDIO for remark in performance.state.remarks):
        performance.put(RemarkMade(code=NO_AUDIO, message=production.silence))
    if any(speaker.model.profile.reads_cues for speaker in production.speakers.values()):
        await read_ahead(performance.state.request.message)
    async with LineRecorder(performance, production.booth, production.artifacts, production.voices) as recorder:
        if COMMENTS in performance.state.done and performance.state.routed is None:
            performance.put(routed_comments(performance))
        for turn in TURNS:
            if performance.state.is_over(turn):
                continue
            if reason := why_skip(turn, performance.state):
                performance.put(TurnSkipped(turn=turn, reason=reason, message=SKIPPED[reason]))
            else:
                await play_turn(turn, performance, production, recorder)
    await end(performance, production, recorder)


async def play_turn(
    turn: TurnIndex, performance: EnsemblePerformance, production: EnsembleProduction, recorder: LineRecorder
) -> None:
    """Ask all participants concurrently; the turn is done when all texts are in, recorded or not."""
    slots = performance.state.to_cue(turn)
    if turn not in performance.state.opened_turns:
        performance.put(TurnStarted(turn=turn, slots=slots))
    waiting = {
        str(slot): speak(turn, production.speakers[slot], performance, recorder)
        for slot in slots
        if (turn, slot) not in performance.state.lines and (turn, slot) not in performance.state.failures
    }
    answers = await play_round(waiting, timeout=production.timeout)
    performance.put(*closing(turn, slots, answers.failures, performance))
    recorder.close_turn()


async def speak(turn: TurnIndex, speaker: Speaker, performance: EnsemblePerformance, recorder: LineRecorder) -> None:
    """One slot's line: requested, logged, and queued for recording. A failure is logged when it happens."""
    slot = speaker.seat.slot_id
    if (turn, slot) not in performance.state.started:
        performance.put(SlotStarted(turn=turn, slot_id=slot))
    try:
        line = await speaker.line(turn, performance.state, performance.put)
    except ModelError as error:
        performance.put(failed_slot(turn, speaker.seat, error))
        raise
    performance.put(line)
    recorder.record((turn, slot))


def closing(
    turn: TurnIndex, slots: tuple[int, ...], failures: tuple[Failure, ...], performance: EnsemblePerformance
) -> tuple[EnsembleEvent, ...]:
    """The events that close a turn: who was too late, and after turn 2 the routed comments."""
    known = performance.state.failures
    late = tuple(
        failed_slot(turn, performance.state.seat(int(failure.who)), failure.error)
        for failure in failures
        if (turn, int(failure.who)) not in known
    )
    gone = {slot for where, slot in known if where == turn} | {one.slot_id for one in late}
    spoken = tuple(slot for slot in slots if (turn, slot) in performance.state.lines)
    done = TurnDone(turn=turn, slots=spoken, failed=tuple(slot for slot in slots if slot in gone))
    return (*late, done, routed_comments(performance)) if turn == COMMENTS else (*late, done)


def routed_comments(performance: EnsemblePerformance) -> CommentsRouted:
    """Who is given which comments to reply to."""
    spoken = ((slot, line.target) for (turn, slot), line in performance.state.lines.items() if turn == COMMENTS)
    return route({slot: target for slot, target in spoken if target is not None}, performance.run.id)


def failed_slot(turn: TurnIndex, seat: Seat, error: ModelError) -> SlotFailed:
    """The event for a slot without a text."""
    return SlotFailed(
        turn=turn,
        slot_id=seat.slot_id,
        error=error_type(error),
        message=public_reason(error, seat.model),
        retryable=isinstance(error, ModelUnavailable),
    )


def public_reason(error: ModelError, model: str) -> str:
    """Why there is no text, for everybody: an answer is not quoted, for it may hold what a model only thought."""
    if isinstance(error, ModelUnreadable):
        return UNREADABLE
    if "finish" in error.context:
        return DECLINED
    names = (model, str(error.context.get("model") or model))
    return reduce(lambda told, name: told.replace(name, "the model") if name else told, names, error.message)


def why_skip(turn: TurnIndex, state: EnsembleState) -> SkipReason | None:
    """Why a turn cannot be played; None if it can."""
    if turn == 1:
        return None
    if not state.survivors():
        return "all_failed"
    if len(state.survivors()) < FEWEST_AT_THE_TABLE:
        return "fewer_than_two"
    return None if state.to_cue(turn) else "no_comments"


async def end(performance: EnsemblePerformance, production: EnsembleProduction, recorder: LineRecorder) -> None:
    """End the session. The manifest is written and the kiosk freed before `done` is sent, which is the last event."""
    survivors = performance.state.survivors()
    ended = EnsembleEnded(
        completed_slots=len(survivors),
        turns=len(performance.state.done),
        reason="completed" if survivors else "all_failed",
    )
    await recorder.update_manifest(ended)
    await performance.run.flush()
    await production.on_spoken(performance.run)
    performance.put(ended)
    await performance.run.flush()


def error_type(error: ModelError) -> ErrorType:
    """The wire name of a model's failure."""
    if isinstance(error, ModelTimeout):
        return "timeout"
    if isinstance(error, ModelUnreadable):
        return "unreadable"
    return "refused" if isinstance(error, ModelRejected) else "model_error"
