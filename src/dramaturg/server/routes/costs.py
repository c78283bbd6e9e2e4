"""What the runs of this project have paid for, together."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from dramaturg.kernel.errors import NotFound
from dramaturg.server.http.deps import ID_PATTERN, OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.spending import PaidAnswer, Spending, paid_answers, spending

router = api_router(prefix="/v1/costs", tags=["runs"])


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
    paid: list[PaidAnswer] = []
    counted = 0
    newer = await studio.runs.get(before) if before else None
    records = await studio.runs.find(limit=limit, before=newer)
    for record in records:
        if not studio.runs.can_play(record) or (kind := studio.runs.kind_of(record)).private:
            continue
        try:
            run = await studio.runs.open(record.id)
        except NotFound:  # deleted meanwhile
            continue
        counted += 1
        paid += paid_answers(run.record, run.entries, has_cast=kind.has_cast)
    return spending(paid, counted, records[-1].id if len(records) == limit else None)
