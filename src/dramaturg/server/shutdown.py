"""What becomes of requests that are still being answered when a server that was told to end cannot wait any longer."""

from __future__ import annotations

import asyncio

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dramaturg.server.completions.errors import described_error, is_compatible
from dramaturg.server.http.errors import error_response

RETRY_SECONDS = 2
"""By then another server answers, or the next one is started."""
_STREAM = b"text/event-stream"
_MESSAGE = (
    "The server is shutting down and could not finish this request. What was saved is kept; "
    f"send the request again in {RETRY_SECONDS} seconds, with the same Idempotency-Key or client_id if it had one."
)


class ShutdownResponses:
    """Ends requests that are cancelled while the server shuts down, and gives every 503 of that time a `Retry-After`.

    One without a response yet gets a 503, and an event stream ends where it is, so that its reader resumes it. Anything
    else is cut off: if it ended in order, half a file would pass for a whole one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def noting(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message = _with_time(message) if scope["app"].state.shutting_down else message
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            if not scope["app"].state.shutting_down or not (start is None or _is_stream(start)):
                raise
            _go_on()
            if start is None:
                await _refusal()(scope, receive, noting)
            else:
                await send({"type": "http.response.body", "body": _last_frame(scope["path"])})


def _go_on() -> None:
    """Takes the cancellation back: what follows is short, and the server waits for it."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()


def _is_stream(start: Message) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(_STREAM) for name, value in start["headers"])


def _with_time(start: Message) -> Message:
    headers = MutableHeaders(raw=list(start["headers"]))
    if start["status"] == 503:
        headers.setdefault("Retry-After", str(RETRY_SECONDS))
    return {**start, "headers": headers.raw}


def _refusal() -> Response:
    return error_response(503, "SHUTTING_DOWN", _MESSAGE, {"retry_after": RETRY_SECONDS})


def _last_frame(path: str) -> bytes:
    """Programs of OpenAI's protocol do not resume a stream: they are told that the answer is not whole."""
    if not is_compatible(path):
        return b""
    return b"data: " + described_error(503, bytes(_refusal().body)) + b"\n\n"
