"""Actions that are declared but not available yet. They say so, do nothing, and are not offered."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Items, Outcome, Params, Workbench


class TournamentParams(Params):
    test_prompt: str = Field(min_length=1, max_length=4000, description="the passage every voice writes")
    agents: Items = Field((), description="models")
    strategies: Items = Field((), description="ACTION, CHARACTER, DIALOGUE, BALANCED")
    context: str = Field("", max_length=4000)


class WinnerParams(Params):
    agent_id: str = Field(min_length=1, max_length=200)
    strategy: str = Field(min_length=1, max_length=80)
    variant_index: int = Field(0, ge=0, le=1000)
    voice_notes: str = Field("", max_length=4000)


class BundleParams(Params):
    output_dir: str = Field("", max_length=200)


class ScaffoldParams(Params):
    chapter: int = Field(ge=0, le=1000)
    scene: int = Field(ge=0, le=1000)
    title: str = Field("", max_length=200)
    enrichment: Items = Field((), description="what to draw on")


class SceneParams(Params):
    scaffold_id: str = Field(min_length=1, max_length=80)
    strategies: Items = Field(())
    word_target: int | None = Field(None, ge=50, le=20_000)


class CheckParams(Params):
    scope: str = Field("", max_length=80, description="a check, a chapter, or all")


_VOICE = frozenset({Mode.VOICE_CALIBRATION})
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
    _declared("start_tournament", "Let several models write one test passage.", _VOICE, TournamentParams),
    _declared("select_winner", "The passage the writer chose.", _VOICE, WinnerParams),
    _declared("generate_bundle", "Write the voice bundle from the winner.", _VOICE, BundleParams),
    _declared("generate_scaffold", "Plan a scene from beats, arcs and rules.", _DRAFT, ScaffoldParams),
    _declared("write_scene", "Draft a scene from its scaffold, in variants.", _DRAFT, SceneParams),
    _declared("run_health_check", "Check the structure of the whole book.", _PAGES, CheckParams),
)
