"""The smallest play there is: something said aloud, something thought."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

from pydantic import Discriminator, TypeAdapter

from dramaturg.kernel.runs import Event, Fold, KernelEvent, Kind, Kinds, Performance, Run


class Said(Event):
    type: Literal["said"] = "said"
    text: str


class Thought(Event):
    audience = "hidden"
    type: Literal["thought"] = "thought"
    text: str
    weight: float = 0.0


AnyEvent = Annotated[Said | Thought | KernelEvent, Discriminator("type")]
EVENTS: TypeAdapter[Said | Thought | KernelEvent] = TypeAdapter(AnyEvent)
LINES = 3


async def recite(run: Run) -> None:
    """Says what is left of three lines."""
    said = [entry for entry in run.entries if isinstance(entry.event, Said)]
    for i in range(len(said), LINES):
        await run.append(Said(text=str(i)))


class SaidKind(Kind):
    """A recital, played by the function it is given."""

    name = "said"
    noun = "a recital"
    events = EVENTS
    fold = Fold(())

    def __init__(self, play: Callable[[Run], Awaitable[None]] = recite, events: TypeAdapter | None = None) -> None:
        self._play = play
        if events is not None:
            self.events = events

    async def play(self, performance: Performance) -> None:
        await self._play(performance.run)

    def show(self, run: Run) -> str:
        return "".join(f"{entry.event.text}\n" for entry in run.entries if isinstance(entry.event, Said))


KINDS = Kinds.of([SaidKind()])
