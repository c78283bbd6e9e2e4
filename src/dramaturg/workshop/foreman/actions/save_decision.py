"""Saves a decision of the writer's."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dramaturg.workshop.book.decisions import Category, DecisionKind, NewDecision
from dramaturg.workshop.foreman.actions.action import EVERY_MODE, ForemanAction, Outcome, Params, Word, Workbench


class DecisionParams(Params):
    category: Annotated[Category, Word]
    key: str = Field(min_length=1, max_length=120, description="a short name, such as ruth_fatal_flaw")
    value: str = Field(min_length=1, max_length=4000, description="what was decided")
    source: str = Field("", max_length=400, description="writer, notebook, brainstorm")
    kind: Annotated[DecisionKind, Word] = "fact"


async def save(bench: Workbench, saved: DecisionParams) -> Outcome:
    kept = await bench.decide(NewDecision.model_validate(saved.model_dump()))
    value = " ".join(kept.value.split())
    return Outcome(said=f"Decided: {kept.key} ({kept.category}): {value}", decided=kept.id)


ACTION = ForemanAction(
    name="save_decision",
    description="Keep a decision of the writer; a known key gets the new value.",
    modes=EVERY_MODE,
    params=DecisionParams,
    example={"category": "character", "key": "ruth_fatal_flaw", "value": "Never asks for help", "source": "writer"},
    do=save,
)
