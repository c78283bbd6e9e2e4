"""The state of a long work: a fold over its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dramaturg.kernel.runs.events import Entry, Event, KernelEvent, RunStopped
from dramaturg.kernel.runs.fold import Fold
from dramaturg.workshop.works.events import (
    CellFailed,
    CellsAsked,
    FactsTold,
    WorkEnded,
    WorkProgressed,
    WorkRemarked,
    WorkRequested,
)


@dataclass(frozen=True, slots=True)
class WorkState:
    """What was asked for, how far it got, what failed, the work's own events in order, and its end."""

    requested: WorkRequested | None = None
    progress: WorkProgressed | None = None
    failed: Mapping[str, CellFailed] = field(default_factory=dict)
    own: tuple[Event, ...] = ()
    remarks: tuple[str, ...] = ()
    asked: Mapping[str, int] = field(default_factory=dict)
    """The tokens of the prompts that were sent, by the key of their cells."""
    told: tuple[FactsTold, ...] = ()
    """The facts that its prompts contain."""
    stopped: RunStopped | None = None
    ended: WorkEnded | None = None


def _kept(state: WorkState, entry: Entry[Event]) -> WorkState:
    return state if isinstance(entry.event, COMMON) else replace(state, own=(*state.own, entry.event))


COMMON = (
    WorkRequested,
    WorkProgressed,
    CellFailed,
    WorkRemarked,
    CellsAsked,
    FactsTold,
    WorkEnded,
    *KernelEvent.__args__,
)
WORK_FOLD = Fold(WorkState(), each=_kept)


@WORK_FOLD.on(WorkRequested)
def _(event: WorkRequested, state: WorkState, entry: Entry[Event]) -> WorkState:
    return state if state.requested is not None else replace(state, requested=event)


@WORK_FOLD.on(WorkProgressed)
def _(event: WorkProgressed, state: WorkState, entry: Entry[Event]) -> WorkState:
    return replace(state, progress=event)


@WORK_FOLD.on(CellFailed)
def _(event: CellFailed, state: WorkState, entry: Entry[Event]) -> WorkState:
    return replace(state, failed={**state.failed, event.key: event})


@WORK_FOLD.on(WorkRemarked)
def _(event: WorkRemarked, state: WorkState, entry: Entry[Event]) -> WorkState:
    return replace(state, remarks=(*state.remarks, event.text))


@WORK_FOLD.on(CellsAsked)
def _(event: CellsAsked, state: WorkState, entry: Entry[Event]) -> WorkState:
    return replace(state, asked={**state.asked, **event.tokens})


@WORK_FOLD.on(FactsTold)
def _(event: FactsTold, state: WorkState, entry: Entry[Event]) -> WorkState:
    return replace(state, told=(*state.told, event))


@WORK_FOLD.on(RunStopped)
def _(event: RunStopped, state: WorkState, entry: Entry[Event]) -> WorkState:
    return replace(state, stopped=event)


@WORK_FOLD.on(WorkEnded)
def _(event: WorkEnded, state: WorkState, entry: Entry[Event]) -> WorkState:
    return replace(state, ended=event)
