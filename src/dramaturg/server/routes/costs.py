"""What the runs of this project have paid for, together."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from dramaturg.server.http.deps import ID_PATTERN, OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.run_pages import public_runs
from dramaturg.server.spending import PaidAnswer, Spending, paid_answers, spending

router = api_router(prefix="/v1/costs", tags=["runs"])

AT_ONCE = 20
"""The answers of so many runs are read between two looks at other requests."""


@router.get("", summary="Get what was spent", responses=declared_errors(404, 422))
async def get_spending(
    studio: OpenStudio,
    limit: Annotated[int, Query(ge=1, le=500, description="the maximum number of runs that are counted")] = 100,
    before: Annotated[
        str | None, Query(pattern=ID_PATTERN, description="only older runs than this one, such as `next` of an answer")
    ] = None,
) -> Spending:
    """Tokens and money of the newest runs by run, character, purpose, model and day, with the share from a cache.

    `next` says where those begin that are not counted. Sessions of episodes belong to their players and are not counted
    here.
    """
    newer = await studio.runs.get(before) if before else None
    found = await public_runs(studio.runs, limit, before=newer)
    paid: list[PaidAnswer] = []
    for first in range(0, len(found.records), AT_ONCE):
        answers = await studio.runs.digests.paid(found.records[first : first + AT_ONCE])
        for record in found.records[first : first + AT_ONCE]:
            paid += paid_answers(record, answers[record.id], has_cast=studio.runs.kind_of(record).has_cast)
    return spending(paid, len(found.records), found.next)
