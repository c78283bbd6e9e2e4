"""Change a passage of the manuscript."""

from __future__ import annotations

from pydantic import Field

from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Outcome, Params, Workbench


class EditParams(Params):
    target: str = Field(min_length=1, max_length=200, description="a file of manuscript/, such as ch04-sc02")
    find: str = Field(min_length=1, max_length=20_000, description="the words as they stand, once in the file")
    replace: str = Field(max_length=20_000, description="the words instead")
    reason: str = Field("", max_length=400)


async def edit(bench: Workbench, wanted: EditParams) -> Outcome:
    written = await bench.edit_manuscript(wanted.target, wanted.find, wanted.replace)
    reason = f": {wanted.reason}" if wanted.reason else "."
    return Outcome(said=f"Changed a passage of {written.path}{reason}", written=written)


ACTION = ForemanAction(
    name="apply_edit",
    description="Replace words of a manuscript file that stand there exactly once.",
    modes=frozenset({Mode.EDITOR}),
    params=EditParams,
    example={"target": "ch04-sc02", "find": "with surgical precision", "replace": "slowly"},
    do=edit,
    offered=lambda book: book.scenes > 0,
)
