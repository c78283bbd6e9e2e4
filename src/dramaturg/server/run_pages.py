"""The runs of a project page by page, without those that belong to players."""

from __future__ import annotations

from typing import NamedTuple

from dramaturg.kernel.runs import RunLibrary
from dramaturg.kernel.store import RunRecord, Status

LOOKED_THROUGH = (500, 500, 500, 500)
"""How many more runs are looked through for some that belong to no player."""


class RunPage(NamedTuple):
    """Runs, newest first, and the id of the one after which older ones begin, if there may be any."""

    records: tuple[RunRecord, ...]
    next: str | None


async def public_runs(
    runs: RunLibrary,
    limit: int,
    *,
    kind: str | None = None,
    status: Status | None = None,
    before: RunRecord | None = None,
) -> RunPage:
    """The newest runs that belong to no player. Among thousands that do, a page may be shorter."""
    found: list[RunRecord] = []
    for size in (limit, *LOOKED_THROUGH):
        records = await runs.find(kind, status, size, before)
        shown = [one for one in records if runs.can_play(one) and not runs.is_private(one)]
        found += shown[: limit - len(found)]
        if len(found) == limit:
            return RunPage(tuple(found), found[-1].id)
        if len(records) < size:
            return RunPage(tuple(found), None)
        before = records[-1]
    return RunPage(tuple(found), before.id if before else None)
