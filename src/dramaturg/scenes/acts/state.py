"""The state of an act: a fold over its events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dramaturg.kernel.runs.damage import unopened
from dramaturg.kernel.runs.events import Entry, Event, RunForked
from dramaturg.kernel.runs.fold import Fold
from dramaturg.scenes.acts.events import (
    ActEnded,
    ActForked,
    ActOpened,
    ActSceneEnded,
    ActSceneResumed,
    ActSceneStarted,
)


@dataclass(frozen=True, slots=True)
class ActState:
    """Immutable. `begun` are all scenes that were begun, `played` those that ended; `shared` of `begun` are another's.

    `current` is the scene that was begun and has not ended, `answers` how many answers it had when it was taken up.
    """

    opened: ActOpened | None = None
    forked: ActForked | None = None
    begun: tuple[ActSceneStarted, ...] = ()
    played: tuple[ActSceneEnded, ...] = ()
    shared: int = 0
    current: ActSceneStarted | None = None
    answers: int = 0
    ended: ActEnded | None = None

    @property
    def act(self) -> ActOpened:
        if self.opened is None:
            raise unopened("act")
        return self.opened

    @property
    def upcoming(self) -> str:
        """The scene to begin next, by its name in the act, or `end`."""
        return self.played[-1].then if self.played else self.act.config.scenes[0].name

    @property
    def folder(self) -> str:
        return self.forked.folder if self.forked else self.act.folder


def act_state(entries: Iterable[Entry[Event]]) -> ActState:
    """The state of an act from its log."""
    return ACT_FOLD(entries)


ACT_FOLD = Fold(ActState())


@ACT_FOLD.on(ActOpened)
def _(event: ActOpened, state: ActState, entry: Entry[Event]) -> ActState:
    return replace(state, opened=event)


@ACT_FOLD.on(RunForked)
def _(event: RunForked, state: ActState, entry: Entry[Event]) -> ActState:
    return replace(state, shared=len(state.begun), current=None)


@ACT_FOLD.on(ActForked)
def _(event: ActForked, state: ActState, entry: Entry[Event]) -> ActState:
    opened = state.act.model_copy(update={"model": event.model, "seed": event.seed})
    return replace(state, opened=opened, forked=event)


@ACT_FOLD.on(ActSceneStarted)
def _(event: ActSceneStarted, state: ActState, entry: Entry[Event]) -> ActState:
    return replace(state, begun=(*state.begun, event), current=event, answers=0)


@ACT_FOLD.on(ActSceneResumed)
def _(event: ActSceneResumed, state: ActState, entry: Entry[Event]) -> ActState:
    return replace(state, answers=event.answers)


@ACT_FOLD.on(ActSceneEnded)
def _(event: ActSceneEnded, state: ActState, entry: Entry[Event]) -> ActState:
    return replace(state, played=(*state.played, event), current=None)


@ACT_FOLD.on(ActEnded)
def _(event: ActEnded, state: ActState, entry: Entry[Event]) -> ActState:
    return replace(state, ended=event)
