"""Plan a scene before it is written."""

from __future__ import annotations

from pydantic import Field, JsonValue

from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Items, Outcome, Params, Workbench


class ScaffoldParams(Params):
    chapter: int = Field(ge=0, le=9999)
    scene: int = Field(ge=0, le=9999)
    title: str = Field(max_length=200)
    enrichment: Items = Field((), description="beat_sheet, character_arcs, world_rules …; all if omitted")


async def plan(bench: Workbench, wanted: ScaffoldParams) -> Outcome:
    request: dict[str, JsonValue] = {
        "scene": f"ch{wanted.chapter:02}-sc{wanted.scene:02}",
        "title": wanted.title,
        "enrichment": list(wanted.enrichment),
    }
    return await bench.begin("scaffold", request)


ACTION = ForemanAction(
    name="generate_scaffold",
    description="Plan a scene from the book: beat, cast, callbacks, goal.",
    modes=frozenset({Mode.DIRECTOR}),
    params=ScaffoldParams,
    example={"chapter": "4", "scene": "2", "title": "The Confrontation", "enrichment": '["beat_sheet", "promises"]'},
    do=plan,
)
