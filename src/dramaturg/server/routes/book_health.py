"""The health of a book: its checks, its last report, and fire drills."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query, Response
from fastapi.responses import HTMLResponse
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.server.http.bodies import RunReference
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.book_works import STARTED, started_work
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.drill.values import DrillReport
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.health.front import WaiverList
from dramaturg.workshop.health.values import HealthReport
from dramaturg.workshop.works.wire import WorkStart

router = api_router(prefix="/v1/projects/{project}", tags=["workshop"])
BEGUN = {**STARTED, **declared_errors(404, 409, 413, 422, 503)}
PAGE: Mapping[int | str, dict[str, Any]] = {
    200: {"description": "The page.", "content": {"text/html": {"schema": {"type": "string"}}}}
}


class HealthCheckRequest(WireValue):
    """What to check, and what it may spend at most."""

    scope: str = Field(
        "all", min_length=1, max_length=200, description="a check such as `A3`, a chapter, a scene, `all`"
    )
    extract: bool = Field(False, description="let a model read the scenes whose front matter leaves something open")
    tokens: int | None = Field(None, ge=1, description="the ceiling in tokens; that of [budget] if not set")
    usd: float | None = Field(None, gt=0, description="the ceiling in US dollars; that of [budget] if not set")


class WaiverRequest(WireValue):
    """What is meant to be so, where, and why."""

    check: str = Field(min_length=1, max_length=80, description="a check such as `A3`", examples=["A3"])
    place: str = Field(
        "book",
        min_length=1,
        max_length=200,
        description="a scene, a chapter, a name, or `book`",
        examples=["ch02-sc01"],
    )
    reason: str = Field(min_length=3, max_length=600, examples=["The train really is that fast here."])


class FireDrillRequest(WireValue):
    """Which flaws are planted."""

    seed: int = Field(1, ge=0, le=2**31, description="the same seed plants the same flaws")
    prose_only: bool = Field(False, description="plant them in the prose and leave front matter as it is")


@router.post("/health", status_code=202, summary="Start a health check", responses=BEGUN)
async def start_health_check(wanted: HealthCheckRequest, response: Response, foreman: TheForeman) -> RunReference:
    """Start the checks as a run of their own; `POST …/works/health/price` tells the price of `extract` before."""
    request = {"scope": wanted.scope, "extract": wanted.extract}
    start = WorkStart(request=request, tokens=wanted.tokens, usd=wanted.usd)
    return await started_work(foreman, "health", start, response)


@router.get("/health", summary="Get the last health report", responses=declared_errors(404, 422))
async def get_health_report(foreman: TheForeman) -> HealthReport:
    """What each check measured and found, with its evidence. There is no mark for the book."""
    return await foreman.health.last()


@router.get(
    "/health/page",
    summary="Get the last health report as a page",
    response_class=HTMLResponse,
    responses={**PAGE, **declared_errors(404, 422, json=False)},
)
async def get_health_page(foreman: TheForeman) -> HTMLResponse:
    """The report with its plots, as one HTML file that needs no other."""
    return HTMLResponse(await foreman.health.page())


@router.get("/health/waivers", summary="List the waivers", responses=declared_errors(404, 422))
async def list_waivers(foreman: TheForeman) -> WaiverList:
    """What the writer means to be so: it is listed in every report and raises no alert."""
    return foreman.health.waivers()


@router.post(
    "/health/waivers", status_code=201, summary="Waive a check", responses=declared_errors(404, 409, 413, 422, 503)
)
async def waive_check(wanted: WaiverRequest, foreman: TheForeman) -> Outcome:
    """Waive what a check finds at a place, with a reason. It stands in story-bible/waivers.yaml and can be undone."""
    return await foreman.health.waive(wanted.check, wanted.place, wanted.reason)


@router.delete("/health/waivers", summary="Withdraw a waiver", responses=declared_errors(404, 409, 422, 503))
async def withdraw_waiver(
    foreman: TheForeman,
    check: Annotated[str, Query(min_length=1, max_length=80, description="a check such as `A3`")],
    place: Annotated[str, Query(min_length=1, max_length=200, description="as the list has it")] = "book",
) -> Outcome:
    """Let a check report again what it finds at a place."""
    return await foreman.health.withdraw(check, place)


@router.post("/drill", status_code=202, summary="Start a fire drill", responses=BEGUN)
async def start_drill(wanted: FireDrillRequest, response: Response, foreman: TheForeman) -> RunReference:
    """Plant known flaws in a copy of the book and see which checks catch them. The book is not touched."""
    request = {"seed": wanted.seed, "prose_only": wanted.prose_only}
    return await started_work(foreman, "drill", WorkStart(request=request), response)


@router.get("/drill", summary="Get the last fire drill", responses=declared_errors(404, 422))
async def get_drill(foreman: TheForeman) -> DrillReport:
    """What was planted, what was caught by which check, and what was missed and why."""
    return await foreman.drills.last()
