"""The one way in which every stream is framed, ended and closed."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

import pytest
from fastapi import Depends, FastAPI, HTTPException
from fastapi.routing import APIRoute
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.types import ASGIApp, Message

from dramaturg.kernel.errors import RunFenced, StoreError
from dramaturg.server.http.sse import ClosingResponse, EventStream, begun, data_frame, event_stream, greeting, streamed
from tests.server.visitor import Visitor, inside


class Source:
    """Numbers up to `last`, then an error if there is one; `closed` once nobody reads any more."""

    def __init__(self, last: int, error: Exception | None = None) -> None:
        self.last, self.error, self.closed = last, error, False

    async def numbers(self) -> AsyncIterator[int]:
        try:
            for number in range(1, self.last + 1):
                yield number
            if self.error is not None:
                raise self.error
        finally:
            self.closed = True


def frame(number: int) -> ServerSentEvent:
    return data_frame(str(number), "number", f'{{"n":{number}}}')


async def test_a_stream_has_its_opening_frames_then_its_events() -> None:
    source = Source(2)
    frames = [one async for one in event_stream(source.numbers(), frame, [greeting("session x", 1500)])]
    assert (frames[0].comment, frames[0].retry, frames[0].id, frames[0].raw_data) == ("session x", 1500, None, None)
    assert [(one.id, one.event, one.raw_data) for one in frames[1:]] == [
        ("1", "number", '{"n":1}'),
        ("2", "number", '{"n":2}'),
    ]
    assert source.closed


async def test_an_error_of_ours_ends_the_stream_and_a_fault_does_not_hide() -> None:
    assert len([one async for one in event_stream(Source(2, StoreError("gone")).numbers(), frame)]) == 2
    with pytest.raises(ZeroDivisionError):
        [one async for one in event_stream(Source(2, ZeroDivisionError()).numbers(), frame)]


async def test_a_client_that_disconnects_closes_the_source() -> None:
    source = Source(9)
    stream = event_stream(await begun(source.numbers()), frame)
    assert [(await anext(stream)).id for _ in range(3)] == ["1", "2", "3"]
    await stream.aclose()  # type: ignore[attr-defined]
    assert source.closed


async def test_what_goes_wrong_before_the_first_event_is_raised_before_the_stream() -> None:
    with pytest.raises(RunFenced):
        await begun(Source(0, RunFenced("busy")).numbers())
    assert [number async for number in await begun(Source(3).numbers())] == [1, 2, 3]


@pytest.mark.parametrize("opening", [[], [greeting("session x", 1500)]])
async def test_a_source_that_has_begun_is_closed_also_if_no_frame_is_ever_read(opening: list[ServerSentEvent]) -> None:
    app, source = FastAPI(), Source(99)

    async def numbers() -> EventStream:
        return event_stream(await begun(source.numbers()), frame, opening)

    async def refused(events: Annotated[EventStream, streamed(numbers)]) -> None:
        raise HTTPException(418)

    @app.get("/", dependencies=[Depends(refused)])
    async def follow() -> None:
        """Never reached."""

    async with inside(app) as insider:
        assert (await insider.get("/")).status == 418
    assert source.closed


async def test_a_cancelled_stream_closes_its_source() -> None:
    closed = asyncio.Event()

    async def silent() -> AsyncIterator[int]:
        try:
            await asyncio.Event().wait()
            yield 1
        finally:
            closed.set()

    async def read() -> None:
        async for _ in event_stream(silent(), frame):
            pass

    reading = asyncio.create_task(read())
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert closed.is_set()


async def left_while_a_frame_is_sent(app: ASGIApp) -> None:
    """Reads the first piece of a response, and leaves before it is sent."""
    sending = asyncio.Event()

    async def receive() -> Message:
        await sending.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message.get("body"):
            sending.set()
            await asyncio.Event().wait()

    scope = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "method": "GET", "path": "/"}
    await app({**scope, "headers": [], "query_string": b""}, receive, send)


async def test_a_source_is_closed_before_the_response_of_a_reader_who_left_is_over() -> None:
    app, source = FastAPI(), Source(99)

    async def numbers() -> EventStream:
        return event_stream(source.numbers(), frame)

    @app.get("/", response_class=EventSourceResponse)
    async def follow(events: Annotated[EventStream, streamed(numbers)]) -> EventStream:
        async for event in events:
            yield event

    await left_while_a_frame_is_sent(app)
    assert source.closed


async def test_a_stream_of_pieces_is_closed_with_its_response_likewise() -> None:
    source = Source(99)

    async def pieces() -> AsyncIterator[bytes]:
        try:
            async for number in source.numbers():
                yield b"%d" % number
        finally:
            source.closed = True

    await left_while_a_frame_is_sent(ClosingResponse(pieces()))
    assert source.closed


async def test_every_stream_of_the_server_is_closed_with_its_response(visitor: Visitor) -> None:
    routes = [one for one in visitor.server._app.routes if isinstance(one, APIRoute)]
    streams = [one for one in routes if one.response_class is EventSourceResponse]
    assert len(streams) > 8
    for route in streams:
        prepared = [getattr(one.call, "__qualname__", "") for one in route.dependant.dependencies]
        assert any(name.startswith(streamed.__name__) for name in prepared), route.path
