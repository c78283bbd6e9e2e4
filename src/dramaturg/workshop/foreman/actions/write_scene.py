"""Drafts a scene in variants that the writer reads side by side."""

from __future__ import annotations

from pydantic import Field, JsonValue

from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Items, Outcome, Params, Workbench


class SceneParams(Params):
    scaffold_id: str = Field("", max_length=80, description="such as ch04-sc02")
    strategies: Items = Field((), description="ACTION, CHARACTER, BALANCED")
    word_target: int | None = Field(None, ge=100, le=20_000)
    models: Items = Field((), description="the configured one if omitted")
    brief: str = Field("", max_length=4000, description="what the writer said")
    base: str = Field("", max_length=80, description="the run of a performed scene")


async def write(bench: Workbench, wanted: SceneParams) -> Outcome:
    request: dict[str, JsonValue] = {
        "target": wanted.scaffold_id,
        "strategies": list(wanted.strategies),
        "words": wanted.word_target,
        "models": list(wanted.models),
        "brief": wanted.brief,
        "base": wanted.base,
    }
    return await bench.begin("draft", request)


ACTION = ForemanAction(
    name="write_scene",
    description="Draft a scene in variants for the writer to choose from.",
    modes=frozenset({Mode.DIRECTOR}),
    params=SceneParams,
    example={"scaffold_id": "ch04-sc02", "strategies": '["ACTION", "CHARACTER"]', "word_target": "2500"},
    do=write,
)
