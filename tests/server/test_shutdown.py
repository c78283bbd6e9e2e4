"""What a cancelled request gets: a 503 or an orderly end of its stream while a server shuts down, else nothing."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from dramaturg.server.shutdown import ShutdownResponses

EVENTS, AUDIO = b"text/event-stream; charset=utf-8", b"audio/wav"


async def cancelled(
    path: str = "/v1/runs", begins: bytes | None = None, *, shutting_down: bool = True
) -> tuple[list[Message], asyncio.Task[None]]:
    """What was sent for a request that waits for ever, once it is cancelled, and its task."""
    waits, sent = asyncio.Event(), []
    state = SimpleNamespace(shutting_down=shutting_down)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if begins is not None:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", begins)]})
        waits.set()
        await asyncio.Event().wait()

    async def send(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {"type": "http", "method": "GET", "path": path, "app": SimpleNamespace(state=state)}
    task = asyncio.ensure_future(ShutdownResponses(app)(scope, receive, send))
    await waits.wait()
    task.cancel()
    await asyncio.wait([task])
    return sent, task


async def receive() -> Message:
    return {"type": "http.disconnect"}


async def test_a_request_without_a_response_gets_one_that_says_when_to_come_again() -> None:
    sent, task = await cancelled()
    assert not task.cancelled()
    assert sent[0]["status"] == 503
    assert dict(sent[0]["headers"])[b"retry-after"] == b"2"
    assert json.loads(sent[1]["body"])["error"]["code"] == "SHUTTING_DOWN"


async def test_an_event_stream_ends_in_order_where_it_is() -> None:
    sent, task = await cancelled(begins=EVENTS)
    assert not task.cancelled()
    assert sent[1:] == [{"type": "http.response.body", "body": b""}]


async def test_a_chat_program_is_told_in_the_stream_that_the_answer_is_not_whole() -> None:
    sent, _ = await cancelled("/v1/chat/completions", EVENTS)
    told = json.loads(sent[-1]["body"].removeprefix(b"data: "))["error"]
    assert (told["code"], told["type"]) == ("SHUTTING_DOWN", "server_error")


async def test_half_a_file_does_not_pass_for_a_whole_one() -> None:
    sent, task = await cancelled(begins=AUDIO)
    assert task.cancelled()
    assert len(sent) == 1


@pytest.mark.parametrize("begins", [None, EVENTS])
async def test_a_cancellation_at_any_other_time_is_left_alone(begins: bytes | None) -> None:
    sent, task = await cancelled(begins=begins, shutting_down=False)
    assert task.cancelled()
    assert len(sent) == (begins is not None)


async def test_a_refusal_keeps_its_own_time_and_others_are_given_one() -> None:
    async def times(*headers: tuple[bytes, bytes], status: int = 503) -> bytes | None:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": status, "headers": list(headers)})

        async def send(message: Message) -> None:
            sent.append(message)

        sent: list[Message] = []
        studio_app = SimpleNamespace(state=SimpleNamespace(shutting_down=True))
        await ShutdownResponses(app)({"type": "http", "path": "/", "app": studio_app}, receive, send)
        return dict(sent[0]["headers"]).get(b"retry-after")

    assert await times() == b"2"
    assert await times((b"retry-after", b"15")) == b"15"
    assert await times(status=422) is None
