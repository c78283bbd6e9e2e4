"""Judge a scene on five dimensions."""

from __future__ import annotations

from pydantic import Field

from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Outcome, Params, Workbench

PAGES = frozenset({Mode.DIRECTOR, Mode.EDITOR})


class AnalysisParams(Params):
    scene_id: str = Field(min_length=1, max_length=80, description="a file of manuscript/, such as ch04-sc02")


async def analyze(bench: Workbench, wanted: AnalysisParams) -> Outcome:
    return await bench.begin("analysis", {"scene": wanted.scene_id})


ACTION = ForemanAction(
    name="analyze_scene",
    description="Score a scene against voice, beat and facts, with quotations.",
    modes=PAGES,
    params=AnalysisParams,
    example={"scene_id": "ch04-sc02"},
    do=analyze,
    offered=lambda book: book.scenes > 0,
)
