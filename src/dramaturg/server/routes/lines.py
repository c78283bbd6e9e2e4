"""The lines of a run, for the author: other takes of one, an edit, a strike; in place, or played on in a fork."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Response
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.scenes.revision.changes import Choice, Edit, LineChange, Strike
from dramaturg.scenes.revision.wire import LineTakes, RevisedScene
from dramaturg.server.http.bodies import RunReference
from dramaturg.server.http.deps import OpenStudio, RunId
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.studio import Studio

router = api_router(prefix="/v1/runs/{run_id}/lines/{line}", tags=["lines"])
MOST_TAKES = 10
LineNumber = Annotated[int, Path(ge=1, le=100_000, description="the number of a line", examples=[3])]


class RetakeRequest(WireValue):
    """How many more takes of a line to ask for."""

    takes: int = Field(1, ge=1, le=MOST_TAKES)


class ChoiceRequest(WireValue):
    """Which take of a line is to stand; take 1 is what was said."""

    take: int = Field(ge=1, le=1000)
    play_on: bool = Field(False, description="leave the run as it is, and play on from the line in a fork of it")


class EditRequest(WireValue):
    """Other words for a line; its tone, target and gesture stay."""

    text: str = Field(max_length=4000)
    play_on: bool = Field(False, description="leave the run as it is, and play on from the line in a fork of it")


class StrikeRequest(WireValue):
    """Whether to strike the line in the run itself, or in a fork that plays on without it."""

    play_on: bool = Field(False, description="leave the run as it is, and play on from the line in a fork of it")


class LineChanged(WireValue):
    """What has become of a line: the revised scene, or the fork in which it is played on."""

    revised: RevisedScene | None = None
    fork: RunReference | None = None


@router.get("/takes", summary="List the takes of a line", responses=declared_errors(404, 422))
async def get_line_takes(run_id: RunId, line: LineNumber, studio: OpenStudio) -> LineTakes:
    """Everything that was ever said or written for a line, with its cost, and which of it stands."""
    return await studio.scenes.revisions.takes(run_id, str(line))


@router.post("/takes", summary="Take a line again", responses=declared_errors(404, 409, 413, 422, 502, 503))
async def retake_line(
    run_id: RunId, line: LineNumber, studio: OpenStudio, wanted: RetakeRequest | None = None
) -> LineTakes:
    """Ask for a line again, with exactly what its speaker had heard then. The transcript does not change.

    Refused while the run is played or changed. If no take comes of it, nothing changes.
    """
    return await studio.scenes.revisions.retake(run_id, str(line), (wanted or RetakeRequest()).takes)


@router.post("/choose", summary="Choose a take", responses=declared_errors(404, 409, 413, 422))
async def choose_take(
    run_id: RunId, line: LineNumber, wanted: ChoiceRequest, response: Response, studio: OpenStudio
) -> LineChanged:
    """Have another take of a line stand in the transcript; goals, cuts, hearing and memories follow."""
    return await _changed(studio, run_id, line, Choice(wanted.take), response, play_on=wanted.play_on)


@router.post("/edit", summary="Edit a line", responses=declared_errors(404, 409, 413, 422))
async def edit_line(
    run_id: RunId, line: LineNumber, wanted: EditRequest, response: Response, studio: OpenStudio
) -> LineChanged:
    """Change the words of a line. The log keeps the old ones; later lines stay, and are marked as answers to them."""
    return await _changed(studio, run_id, line, Edit(wanted.text), response, play_on=wanted.play_on)


@router.post("/strike", summary="Strike a line", responses=declared_errors(404, 409, 413, 422))
async def strike_line(
    run_id: RunId, line: LineNumber, response: Response, studio: OpenStudio, wanted: StrikeRequest | None = None
) -> LineChanged:
    """Take a line out of the transcript. Choosing take 1 brings it back."""
    return await _changed(studio, run_id, line, Strike(), response, play_on=(wanted or StrikeRequest()).play_on)


async def _changed(
    studio: Studio, run_id: str, line: int, change: LineChange, response: Response, *, play_on: bool
) -> LineChanged:
    revisions = studio.scenes.revisions
    if not play_on:
        return LineChanged(revised=await revisions.revise(run_id, str(line), change))
    run = await revisions.play_on(run_id, str(line), change)
    studio.start(run)
    forked = RunReference.of(run.record, studio.scenes.kind)
    response.status_code = 202
    response.headers["Location"] = forked.links.me
    return LineChanged(fork=forked)
