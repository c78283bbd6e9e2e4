"""The plans of a book: the scaffolds of its scenes, and the promises that run through them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Response
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.server.http.bodies import RunReference
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.book_works import STARTED, started_work
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.promises.wire import PromiseChanged, PromiseList, PromiseState, PromiseStep
from dramaturg.workshop.scaffold.wire import ScaffoldList, ScaffoldView
from dramaturg.workshop.works.wire import WorkStart

router = api_router(prefix="/v1/projects/{project}", tags=["workshop"])
SceneName = Annotated[str, Path(min_length=1, max_length=200, description="a planned scene", examples=["ch04-sc02"])]


class ScaffoldStart(WireValue):
    """The scene to plan, and what the plan may draw on and cost."""

    scene: str = Field(min_length=1, max_length=200)
    title: str = Field("", max_length=200)
    enrichment: tuple[str, ...] = Field((), max_length=20, description="beat_sheet, character_arcs …; all if not set")
    word_target: int | None = Field(None, ge=1, le=200_000)
    tokens: int | None = Field(None, ge=1)
    usd: float | None = Field(None, gt=0)


@router.get("/scaffolds", summary="List the scaffolds", responses=declared_errors(404, 422))
async def list_scaffolds(foreman: TheForeman) -> ScaffoldList:
    """The planned scenes in reading order, whether each is written, and what is still open."""
    return await foreman.scaffolds.scaffolds()


@router.post(
    "/scaffolds",
    status_code=202,
    summary="Plan a scene",
    responses={**STARTED, **declared_errors(404, 409, 413, 422, 503)},
)
async def plan_scene(wanted: ScaffoldStart, response: Response, foreman: TheForeman) -> RunReference:
    """Start the work that plans a scene. What its file settles already stays."""
    request = wanted.model_dump(mode="json", by_alias=False, exclude={"tokens", "usd"})
    start = WorkStart(request=request, tokens=wanted.tokens, usd=wanted.usd)
    return await started_work(foreman, "scaffold", start, response)


@router.get("/scaffolds/{scene}", summary="Get a scaffold", responses=declared_errors(404, 422))
async def get_scaffold(scene: SceneName, foreman: TheForeman) -> ScaffoldView:
    """The plan of one scene: each field, where it came from, and what in it the book does not know."""
    return await foreman.scaffolds.scaffold(scene)


@router.get("/promises", summary="List the promises", responses=declared_errors(404, 422))
async def list_promises(
    foreman: TheForeman, state: Annotated[PromiseState | None, Query(description="only those in this state")] = None
) -> PromiseList:
    """What the book promises its readers, and where each promise stands, with the words of the scenes."""
    return await foreman.promises.promises(state)


@router.post("/promises", summary="Change a promise", responses=declared_errors(404, 409, 413, 422))
async def take_promise_step(step: PromiseStep, foreman: TheForeman) -> PromiseChanged:
    """Note a step in the writer's ledger. Words that do not stand in their scene are refused."""
    return await foreman.promises.take(step)
