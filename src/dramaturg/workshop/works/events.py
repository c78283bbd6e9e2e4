"""What happens in a long work, whichever it is. A work may add events of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dramaturg.kernel.runs import Run
from dramaturg.kernel.runs.events import (
    Audience,
    Event,
    KernelEvent,
)
from dramaturg.kernel.values import JsonData
from dramaturg.workshop.book.knowledge import ToldFact


class WorkRequested(Event):
    """A long work of a book begins: what was asked for, by the writer or in an action, and what it may spend."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["work.requested"] = "work.requested"
    work: str
    book: str
    request: Mapping[str, JsonData] = Field(default_factory=dict)
    act: str = Field("", description="the Foreman's action that started it, if one did")
    tokens: int | None = None
    usd: float | None = None


class WorkProgressed(Event):
    """How far a work has got: so many of its questions are dealt with."""

    type: Literal["work.progressed"] = "work.progressed"
    done: int
    of: int
    what: str = ""


class CellFailed(Event):
    """A question without a usable answer. The rest stands without it, and it is not asked again."""

    type: Literal["cell.failed"] = "cell.failed"
    key: str
    error: str
    code: str


class WorkRemarked(Event):
    """Something to know about how the work is done, such as a judge that is the author's own model."""

    type: Literal["work.remarked"] = "work.remarked"
    text: str


class CellsAsked(Event):
    """The receipt of some questions: the tokens of each prompt, estimated, by the key of its cell."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["cells.asked"] = "cells.asked"
    tokens: Mapping[str, int]


class FactsTold(Event):
    """The facts that the prompts of a work contain: a thread leads from each to what was made of it."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["facts.told"] = "facts.told"
    facts: tuple[ToldFact, ...]
    about: str = Field("", description="what is made of them, such as a scene")


class WorkEnded(Event):
    """The work is done. `said` is told to the writer and to the Foreman, `result` has the details."""

    type: Literal["work.ended"] = "work.ended"
    said: str
    result: Mapping[str, JsonData] = Field(default_factory=dict)

    @property
    def is_progress(self) -> bool:
        return True


WorkEvent = (
    WorkRequested | WorkProgressed | CellFailed | WorkRemarked | CellsAsked | FactsTold | WorkEnded | KernelEvent
)
WORK_EVENTS: TypeAdapter[WorkEvent] = TypeAdapter(Annotated[WorkEvent, Field(discriminator="type")])
WorkRun: TypeAlias = Run[Any]


def work_events(own: Sequence[type[Event]]) -> TypeAdapter[Any]:
    """The events of a work with these of its own."""
    if not own:
        return WORK_EVENTS
    union: Any = reduce(or_, own, WorkEvent)
    known: TypeAdapter[Any] = TypeAdapter(Annotated[union, Field(discriminator="type")])
    return known
