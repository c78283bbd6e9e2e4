"""What happens when a line is questioned. Such a run has its own kind and never changes the scene's run."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dramaturg.kernel.runs import Run
from dramaturg.kernel.runs.events import (
    Audience,
    Event,
    KernelEvent,
)
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.insight.causes import Cause
from dramaturg.scenes.insight.movement import Movement
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import ParsedResponse


class Effect(WireValue):
    """How a line changed without one cause; with `cause` empty, how far it varies by itself.

    `failed` says why there was no answer.
    """

    cause: Cause | None
    said: ParsedResponse | None = None
    movement: Movement | None = None
    failed: str = ""


class LineQuestioned(Event):
    """A test of the causes of another run's line; `again` is how often the beat is asked unchanged."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["line.questioned"] = "line.questioned"
    run: str
    line: Line
    character: str
    model: str
    said: ParsedResponse
    causes: tuple[Cause, ...]
    again: int = 1


class CauseTested(Event):
    """The beat was asked again with one cause removed, or unchanged."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["cause.tested"] = "cause.tested"
    effect: Effect


WhyEvent = Annotated[
    LineQuestioned | CauseTested | KernelEvent,
    Field(discriminator="type"),
]

WHY_EVENTS: TypeAdapter[WhyEvent] = TypeAdapter(WhyEvent)
WhyRun: TypeAlias = Run[WhyEvent]
