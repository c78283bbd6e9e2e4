"""Directions that were sent to a run, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs import own_entries
from dramaturg.kernel.store import InboxMessage, Status
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.author.effects import direction_in, follow, why_not
from dramaturg.scenes.author.names import addressed
from dramaturg.scenes.directions.direction import Direction
from dramaturg.scenes.directions.events import DirectionTaken
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.state import SceneState, scene_state

NOT_YET: dict[Status, str] = {
    "playing": "it is followed after the beat that is being played",
    "stopped": "the run is stopped: it is followed once the run is resumed",
    "failed": "the run has failed: it is followed once the run is resumed",
    "ended": "the scene had ended before it could be followed",
}


class SentDirection(WireValue):
    """A direction in the inbox of a run: it waits, was followed, was refused, or came too late. `reason` says why.

    `beat` is the one that had been played last when it was taken, or was about to be played.
    """

    number: int
    at: float
    author: str = ""
    direction: Direction
    outcome: Literal["waiting", "followed", "refused", "too_late"]
    beat: int | None = None
    reason: str = ""


def sent_directions(messages: Iterable[InboxMessage], run: SceneRun) -> tuple[SentDirection, ...]:
    """What became of these messages, as the log of the run tells."""
    own = own_entries(run.entries)
    taken = {entry.event.number: entry.event for entry in own if isinstance(entry.event, DirectionTaken)}
    known = [(message, direction_in(message)) for message in messages]
    return tuple(_sent(message, asked, taken.get(message.number), run) for message, asked in known if asked is not None)


def _sent(message: InboxMessage, asked: Direction, taken: DirectionTaken | None, run: SceneRun) -> SentDirection:
    sent = SentDirection(
        number=message.number, at=message.at, author=message.author, direction=asked, outcome="waiting"
    )
    if taken is None:
        status = run.record.status
        waits = status == "playing" and scene_state(run.entries).steering.waiting
        reason = "the scene waits, and follows it now" if waits else NOT_YET[status]
        return sent.model_copy(update={"outcome": "too_late" if status == "ended" else "waiting", "reason": reason})
    outcome = "refused" if taken.refused else "followed"
    return sent.model_copy(update={"outcome": outcome, "beat": taken.beat, "reason": taken.refused})


def checked(asked: Direction, run: SceneRun, messages: Sequence[InboxMessage]) -> Direction:
    """A direction with names as the cast has them. Raises InvalidConfig where it is known that it cannot be followed.

    `messages` are those already sent: whoever is on the way out cannot be sent out again.
    """
    state: SceneState = scene_state(run.entries)
    if state.ended is None:
        state = state.after(follow(messages, state))
    asked = addressed(asked, state)
    if state.ended is not None:
        raise InvalidConfig(f"Run {run.id} has ended; fork it to play on.", run=run.id)
    if reason := why_not(asked, state):
        raise InvalidConfig(f"That cannot be done: {reason}.", run=run.id, do=asked.do)
    return asked
