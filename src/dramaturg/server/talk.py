"""Streams of a session, for whoever sends and for whoever listens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from fastapi.sse import EventSourceResponse, ServerSentEvent

from dramaturg.episodes.wire import Mark, StreamEvent
from dramaturg.kernel.errors import DramaturgError
from dramaturg.studio import Studio

RETRY_MS = 1500
EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "description": "the place in the stream; send it back as `Last-Event-ID`"},
        "event": {"type": "string", "description": "the type of the event, which `data` repeats"},
        "data": {"type": "string", "contentMediaType": "application/json", "description": "one event in one line"},
    },
}
TURN: dict[int | str, dict[str, Any]] = {
    200: {
        "model": StreamEvent,
        "description": "The events of the turn, up to `done`. `id` is the place in the stream, `event` the type.",
        "content": {EventSourceResponse.media_type: {"itemSchema": EVENT}},
    }
}


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn somebody waits for: what is shown after a place, up to its `done`; without an end, if it is followed."""

    session: str
    after: Mark
    client_id: str | None = None
    followed: bool = False


async def sent(turn: Turn, studio: Studio) -> AsyncIterator[ServerSentEvent]:
    """The turn does not belong to the connection: who is cut off goes on after the last event they got."""
    yield ServerSentEvent(retry=RETRY_MS, comment=f"session {turn.session}")
    parlour = studio.episodes
    events: AsyncIterator[StreamEvent] = (
        parlour.follow(turn.session, turn.after)
        if turn.followed
        else parlour.turn(turn.session, turn.after, turn.client_id)
    )
    try:
        async for event in events:
            yield ServerSentEvent(id=event.id, event=event.type, raw_data=event.model_dump_json())
    except DramaturgError:
        # The headers are out; who connects again is told with a status.
        return
