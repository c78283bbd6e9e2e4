"""A turn of the Foreman as the writer follows it: what is said and done, with its place in the stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from dramaturg.kernel.runs import Aside, Entry, Mark, Piece
from dramaturg.kernel.runs.library import RunLibrary
from dramaturg.workshop.events import ForemanEvent, PromptAssembled
from dramaturg.workshop.turn_context import ForemanPerformance
from dramaturg.workshop.wire import ConsultDone, ConsultStreamEvent, MessageDelta, shown


async def turn_stream(
    performance: ForemanPerformance, after: Mark, turn: int, *, since: int | None = None, live: bool = True
) -> AsyncGenerator[ConsultStreamEvent, None]:
    """What the writer sees of a turn from a place in the log on, to its end; or of the turns `since` another too."""
    async with aclosing(performance.follow(after, live=live)) as entries:
        async for one in entries:
            event = _event_of(one)
            if event is None or event.turn < (turn if since is None else since):
                continue
            yield event
            if isinstance(event, ConsultDone) and event.turn == turn:
                return


async def overheard_turn(
    runs: RunLibrary, performance: ForemanPerformance, after: Mark, turn: int
) -> AsyncGenerator[ConsultStreamEvent, None]:
    """The same of a turn that another process works on, as it is written to the log."""
    tail = runs.tail(performance.id, performance.run.seq, "hidden")
    async with aclosing(tail) as entries:
        while True:
            async for event in turn_stream(performance, after, turn, live=False):
                yield event
                after = Mark.read(event.id)
                if isinstance(event, ConsultDone) and event.turn == turn:
                    return
            entry = await anext(entries, None)
            if entry is None:  # nobody works on it any more
                return
            performance.overhear(entry)


def _event_of(one: Entry[ForemanEvent] | Piece | Aside) -> ConsultStreamEvent | None:
    """What the writer sees of an entry or of a piece of an answer, with its place in the stream."""
    if isinstance(one, Piece):
        asked = one.entry.event
        turn = asked.turn if isinstance(asked, PromptAssembled) else 0
        return MessageDelta(turn=turn, text=one.text, id=str(one.mark))
    if isinstance(one, Aside):
        return None
    event = shown(one.event)
    return event.model_copy(update={"id": str(one.seq)}) if event is not None else None
