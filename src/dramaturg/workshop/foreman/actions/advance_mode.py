"""Moves the book to the next mode, or back to an earlier one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import EVERY_MODE, Capitals, ForemanAction, Outcome, Params, Workbench


class AdvanceParams(Params):
    to: Annotated[Mode | None, Capitals] = Field(None, description="the next if not given")
    force: bool = Field(False, description="asks the writer to open a closed gate")


async def advance(bench: Workbench, wanted: AdvanceParams) -> Outcome:
    order = list(Mode)
    to = wanted.to or bench.mode.next
    if to is None:
        raise InvalidConfig("EDITOR is the last mode; the book is finished when the writer says so.")
    if order.index(to) <= order.index(bench.mode):
        return Outcome(said=f"The book goes back to {to}.", advanced=to)
    if order.index(to) > order.index(bench.mode) + 1:
        raise InvalidConfig(f"{to} does not follow {bench.mode}; the next mode is {bench.mode.next}.")
    gate = await bench.gate()
    if gate.is_open:
        return Outcome(said=f"The gate is open: the book is in {to} now.", advanced=to)
    if not wanted.force:
        raise InvalidConfig(f"The gate of {bench.mode} is closed. Missing: {'; '.join(gate.missing)}.")
    if not bench.is_writers:
        return Outcome(said=f"To go on to {to} with open risks: {'; '.join(gate.missing)}.", awaits_yes=True)
    said = f"The book is in {to} now, with its gate forced. Open risks: {'; '.join(gate.missing)}."
    return Outcome(said=said, advanced=to, forced=gate.missing)


ACTION = ForemanAction(
    name="advance_mode",
    description="Go on to the next mode, or back. A closed gate names what is missing.",
    modes=EVERY_MODE,
    params=AdvanceParams,
    example={"to": "VOICE_CALIBRATION"},
    do=advance,
)
