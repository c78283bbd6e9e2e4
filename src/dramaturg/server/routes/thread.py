"""The thread of a fact: everything that rests on it, and the change of all of it as one set of patches."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.server.http.bodies import RunReference
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.book_works import STARTED, started_work
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.thread.values import PulledThread
from dramaturg.workshop.works.wire import WorkStart

router = api_router(prefix="/v1/projects/{project}/thread", tags=["workshop"])


class RetconBody(WireValue):
    """A fact, and the value that it shall have."""

    fact: str = Field(min_length=1, max_length=400, description="its number, or words that only it has")
    value: str = Field(min_length=1, max_length=2000)
    rewords: bool = Field(True, description="whether a model is asked for sentences that say it in other words")


@router.get("", summary="Pull the thread of a fact", responses=declared_errors(404, 422))
async def pull_thread(
    foreman: TheForeman,
    fact: Annotated[str, Query(min_length=1, max_length=400, description="its number, or words that only it has")],
) -> PulledThread:
    """Everything that rests on a fact, and how that is known; the facts to choose from if the words find several."""
    return await foreman.thread.pull(fact)


@router.post(
    "/retcon",
    status_code=202,
    summary="Change a fact everywhere",
    responses={**STARTED, **declared_errors(404, 409, 413, 422, 503)},
)
async def retcon_fact(wanted: RetconBody, response: Response, foreman: TheForeman) -> RunReference:
    """Start the proposal as a run: one set of patches over everything that rests on the fact. Nothing is changed.

    The set is reviewed like any other; `undo` with `s3` undoes all of set 3.
    """
    return await started_work(foreman, "retcon", WorkStart(request=wanted.model_dump(mode="json")), response)
