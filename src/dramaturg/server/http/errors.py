"""The error tree as HTTP: one status per branch, and one body for every error."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, ClassVar, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import JsonValue
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException

from dramaturg.episodes.apology import DAMAGED, HOST, STORE, apology, tells_of_damage
from dramaturg.episodes.deleted_players import PlayerDeleted
from dramaturg.kernel.errors import (
    AlreadyUsed,
    AuthorError,
    BudgetExceeded,
    CharacterLoadError,
    DramaturgError,
    FileChanged,
    InvalidConfig,
    InvalidSettings,
    LineUnspeakable,
    ModelError,
    ModelOverloaded,
    ModelUnavailable,
    NoSuchVoice,
    NotFound,
    NotSpoken,
    NotTrusted,
    PromptError,
    ProviderBusy,
    RunFenced,
    StoreError,
    StoreUnavailable,
    VoiceError,
    VoiceUnavailable,
)
from dramaturg.kernel.problems import real_problems, worded_problem
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.text.shortened import shortened
from dramaturg.kernel.values import DEEPEST_DATA
from dramaturg.server.http.bodies import ErrorBody, ErrorDetail
from dramaturg.server.http.redaction import Redactor
from dramaturg.server.http.waiting_room import RETRY_SECONDS, SeatsTakenError

AUTHOR = "dramaturg.author"
"""The key of a request's scope that says whether the author sent it; missing outside of /v1."""
_log = logging.getLogger(__name__)
_STATUSES: tuple[tuple[type[DramaturgError], int], ...] = (
    (NotFound, 404),
    (AlreadyUsed, 409),
    (FileChanged, 409),
    (AuthorError, 422),
    (BudgetExceeded, 402),
    (ModelUnavailable, 503),
    (ModelError, 502),
    (ProviderBusy, 503),
    (VoiceUnavailable, 503),
    (NoSuchVoice, 422),
    (LineUnspeakable, 422),
    (NotSpoken, 409),
    (VoiceError, 502),
    (RunFenced, 409),
    (StoreError, 503),
)
MEANINGS = {
    401: "The token is missing or wrong.",
    402: "The budget is spent.",
    404: "Not found.",
    409: "The run is being played, here or by another process; a key was used for something else; a text has "
    "changed since it was read; or what is to be heard was not spoken yet.",
    413: "The request is too large.",
    422: "The request, or a file it names, is not valid.",
    429: "Too many requests. `Retry-After` gives the number of seconds to wait.",
    502: "A model refused the request.",
    503: "A model or the store cannot be reached, every seat is taken, or the server shuts down; see `Retry-After`.",
}
CODES = {
    400: "BAD_REQUEST",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: NotFound.code,
    405: "METHOD_NOT_ALLOWED",
    413: "CONTENT_TOO_LARGE",
}
_HOSTS = (CharacterLoadError, InvalidSettings, NotTrusted, PromptError)
_OF_A_FILE: Mapping[type[DramaturgError], tuple[str, ...]] = {
    InvalidConfig: ("file", "book"),
    NotFound: ("evaluation",),
}
"""What the context of such an error has if a file of the project is at fault."""
MOST_PROBLEMS = 20
"""How many problems of a request are listed, so that an answer does not grow with what a client sends."""
MOST_READ = 10 * MOST_PROBLEMS
"""How many are looked at for that: some only follow from others."""
LONGEST_PLACE = 200
LONGEST_PROBLEM = 1000
COMPRESSED = "Compressed bodies are not read here. Send the body as it is, without the header 'Content-Encoding'."
NOT_JSON = "The request is not JSON. Send it with the header 'Content-Type: application/json'."
_FAULT = "This is a fault in dramaturg itself. Everything played so far is saved; see the server's log for details."


class StreamCompleteError(Exception):
    """The run has ended and the client has every event: answered with 204, which tells an EventSource to stop."""


class RateLimitedError(Exception):
    """Too many requests, or too much used: answered with 429 and the number of seconds to wait."""

    def __init__(self, seconds: float, message: str = "") -> None:
        super().__init__(seconds)
        self.seconds = max(1, ceil(seconds))
        unit = "second" if self.seconds == 1 else "seconds"
        self.message = message or f"Too many requests. Try again in {self.seconds} {unit}."


