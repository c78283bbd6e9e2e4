"""For the host: which messages of players spoke of self-harm or abuse."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from dramaturg.episodes.views import ConcernRecord
from dramaturg.kernel.values import Value
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1/concerns", tags=["concerns"])


class ConcernList(Value):
    """Messages, newest first."""

    concerns: tuple[ConcernRecord, ...]


@router.get("", summary="List messages about harm", responses=declared_errors(422))
async def list_concerns(
    studio: OpenStudio, limit: Annotated[int, Query(ge=1, le=1000, description="the maximum number of messages")] = 50
) -> ConcernList:
    """The messages that spoke of self-harm or abuse. Their players were told where to find help; see `[care]`."""
    return ConcernList(concerns=await studio.episodes.players.concerns(limit))
