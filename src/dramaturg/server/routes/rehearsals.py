"""For the host: rehearsals of episodes with simulated players, and their reports."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response
from pydantic import Field

from dramaturg.episodes.rehearsals import RehearsalDetail, RehearsalSummary
from dramaturg.kernel.values import Value
from dramaturg.server.http.bodies import RunReference
from dramaturg.server.http.deps import OpenStudio, RunId
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1/host/rehearsals", tags=["host"])
MODEL = "provider/model, a provider, or 'rehearsal'"


class RehearsalRequest(Value):
    """Which episode is rehearsed, how long and how often, and by whom."""

    episode: str = Field(min_length=1, max_length=80, description="its name", examples=["tea-with-walter"])
    times: int = Field(1, ge=1, le=20, description="how often each of the six simulated players plays")
    turns: int = Field(20, ge=1, le=100, description="the maximum number of turns of a session")
    model: str | None = Field(None, max_length=200, description=f"who plays the character: {MODEL}")
    director: str | None = Field(None, max_length=200, description=f"who directs and judges: {MODEL}")
    players: str = Field("rehearsal", max_length=200, description=f"who plays the players: {MODEL}")


class RehearsalList(Value):
    """Rehearsals, newest first."""

    rehearsals: tuple[RehearsalSummary, ...]


@router.get("", summary="List the rehearsals", responses=declared_errors(422))
async def list_rehearsals(
    studio: OpenStudio,
    episode: Annotated[str | None, Query(max_length=80, description="only those of this episode")] = None,
    limit: Annotated[int, Query(ge=1, le=200, description="the maximum number of rehearsals")] = 20,
) -> RehearsalList:
    """How far each is, and what came of it in numbers."""
    return RehearsalList(rehearsals=await studio.episodes.rehearsals.newest(limit, episode))


@router.post(
    "",
    status_code=202,
    summary="Rehearse an episode",
    responses={
        202: {"description": "The rehearsal has started; `Location` is the address of its report."},
        **declared_errors(404, 413, 422, 503),
    },
)
async def start_rehearsal(wanted: RehearsalRequest, response: Response, studio: OpenStudio) -> RunReference:
    """Have simulated players play an episode, as a run: eager, shy, hostile, silent, off topic, and prying.

    Their sessions are deleted; the report stays. It is followed, stopped and resumed like any run.
    """
    rehearsals = studio.episodes.rehearsals
    run = await rehearsals.open(
        wanted.episode,
        times=wanted.times,
        most_turns=wanted.turns,
        model=wanted.model,
        director=wanted.director,
        players=wanted.players,
    )
    studio.start(run)
    response.headers["Location"] = f"/v1/host/rehearsals/{run.id}"
    return RunReference.of(run.record, rehearsals.kind)


@router.get("/{run_id}", summary="Get a rehearsal's report", responses=declared_errors(404, 422))
async def get_rehearsal(run_id: RunId, studio: OpenStudio) -> RehearsalDetail:
    """Who played, what each reached with which words, which clues nobody found, and what was given away."""
    return await studio.episodes.rehearsals.detail(run_id)
