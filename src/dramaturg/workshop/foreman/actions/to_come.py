"""Actions that are declared but not available yet. They say so, do nothing, and are not offered."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Items, Outcome, Params, Workbench


class ScaffoldParams(Params):
    chapter: int = Field(ge=0, le=1000)
    scene: int = Field(ge=0, le=1000)
    title: str = Field("", max_length=200)
    enrichment: Items = Field((), description="what to draw on")


class SceneParams(Params):
    scaffold_id: str = Field(min_length=1, max_length=80)
    strategies: Items = Field(())
    word_target: int | None = Field(None, ge=50, le=20_000)


class AnalysisParams(Params):
    scene_id: str = Field(min_length=1, max_length=80)


class EnhancementParams(AnalysisParams):
    mode: str = Field("", max_length=40, description="action_prompt or six_pass")


class CheckParams(Params):
    scope: str = Field("", max_length=80, description="a check, a chapter, or all")


_DRAFT = frozenset({Mode.DIRECTOR})
_PAGES = frozenset({Mode.DIRECTOR, Mode.EDITOR})


def _declared(name: str, description: str, modes: frozenset[Mode], params: type[Params]) -> ForemanAction[Any]:
    async def not_yet(bench: Workbench, given: Params) -> Outcome:
        raise InvalidConfig(f"'{name}' is not available yet. Nothing was done.", action=name)

    return ForemanAction(
        name=name,
        description=description,
        modes=modes,
        params=params,
        example={},
        do=not_yet,
        offered=lambda book: False,
    )


ACTIONS: tuple[ForemanAction[Any], ...] = (
    _declared("generate_scaffold", "Plan a scene from beats, arcs and rules.", _DRAFT, ScaffoldParams),
    _declared("write_scene", "Draft a scene from its scaffold, in variants.", _DRAFT, SceneParams),
    _declared("analyze_scene", "Score a scene against voice, beat and facts.", _PAGES, AnalysisParams),
    _declared("enhance_scene", "Revise a scene by its analysis.", _PAGES, EnhancementParams),
    _declared("run_health_check", "Check the structure of the whole book.", _PAGES, CheckParams),
)
