"""Ask one of the writer's notebooks."""

from __future__ import annotations

from pydantic import Field

from dramaturg.workshop.foreman.actions.action import EVERY_MODE, ForemanAction, Outcome, Params, Workbench

MOST_NAMED = 3


class NotebookParams(Params):
    notebook_id: str = Field(min_length=1, max_length=200, description="id or role")
    query: str = Field(min_length=1, max_length=2000)


async def ask(bench: Workbench, asked: NotebookParams) -> Outcome:
    answer = await bench.ask_notebook(asked.notebook_id, asked.query)
    return Outcome(said=f"Asked the notebook '{asked.notebook_id}': {asked.query}", brought=answer)


ACTION = ForemanAction(
    name="query_notebook",
    description="Ask a notebook of the writer's; passages come back with their file.",
    modes=EVERY_MODE,
    params=NotebookParams,
    example={"notebook_id": "world_building", "query": "What does a jump cost?"},
    do=ask,
    offered=lambda book: bool(book.notebooks),
    values=lambda book: {"notebook_id": "|".join(one.id for one in book.notebooks[:MOST_NAMED])},
)
