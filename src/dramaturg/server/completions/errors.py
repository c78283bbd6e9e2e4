"""Errors as OpenAI's clients read them: on the paths of its protocol, every error body also has `type` and `param`."""

from __future__ import annotations

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATHS = ("/v1/chat/completions", "/v1/models", "/v1/audio/speech")
_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
_LARGEST = 100_000


def is_compatible(path: str) -> bool:
    """Whether a path belongs to the protocol."""
    return path in PATHS or path.startswith("/v1/models/")


def described_error(status: int, body: bytes) -> bytes:
    """An error body of this server with the two fields that OpenAI's clients also read."""
    try:
        told = orjson.loads(body)
        problems = told["error"].get("context", {}).get("problems") or [{}]
        where = str(problems[0].get("where", "")).removeprefix("body.") or None
        kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
        told["error"] |= {"type": kind, "param": where}
    except (orjson.JSONDecodeError, TypeError, KeyError, AttributeError):
        return body
    return orjson.dumps(told)


class CompatibleErrors:
    """Middleware that adds these fields to the errors of the protocol's paths, wherever in the server they arise."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_compatible(scope["path"]):
            await self._app(scope, receive, send)
            return
        start: Message | None = None
        body = b""

        async def described(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and message["status"] >= 400:
                start = message
                return
            if start is None:
                await send(message)
                return
            body += message.get("body", b"")
            if message.get("more_body") and len(body) < _LARGEST:
                return
            body = described_error(start["status"], body)
            headers = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
            await send({**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
            await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, described)
