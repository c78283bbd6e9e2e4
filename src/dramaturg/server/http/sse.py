"""Server-Sent Events: one way to frame, resume, end and describe every stream of this server.

FastAPI writes the frames and sends a comment after 15 idle seconds. A dependency prepares the stream before the
response begins, so that errors are reported with a status; the operation only yields its frames.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, BeforeValidator, Field
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from dramaturg.kernel.errors import DramaturgError

E = TypeVar("E")
EventStream = AsyncIterator[ServerSentEvent]
Responses = dict[int | str, dict[str, Any]]

LONGEST_ID = 120
LAST_NUMBER = 2**31 - 1
_RECONNECT = "the id of the last event received; browsers send it when they reconnect"
_IN_QUERY = "the same, for clients that cannot set headers"


def _given(value: object) -> object:
    """An empty number counts as none: clients send the header before they have received anything."""
    return None if isinstance(value, str) and not value.strip() else value


def _given_or_first(value: object) -> object:
    return 0 if _given(value) is None else value


LastEventId = Annotated[str | None, Header(max_length=LONGEST_ID, description=_RECONNECT)]
LastEventIdInQuery = Annotated[str | None, Query(alias="lastEventId", max_length=LONGEST_ID, description=_IN_QUERY)]
EntryNumber = Annotated[int, Field(ge=0, le=LAST_NUMBER)]
LastEntry = Annotated[EntryNumber | None, BeforeValidator(_given), Header(description=_RECONNECT)]
LastEntryInQuery = Annotated[EntryNumber, BeforeValidator(_given_or_first), Query(description=_IN_QUERY)]
LastEntryByName = Annotated[
    EntryNumber | None,
    BeforeValidator(_given),
    Query(alias="lastEventId", description="the same under its usual name"),
]

COMPLETE: Responses = {
    204: {"description": "The run has ended and the client has every event; there is nothing more to follow."}
}


class ClosingIterator(AsyncIterator[E]):
    """What is made of a source. Closing it closes both, also if nothing was ever read."""

    def __init__(self, made: AsyncIterator[E], source: AsyncIterable[Any]) -> None:
        self._made, self._source = made, source

    async def __anext__(self) -> E:
        return await anext(self._made)

    async def aclose(self) -> None:
        await _close(self._made)
        await _close(self._source)


def event_stream(
    events: AsyncIterator[E], frame: Callable[[E], ServerSentEvent], opening: Sequence[ServerSentEvent] = ()
) -> EventStream:
    """The opening frames, then one frame for every event.

    The source is closed with the stream, at its end or when the client disconnects. Once the response has begun, an
    error cannot be reported with a status: the stream ends, and the client is told when it reconnects.
    """

    async def frames() -> EventStream:
        for framed in opening:
            yield framed
        try:
            async for event in events:
                yield frame(event)
        except DramaturgError:
            return
        finally:
            await _close(events)

    return ClosingIterator(frames(), events)


def streamed(prepare: Callable[..., Awaitable[EventStream]]) -> Any:
    """Depends on the stream that `prepare` returns, and closes it with its response.

    FastAPI leaves a stream where it stands if its reader leaves while a frame is handed on. What it holds would then be
    released by the garbage collector, which cannot wait for anything.
    """
    prepared = Depends(prepare)

    async def closed_with_the_response(events: EventStream = prepared) -> AsyncIterator[EventStream]:
        try:
            yield events
        finally:
            await _close(events)

    return Depends(closed_with_the_response)


class ClosingResponse(StreamingResponse):
    """A stream that is no stream of events, closed with its response likewise."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await _close(self.body_iterator)


def data_frame(event_id: str, event: str, json: str) -> ServerSentEvent:
    """An event: its id, its name, and one line of JSON."""
    return ServerSentEvent(id=event_id, event=event, raw_data=json)


def greeting(comment: str, retry_ms: int) -> ServerSentEvent:
    """A first frame without data: it opens the stream at once and tells the client how soon to reconnect."""
    return ServerSentEvent(comment=comment, retry=retry_ms)


async def begun(events: AsyncIterator[E]) -> AsyncIterator[E]:
    """The same events, once the first has arrived. Raises what the source raises before its first event."""
    first = await anext(events, None)

    async def from_first() -> AsyncIterator[E]:
        try:
            if first is None:
                return
            yield first
            async for event in events:
                yield event
        finally:
            await _close(events)

    return ClosingIterator(from_first(), events)


def described(
    model: Any,
    description: str,
    *,
    id_is: str,
    event_is: str,
    entry: type[BaseModel] | None = None,
    numbered: bool = True,
) -> Responses:
    """The OpenAPI description of a stream of `model`; `entry` is the schema of `data`, where it has a single one.

    It is not `numbered` if some events have no id.
    """
    data: dict[str, Any] = {
        "type": "string",
        "contentMediaType": "application/json",
        "description": "one JSON object on one line",
    }
    if entry is not None:
        data["contentSchema"] = {"$ref": f"#/components/schemas/{entry.__name__}"}
    item = {
        "type": "object",
        "required": ["id", "event", "data"] if numbered else ["event", "data"],
        "properties": {
            "id": {"type": "string", "description": id_is},
            "event": {"type": "string", "description": event_is},
            "data": data,
        },
    }
    return {
        200: {
            "model": model,
            "description": description,
            "content": {EventSourceResponse.media_type: {"itemSchema": item}},
        }
    }


async def _close(events: AsyncIterable[E]) -> None:
    if isinstance(events, AsyncGenerator | ClosingIterator):
        await events.aclose()
