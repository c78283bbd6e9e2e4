"""Starts a tournament: several models write one test passage."""

from __future__ import annotations

from pydantic import Field

from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Items, Outcome, Params, Workbench


class TournamentParams(Params):
    test_prompt: str = Field(min_length=1, max_length=4000, description="the passage every voice writes")
    agents: Items = Field((), description="models")
    strategies: Items = Field((), description="ACTION, CHARACTER, DIALOGUE, BALANCED")
    context: str = Field("", max_length=4000)


async def start(bench: Workbench, wanted: TournamentParams) -> Outcome:
    return await bench.begin("tournament", wanted.model_dump(mode="json"))


ACTION = ForemanAction(
    name="start_tournament",
    description="Let several models write one test passage.",
    modes=frozenset({Mode.VOICE_CALIBRATION}),
    params=TournamentParams,
    example={"test_prompt": "Ruth counts the crates again", "strategies": '["ACTION", "DIALOGUE"]'},
    do=start,
)
