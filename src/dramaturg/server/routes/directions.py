"""Directions: the author steers a scene while it is played, by this server or another process."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body

from dramaturg.kernel.values import WireValue
from dramaturg.scenes.author.sent import SentDirection
from dramaturg.scenes.directions.direction import Direction
from dramaturg.server.http.deps import IdempotencyKey, OneScene, OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1/runs", tags=["scenes"])
AUTHOR = "http"


class DirectionList(WireValue):
    """Everything that was asked of a scene, in the order in which it was sent."""

    directions: tuple[SentDirection, ...]


@router.post(
    "/{run_id}/directions",
    status_code=202,
    summary="Steer a scene",
    responses=declared_errors(404, 409, 413, 422),
)
async def send_direction(
    run: OneScene,
    direction: Annotated[Direction, Body(examples=[{"do": "event", "text": "The lights go out."}])],
    studio: OpenStudio,
    idempotency_key: IdempotencyKey = None,
) -> SentDirection:
    """Ask something of a scene while it is played: an event, a note, who speaks next, an entrance or exit, a pause.

    It is stored at once and followed after the beat that is being played, or once the run is resumed. What is known not
    to be possible is refused with 422: a scene that has ended, or a name that is not in its cast.
    """
    return await studio.scenes.steer(run.id, direction, author=AUTHOR, key=idempotency_key or "")


@router.get("/{run_id}/directions", summary="List what was asked of a scene", responses=declared_errors(404, 422))
async def list_directions(run: OneScene, studio: OpenStudio) -> DirectionList:
    """Every direction that was sent to this run, and what became of it."""
    return DirectionList(directions=await studio.scenes.directions(run.id))
