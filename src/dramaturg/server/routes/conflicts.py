"""What was merged into the graph of a book, the contradictions that were found, and what the writer says about them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.consolidation.front import LONGEST_NOTE
from dramaturg.workshop.consolidation.wire import BatchList, BatchView, ConflictList, ConflictView

router = api_router(prefix="/v1/projects/{project}", tags=["workshop"])
Number = Annotated[int, Path(ge=1, le=2_147_483_647, description="the number of a conflict")]
All = Annotated[bool, Query(alias="all", description="whether settled ones are listed too")]


class ConflictResolution(WireValue):
    """What the writer says about a conflict. To keep both, a reason is needed."""

    resolution: Literal["keep_old", "take_new", "keep_both"]
    reason: Literal["", "lie", "dream", "retcon", "unreliable", "error in the text"] = ""
    note: str = Field("", max_length=LONGEST_NOTE)


@router.get("/conflicts", summary="List contradictions", responses=declared_errors(404, 422))
async def list_conflicts(foreman: TheForeman, resolved: All = False) -> ConflictList:
    """The contradictions that wait for the writer, with both quotations."""
    return await foreman.consolidation.conflicts(resolved=resolved)


@router.post("/conflicts/{number}", summary="Settle a contradiction", responses=declared_errors(404, 413, 422))
async def resolve_conflict(number: Number, said: ConflictResolution, foreman: TheForeman) -> ConflictView:
    """Let the old fact stand, the new one, or both for a reason. It is not asked about again."""
    return await foreman.consolidation.resolve(number, said.resolution, said.reason, said.note)


@router.delete("/conflicts/{number}/resolution", summary="Reopen a contradiction", responses=declared_errors(404, 422))
async def reopen_conflict(number: Number, foreman: TheForeman) -> ConflictView:
    """Take back what the writer said about it; it waits again."""
    return await foreman.consolidation.reopen(number)


@router.get("/merges", summary="List merges into the graph", responses=declared_errors(404, 422))
async def list_merges(foreman: TheForeman) -> BatchList:
    """What was merged, and which scenes, messages and decisions wait. `POST …/works/consolidation` merges them."""
    return await foreman.consolidation.batches()


@router.delete("/merges/last", summary="Undo the last merge", responses=declared_errors(404, 422))
async def undo_merge(foreman: TheForeman) -> BatchView:
    """Take the facts of the last merge out of the graph; the next call undoes the one before it."""
    return await foreman.consolidation.undo()
