"""Read a passage of the manuscript."""

from __future__ import annotations

from pydantic import Field

from dramaturg.workshop.foreman.actions.action import EVERY_MODE, ForemanAction, Outcome, Params, Workbench


class PassageParams(Params):
    target: str = Field(min_length=1, max_length=200, description="such as ch04-sc02")
    first: int = Field(1, ge=1, le=100_000, alias="from")
    last: int | None = Field(None, ge=1, le=100_000, alias="to")


async def read(bench: Workbench, wanted: PassageParams) -> Outcome:
    brought = bench.read_scene(wanted.target, wanted.first, wanted.last)
    return Outcome(said=f"Read {wanted.target} from paragraph {wanted.first}", brought=brought)


ACTION = ForemanAction(
    name="read_scene",
    description="Read other paragraphs of the manuscript, by number.",
    modes=EVERY_MODE,
    params=PassageParams,
    example={"target": "ch04-sc02", "from": "12", "to": "20"},
    do=read,
    offered=lambda book: book.scenes > 0,
)