TokenFault = Literal["expired", "revoked", "unknown", "required"]


class PlayerTokenError(Exception):
    """A player token that was valid once, or none where one is needed: answered with 401."""

    MESSAGES: ClassVar[Mapping[TokenFault, str]] = {
        "expired": "This X-Player-Token has expired. Start a session without one, and you are given a new one.",
        "revoked": "This X-Player-Token was revoked. Start a session without one, and you are given a new one.",
        "unknown": "This X-Player-Token is not known here: it was issued by another server, or its player was deleted. "
        "Start a session without one, and you are given a new one.",
        "required": "Players are invited here. Send the X-Player-Token that the host gave you.",
    }

    def __init__(self, reason: TokenFault, message: str = "") -> None:
        super().__init__(reason)
        code = "revoked" if reason == "unknown" else reason  # a client does the same about both
        self.code, self.message = f"PLAYER_TOKEN_{code.upper()}", message or self.MESSAGES[reason]


class LoginError(Exception):
    """A login with anything but the server's token, or where there is none: answered with 401."""

    code = "LOGIN_REFUSED"

    def __init__(
        self,
        message: str = "That is not this server's token. It is in the variable that token_env under [server] names.",
    ) -> None:
        super().__init__(message)
        self.message = message


class SeatTokenError(Exception):
    """A seat token that is missing, wrong or void: answered with 401, the same for a run that does not exist."""

    code = "SEAT_TOKEN_INVALID"
    message = (
        "The X-Seat-Token is missing, not for this seat, or void since the seat was given up. Ask the author for one."
    )


