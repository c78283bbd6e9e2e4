"""The error tree as HTTP: a status for each branch, one shape for all, and nothing of this machine in it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import JsonValue
from starlette.exceptions import HTTPException

from dramaturg.kernel.errors import (
    AuthorError,
    BudgetExceeded,
    DramaturgError,
    InvalidConfig,
    ModelError,
    ModelOverloaded,
    ModelUnavailable,
    NotFound,
    RunFenced,
    StoreError,
    VoiceError,
    VoiceUnavailable,
)
from dramaturg.kernel.settings import Settings
from dramaturg.server.wire import Problem, Refused

_STATUSES: tuple[tuple[type[DramaturgError], int], ...] = (
    (NotFound, 404),
    (AuthorError, 422),
    (BudgetExceeded, 402),
    (ModelUnavailable, 503),
    (ModelError, 502),
    (VoiceUnavailable, 503),
    (VoiceError, 502),
    (RunFenced, 409),
    (StoreError, 503),
)
MEANINGS = {
    401: "The token is missing or wrong.",
    402: "The budget is spent.",
    404: "There is no such thing here.",
    409: "Somebody else plays the run, or it is being played.",
    413: "The request is too large.",
    422: "Something in the request, or in the files it names, cannot be played as it stands.",
    429: "Too much at once. `Retry-After` says in how many seconds to try again.",
    502: "A model was reached, and it refused.",
    503: "A model or the store cannot be reached.",
}
_CODES = {
    400: "BAD_REQUEST",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: NotFound.code,
    405: "METHOD_NOT_ALLOWED",
    413: "CONTENT_TOO_LARGE",
}
_FAULT = "This is a fault in dramaturg itself. What was played is kept; the server's log says more."
_ABSOLUTE = re.compile(r"(?<![\w.~:/\\-])(?:[A-Za-z]:\\|/)(?:[^\s'\"/\\]+[/\\])*([^\s'\"/\\,;:)]*)")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.I)
SHORTEST_SECRET = 8


class NothingNewError(Exception):
    """The run is over and the client has all of it: 204, which tells an EventSource to stop asking."""


class TooManyError(Exception):
    """Somebody asks too often: 429, and when to ask again."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = max(1, ceil(seconds))


def status_of(error: DramaturgError) -> int:
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def refusals(*statuses: int, json: bool = True) -> dict[int | str, dict[str, Any]]:
    """The answers of an operation that are not a success, for its description.

    `json` is false for an operation whose success is not JSON: its refusals are all the same.
    """
    known = {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{Refused.__name__}"}}}}
    return {status: {"description": MEANINGS[status], **({"model": Refused} if json else known)} for status in statuses}


def shaped(status: int, code: str, message: str, context: Mapping[str, JsonValue] | None = None) -> JSONResponse:
    """An error in the one shape."""
    body = Refused(error=Problem(code=code, message=message, context=context or {}))
    return JSONResponse(body.model_dump(mode="json"), status)


def answer_errors(app: FastAPI, settings: Settings) -> None:
    """Whatever is raised in this app is answered in the one shape."""

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, DramaturgError)
        discretion = Discretion(settings)
        response = shaped(
            status_of(error), error.code, discretion.text(error.message), discretion.mapping(error.context)
        )
        if isinstance(error, ModelOverloaded) and error.retry_after is not None:
            response.headers["Retry-After"] = str(max(1, round(error.retry_after)))
        return response

    async def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        found = [_located(one) for one in error.errors()]
        problems: list[JsonValue] = [{"where": where, "problem": message} for where, message in found]
        return shaped(422, InvalidConfig.code, "{}: {}.".format(*found[0]), {"problems": problems})

    async def plain(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = _CODES.get(error.status_code, f"HTTP_{error.status_code}")
        response = shaped(error.status_code, code, f"{error.detail}.")
        response.headers.update(error.headers or {})
        return response

    async def nothing_new(_: Request, __: Exception) -> Response:
        return Response(status_code=204)

    async def too_many(_: Request, error: Exception) -> Response:
        assert isinstance(error, TooManyError)
        wait = error.seconds
        message = f"That is too much at once. Try again in {wait} {'second' if wait == 1 else 'seconds'}."
        response = shaped(429, "TOO_MANY_REQUESTS", message, {"retry_after": wait})
        response.headers["Retry-After"] = str(wait)
        return response

    async def fault(_: Request, __: Exception) -> Response:
        return shaped(500, "INTERNAL", _FAULT)

    app.add_exception_handler(DramaturgError, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, plain)
    app.add_exception_handler(NothingNewError, nothing_new)
    app.add_exception_handler(TooManyError, too_many)
    app.add_exception_handler(Exception, fault)


def _located(problem: Mapping[str, Any]) -> tuple[str, str]:
    where = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "json_invalid":
        return f"body, character {problem['loc'][-1]}", f"this is not JSON: {problem['ctx']['error']}"
    return where, str(problem["msg"])


class Discretion:
    """Keeps to itself where on this machine the project lies, and what its keys are."""

    def __init__(self, settings: Settings) -> None:
        roots = {str(settings.project.resolve()), str(settings.project)} - {"."}
        self._roots = sorted(roots, key=len, reverse=True)
        self._secrets = [
            value
            for name, value in settings.env.items()
            if (_SECRET.search(name) or name == settings.server.token_env) and len(value) >= SHORTEST_SECRET
        ]

    def text(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        for root in self._roots:
            text = text.replace(root + os.sep, "").replace(root, "the project")
        return _ABSOLUTE.sub(r"\1", text)

    def mapping(self, values: Mapping[str, object]) -> dict[str, JsonValue]:
        return {str(key): self.value(value) for key, value in values.items()}

    def value(self, value: object) -> JsonValue:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping):
            return self.mapping(value)
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            return [self.value(one) for one in value]
        return self.text(str(value))
