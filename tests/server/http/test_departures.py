"""Readers leave streams all the time; the log of a server says nothing about it."""

from __future__ import annotations

import pytest
from anyio import BrokenResourceError
from starlette.types import Message, Receive, Scope, Send

from dramaturg.server.http.departures import Departures

SCOPE: Scope = {"type": "http"}


def breaking(*errors: Exception, begun: bool = True):
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ExceptionGroup("in the stream", errors)

    return Departures(app)


async def receive() -> Message:
    return {"type": "http.disconnect"}


async def send(message: Message) -> None:
    pass


async def test_a_reader_who_leaves_while_a_frame_is_sent_is_not_a_fault() -> None:
    await breaking(BrokenResourceError())(SCOPE, receive, send)


async def test_any_other_error_in_a_stream_is_one() -> None:
    with pytest.raises(ExceptionGroup):
        await breaking(BrokenResourceError(), ValueError("ours"))(SCOPE, receive, send)


async def test_a_pipe_that_breaks_before_the_response_has_begun_is_one() -> None:
    with pytest.raises(ExceptionGroup):
        await breaking(BrokenResourceError(), begun=False)(SCOPE, receive, send)