def status_of(error: DramaturgError) -> int:
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def declared_errors(*statuses: int, json: bool = True) -> dict[int | str, dict[str, Any]]:
    """The error responses of an operation, for its OpenAPI description.

    `json` is false for an operation whose success is not JSON; its errors are JSON all the same.
    """
    known = {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{ErrorBody.__name__}"}}}}
    return {
        status: {"description": MEANINGS[status], **({"model": ErrorBody} if json else known)} for status in statuses
    }


def error_response(
    status: int, code: str, message: str, context: Mapping[str, JsonValue] | None = None
) -> JSONResponse:
    body = ErrorBody(error=ErrorDetail(code=code, message=message, context=context or {}))
    return JSONResponse(body.model_dump(mode="json"), status)


def install_error_handlers(app: FastAPI, settings: Settings) -> None:
    """Answer every exception raised in this app with an `ErrorBody`."""

    def given_keys() -> tuple[str, ...]:
        studio = getattr(app.state, "studio", None)
        return studio.gateway.given_keys if studio is not None else ()

    redactor = Redactor(settings, given_keys)

    async def known_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, DramaturgError)
        is_author = request.scope.get(AUTHOR)
        excuse = _excuse(error) if is_author is False else ""
        if isinstance(error, StoreUnavailable) and not is_author:  # it says where the store is, or what is in it
            excuse = DAMAGED if tells_of_damage(error) else STORE if is_author is False else _unplaced(error, redactor)
        if excuse:
            _log.warning("%s for a client: %s", error.code, redactor.text(error.message))
            response = error_response(status_of(error), error.code, excuse)
        else:
            context = redactor.facts(error.context)
            if isinstance(error, FileChanged):  # the writer's own text: it must come back as it is
                context["text"] = str(error.context["text"])
            response = error_response(status_of(error), error.code, redactor.text(error.message), context)
        if isinstance(error, ModelOverloaded) and error.retry_after is not None:
            response.headers["Retry-After"] = str(max(1, round(error.retry_after)))
        return response

    app.add_exception_handler(DramaturgError, known_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(StreamCompleteError, _stream_complete)
    app.add_exception_handler(RateLimitedError, _rate_limited)
    app.add_exception_handler(PlayerTokenError, _token_error)
    app.add_exception_handler(PlayerDeleted, _player_deleted)
    app.add_exception_handler(SeatTokenError, _token_error)
    app.add_exception_handler(LoginError, _token_error)
    app.add_exception_handler(SeatsTakenError, _seats_taken)
    app.add_exception_handler(Exception, _fault)


def _excuse(error: DramaturgError) -> str:
    """What a player is told of an error that is not theirs to mend; empty for one of their own.

    What is wrong with a file is the host's business, and would tell what the file hides.
    """
    if isinstance(error, ModelError | BudgetExceeded):
        return apology(error.code, error.message)
    of_a_file = any(key in error.context for key in _OF_A_FILE.get(type(error), ()))
    return HOST if of_a_file or isinstance(error, _HOSTS) else ""


async def _invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    if isinstance(error.body, bytes) and any(one["loc"][0] == "body" for one in error.errors()):
        return error_response(422, InvalidConfig.code, COMPRESSED if _is_compressed(request) else NOT_JSON)
    found = located_problems(
        error.errors(),
        {
            "body": error.body,
            "path": request.path_params,
            "query": request.query_params,
            "header": request.headers,
            "cookie": request.cookies,
        },
    )
    problems: list[JsonValue] = [{"where": where, "problem": message} for where, message in found]
    return error_response(422, InvalidConfig.code, "{}: {}.".format(*found[0]), {"problems": problems})


async def http_error(request: Request, error: Exception) -> Response:
    """The answer to an address or a method that there is not, and to a body that nothing can be made of."""
    assert isinstance(error, HTTPException)
    code = CODES.get(error.status_code, f"HTTP_{error.status_code}")
    response = error_response(error.status_code, code, _worded(request, error))
    response.headers.update(error.headers or {})
    return response


def _worded(request: Request, error: HTTPException) -> str:
    """Without the address itself: somebody may have pasted a key into it."""
    if error.status_code == 404:
        return "There is nothing at this address. /docs lists what there is."
    if error.status_code == 405:
        return f"This address does not take {request.method}. /docs lists what it takes."
    if error.status_code == 400 and _is_compressed(request):
        return COMPRESSED
    if error.status_code == 400:
        return f"The body cannot be read. Send JSON in UTF-8, nested at most {DEEPEST_DATA} levels deep."
    return f"{error.detail}."


def _is_compressed(request: Request) -> bool:
    return request.headers.get("content-encoding", "identity").strip().casefold() not in ("", "identity")


async def _stream_complete(_: Request, __: Exception) -> Response:
    return Response(status_code=204)


async def _rate_limited(_: Request, error: Exception) -> Response:
    assert isinstance(error, RateLimitedError)
    response = error_response(429, "TOO_MANY_REQUESTS", error.message, {"retry_after": error.seconds})
    response.headers["Retry-After"] = str(error.seconds)
    return response


async def _seats_taken(_: Request, error: Exception) -> Response:
    assert isinstance(error, SeatsTakenError)
    message = (
        f"Every seat is taken. You are number {error.place} in the queue; ask again in {RETRY_SECONDS} seconds with "
        "this ticket as X-Waiting-Ticket, and you keep your place."
    )
    context: dict[str, JsonValue] = {"place": error.place, "ticket": error.ticket, "retry_after": RETRY_SECONDS}
    response = error_response(503, "SEATS_TAKEN", message, context)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


async def _player_deleted(request: Request, _: Exception) -> Response:
    return await _token_error(request, PlayerTokenError("unknown"))


async def _token_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, PlayerTokenError | SeatTokenError | LoginError)
    response = error_response(401, error.code, error.message)
    response.headers["WWW-Authenticate"] = 'Bearer realm="dramaturg"'
    return response


def _unplaced(error: StoreUnavailable, redactor: Redactor) -> str:
    """What is wrong with the store, for whoever asks `/healthz`, and not where it is."""
    place = error.context.get("place")
    return redactor.text(error.message.replace(f" {place}", "", 1) if place else error.message)


async def _fault(_: Request, __: Exception) -> Response:
    return error_response(500, "INTERNAL", _FAULT)


def located_problems(problems: Sequence[ErrorDetails], given: object) -> list[tuple[str, str]]:
    """Where each of the first problems of what was given is, and what is wrong there, without a full stop."""
    return [_located(one) for one in real_problems(problems[:MOST_READ], given)[:MOST_PROBLEMS]]


def _located(problem: ErrorDetails) -> tuple[str, str]:
    if problem["type"] == "json_invalid":
        return f"body, character {problem['loc'][-1]}", f"this is not JSON: {problem['ctx']['error']}"
    place, said = ".".join(str(part) for part in problem["loc"]), worded_problem(problem)
    return shortened(place, LONGEST_PLACE), shortened(said, LONGEST_PROBLEM)
