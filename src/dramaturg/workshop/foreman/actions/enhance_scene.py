"""Revise a scene by patches that the writer accepts one by one."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from dramaturg.workshop.foreman.actions.action import ForemanAction, Items, Outcome, Params, Word, Workbench
from dramaturg.workshop.foreman.actions.analyze_scene import PAGES


class EnhancementParams(Params):
    scene_id: str = Field(min_length=1, max_length=80, description="a file of manuscript/, such as ch04-sc02")
    mode: Annotated[Literal["action_prompt", "six_pass"], Word] = "action_prompt"
    issues: Items = Field((), description="what to mend; that of the last analysis if omitted")


async def enhance(bench: Workbench, wanted: EnhancementParams) -> Outcome:
    request: dict[str, JsonValue] = {
        "scene": wanted.scene_id,
        "mode": wanted.mode,
        "issues": list(wanted.issues),
    }
    return await bench.begin("enhancement", request)


ACTION = ForemanAction(
    name="enhance_scene",
    description="Propose changes to a scene as patches: for named issues, or in six passes.",
    modes=PAGES,
    params=EnhancementParams,
    example={"scene_id": "ch04-sc02", "mode": "six_pass"},
    do=enhance,
    offered=lambda book: book.scenes > 0,
)
