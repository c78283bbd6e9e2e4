"""A reader who leaves a stream is not a fault of the server."""

from __future__ import annotations

from anyio import BrokenResourceError, ClosedResourceError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LEFT = (BrokenResourceError, ClosedResourceError)


class Departures:
    """Ends a response quietly if its reader left while something was being sent.

    FastAPI hands the frames of a stream through a pipe, and raises if the pipe is closed at the other end while a frame
    is in it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except BaseExceptionGroup as group:
            rest = group.split(_LEFT)[1]
            if not begun or rest is not None:
                raise
