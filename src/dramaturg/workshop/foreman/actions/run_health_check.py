"""Check the structure of the book."""

from __future__ import annotations

from pydantic import Field

from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Outcome, Params, Workbench


class CheckParams(Params):
    scope: str = Field("all", max_length=80, description="a check such as A3, a chapter, or all")


async def check(bench: Workbench, wanted: CheckParams) -> Outcome:
    return await bench.begin("health", {"scope": wanted.scope or "all"})


ACTION = ForemanAction(
    name="run_health_check",
    description="Check the structure of the whole book: pacing, beats, timeline, flaw, cast, symbols, theme.",
    modes=frozenset({Mode.DIRECTOR, Mode.EDITOR}),
    params=CheckParams,
    example={"scope": "all"},
    do=check,
    offered=lambda book: book.scenes > 0,
)
