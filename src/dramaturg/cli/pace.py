"""`--pace` and `--fast`: how fast a scene is shown, for every command that shows one."""

from __future__ import annotations

from typing import Annotated

import typer

from dramaturg.cli.option_group import OptionGroup
from dramaturg.kernel.errors import InvalidConfig


@OptionGroup
def asked_pace(
    pace: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=10,
            help="Leave time to read each line: 1 is a calm reader's time, 0.5 half of it, 0 none.",
        ),
    ] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Show every line as soon as it is there: --pace 0.")] = False,
) -> float | None:
    """The pace that was asked for; None if none was. Raises InvalidConfig for both options at once."""
    if fast and pace:
        raise InvalidConfig("--fast and --pace exclude each other; give one of them.")
    return 0.0 if fast else pace
