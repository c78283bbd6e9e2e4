"""`--pace` and `--fast`: how fast a scene is shown, for every command that shows one."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from dramaturg.cli.group import noun
from dramaturg.kernel.errors import InvalidConfig

_pace: ContextVar[float | None] = ContextVar("pace", default=None)
_fast: ContextVar[bool] = ContextVar("fast", default=False)


class PacedCommand(TyperCommand):
    """A command with both options; what they were given is in `asked_pace`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params.extend(get_command(_options()).params)


def asked_pace() -> float | None:
    """The pace that was asked for; None if none was. Raises InvalidConfig for both options at once."""
    if _fast.get() and _pace.get():
        raise InvalidConfig("--fast and --pace exclude each other; give one of them.")
    return 0.0 if _fast.get() else _pace.get()


def _options() -> typer.Typer:
    holder = noun()

    @holder.command()
    def hold(
        pace: Annotated[
            float | None,
            typer.Option(
                min=0,
                max=10,
                callback=_heed_pace,
                expose_value=False,
                help="Leave time to read each line: 1 is a calm reader's time, 0.5 half of it, 0 none.",
            ),
        ] = None,
        fast: Annotated[
            bool,
            typer.Option(
                "--fast",
                callback=_heed_fast,
                expose_value=False,
                help="Show every line as soon as it is there: --pace 0.",
            ),
        ] = False,
    ) -> None:
        """Never called."""

    return holder


def _heed_pace(wanted: float | None) -> None:
    _pace.set(wanted)


def _heed_fast(wanted: bool) -> None:
    _fast.set(wanted)
