"""Go to the next mode, or back to an earlier one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.actions.action import EVERY_MODE, Action, Capitals, Desk, Outcome, Params
from dramaturg.workshop.modes import Mode


class AdvanceParams(Params):
    to: Annotated[Mode | None, Capitals] = Field(None, description="the next mode if not given; going back is free")
    force: bool = Field(False, description="through a closed gate, only at the writer's word")


async def advance(desk: Desk, wanted: AdvanceParams) -> Outcome:
    order = list(Mode)
    to = wanted.to or desk.mode.next
    if to is None:
        raise InvalidConfig("EDITOR is the last mode; the book is finished when the writer says so.")
    if order.index(to) <= order.index(desk.mode):
        return Outcome(said=f"The book goes back to {to}.", advanced=to)
    if order.index(to) > order.index(desk.mode) + 1:
        raise InvalidConfig(f"{to} does not follow {desk.mode}; the next mode is {desk.mode.next}.")
    gate = desk.gate()
    if gate.is_open:
        return Outcome(said=f"The gate is open: the book is in {to} now.", advanced=to)
    if not wanted.force:
        raise InvalidConfig(f"The gate of {desk.mode} is closed. Missing: {'; '.join(gate.missing)}.")
    said = f"The book is in {to} now, with its gate forced. Open risks: {'; '.join(gate.missing)}."
    return Outcome(said=said, advanced=to, forced=gate.missing)


ACTION = Action(
    name="advance_mode",
    description="Go on to the next mode, or back; a closed gate refuses and names what is missing.",
    modes=EVERY_MODE,
    params=AdvanceParams,
    example={"to": "VOICE_CALIBRATION"},
    do=advance,
)
