"""The long works of a book: what there is to start, its price, and how each stands. Each is a run of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Path, Query, Response
from pydantic import JsonValue

from dramaturg.kernel.runs import Limits, Run
from dramaturg.server.http.bodies import RunReference
from dramaturg.server.http.deps import RunId
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.works.price import WorkPrice
from dramaturg.workshop.works.wire import WorkDetail, WorkList, WorkStart

router = api_router(prefix="/v1/projects/{project}/works", tags=["workshop"])
WorkName = Annotated[str, Path(max_length=40, description="the name of the work", examples=["health"])]
STARTED: Mapping[int | str, dict[str, Any]] = {202: {"description": "The work has started as a run of its own."}}


async def started_work(foreman: Workshop, name: str, wanted: WorkStart, response: Response) -> RunReference:
    """Starts a work for a route: it is answered at once with the run, whose events can be followed."""
    run: Run[Any] = await foreman.works.start(
        name, foreman.works.read(name, wanted.request), Limits(wanted.tokens, wanted.usd)
    )
    reference = RunReference.of(run.record, foreman.works.kind(name))
    response.headers["Location"] = reference.links.me
    return reference


async def priced_work(foreman: Workshop, name: str, request: Mapping[str, JsonValue], limits: Limits) -> WorkPrice:
    """What a work would cost; nothing is sent."""
    return await foreman.works.price(name, foreman.works.read(name, request), limits)


@router.get("", summary="List the long works", responses=declared_errors(404, 422))
async def list_works(
    foreman: TheForeman, limit: Annotated[int, Query(ge=1, le=100, description="the maximum number of works")] = 20
) -> WorkList:
    """The long works of the book, newest first, with how far each has got."""
    return WorkList(works=await foreman.works.rows(limit))


@router.post("/{work}/price", summary="Price a long work", responses=declared_errors(404, 413, 422))
async def price_work(work: WorkName, wanted: WorkStart, foreman: TheForeman) -> WorkPrice:
    """What it would cost as a range, its ceiling, and what it would not look at. Nothing is sent."""
    return await priced_work(foreman, work, wanted.request, Limits(wanted.tokens, wanted.usd))


@router.post(
    "/{work}",
    status_code=202,
    summary="Start a long work",
    responses={**STARTED, **declared_errors(404, 409, 413, 422, 503)},
)
async def start_work(work: WorkName, wanted: WorkStart, response: Response, foreman: TheForeman) -> RunReference:
    """Start it as a run of its own; its end is told to the Foreman with the writer's next message."""
    return await started_work(foreman, work, wanted, response)


@router.get("/{run_id}", summary="Get a long work", responses=declared_errors(404, 422))
async def get_work(run_id: RunId, foreman: TheForeman) -> WorkDetail:
    """How it stands, what was asked for, its result, and the questions that have no answer."""
    return await foreman.works.detail(run_id)
