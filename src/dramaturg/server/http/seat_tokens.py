"""Seat tokens: whoever holds one plays one part of one run, and can do nothing else.

A token names who holds the seat, and is signed for the run and the part. Whether the seat is still theirs, the inbox of
the run says.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated

from fastapi import Depends, Header, Path, Query, Request

from dramaturg.kernel.errors import NotFound
from dramaturg.scenes.events import SceneRun
from dramaturg.server.http.bodies import EXAMPLE_RUN
from dramaturg.server.http.callers import limit_address
from dramaturg.server.http.deps import ID_PATTERN, OpenStudio
from dramaturg.server.http.errors import SeatTokenError

VERSION = "s1"
LONGEST_TOKEN = 200
_DESCRIPTION = "the token of the seat, as returned by `POST /v1/runs/{run_id}/seats`"
_PART = "the name of the part's card"
PartName = Annotated[str, Path(min_length=1, max_length=120, description=_PART, examples=["bob"])]
# Whatever is not what it should be fits no token, and is answered like any other seat that is not the caller's.
_SeatRun = Annotated[
    str,
    Path(description="the complete id of a run", examples=[EXAMPLE_RUN], json_schema_extra={"pattern": ID_PATTERN}),
]
_SeatPart = Annotated[
    str, Path(description=_PART, examples=["bob"], json_schema_extra={"minLength": 1, "maxLength": 120})
]
_SHORT = {"maxLength": LONGEST_TOKEN}


class SeatTokens:
    """Issues tokens and reads them. Every process with the same secret accepts the same tokens."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mint(self, run_id: str, part: str, holder: str) -> str:
        return f"{VERSION}.{holder}.{self._signature(run_id, part, holder)}"

    def holder(self, token: str, run_id: str, part: str) -> str | None:
        """Who holds the seat, by their token; None if it is not one for this seat."""
        version, _, rest = token.partition(".")
        holder, _, signature = rest.rpartition(".")
        genuine = hmac.compare_digest(signature.encode(), self._signature(run_id, part, holder).encode())
        return holder if version == VERSION and holder and genuine else None

    def _signature(self, run_id: str, part: str, holder: str) -> str:
        claim = "\0".join(("seat", run_id, part, holder))
        digest = hmac.new(self._secret, claim.encode("utf-8", "replace"), sha256).digest()
        return urlsafe_b64encode(digest).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class HeldSeat:
    """A seat whose holder sent a request."""

    run: SceneRun
    part: str
    holder: str


def seat_tokens(request: Request) -> SeatTokens:
    tokens = request.app.state.seat_tokens
    assert isinstance(tokens, SeatTokens)
    return tokens


AllSeatTokens = Annotated[SeatTokens, Depends(seat_tokens)]


async def held_seat(
    request: Request,
    run_id: _SeatRun,
    part: _SeatPart,
    studio: OpenStudio,
    tokens: AllSeatTokens,
    x_seat_token: Annotated[str | None, Header(description=_DESCRIPTION, json_schema_extra=_SHORT)] = None,
) -> HeldSeat:
    """The seat that a token opens. Raises SeatTokenError, whether or not there is such a run."""
    await limit_address(request)
    return await _held(x_seat_token, run_id, part, studio, tokens)


async def followed_seat(
    request: Request,
    run_id: _SeatRun,
    part: _SeatPart,
    studio: OpenStudio,
    tokens: AllSeatTokens,
    x_seat_token: Annotated[str | None, Header(description=_DESCRIPTION, json_schema_extra=_SHORT)] = None,
    seat_token: Annotated[
        str | None,
        Query(description="the same, for an EventSource, which cannot set headers", json_schema_extra=_SHORT),
    ] = None,
) -> HeldSeat:
    """The same for a stream, whose token may be in the query."""
    await limit_address(request)
    return await _held(x_seat_token or seat_token, run_id, part, studio, tokens)


async def _held(token: str | None, run_id: str, part: str, studio: OpenStudio, tokens: SeatTokens) -> HeldSeat:
    holder = tokens.holder(token or "", run_id, part)
    if holder is None:
        raise SeatTokenError
    try:
        await studio.scenes.seats.check_holder(run_id, part, holder)
        return HeldSeat(await studio.scenes.open_run(run_id), part, holder)
    except NotFound:
        raise SeatTokenError from None


OwnSeat = Annotated[HeldSeat, Depends(held_seat)]
FollowedSeat = Annotated[HeldSeat, Depends(followed_seat)]
