"""`--as`, `--wait` and `--author`: the person at this terminal plays a part."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

from dramaturg.cli.option_group import OptionGroup
from dramaturg.cli.options import Person


class SeatOptions(NamedTuple):
    """What was asked for: the part, whether the others wait, and whether everything is shown."""

    person: str | None
    wait: bool
    author: bool


@OptionGroup
def asked_seat(
    person: Person = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the person as long as it takes.")] = False,
    author: Annotated[
        bool, typer.Option("--author", help="With --as, show everything, not only what that character hears.")
    ] = False,
) -> SeatOptions:
    """The part that the person at this terminal wants."""
    return SeatOptions(person, wait, author)
