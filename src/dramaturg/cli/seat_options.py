"""`--as`, `--wait` and `--author`: the person at this terminal plays a part."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Annotated, Any, NamedTuple

import typer
from typer.main import get_command

from dramaturg.cli.group import noun
from dramaturg.cli.options import AS_HELP
from dramaturg.cli.pace import PacedCommand


class SeatOptions(NamedTuple):
    """What was asked for: the part, whether the others wait, and whether everything is shown."""

    person: str | None = None
    wait: bool = False
    author: bool = False


_person: ContextVar[str | None] = ContextVar("person", default=None)
_wait: ContextVar[bool] = ContextVar("wait", default=False)
_author: ContextVar[bool] = ContextVar("author", default=False)


class SeatedCommand(PacedCommand):
    """A command with these options; what they were given is in `asked_seat`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params.extend(get_command(_options()).params)


def asked_seat() -> SeatOptions:
    return SeatOptions(_person.get(), _wait.get(), _author.get())


def _options() -> typer.Typer:
    holder = noun()

    @holder.command()
    def hold(
        person: Annotated[
            str | None,
            typer.Option("--as", metavar="NAME", callback=_heed_person, expose_value=False, help=AS_HELP),
        ] = None,
        wait: Annotated[
            bool,
            typer.Option(
                "--wait", callback=_heed_wait, expose_value=False, help="Wait for the person as long as it takes."
            ),
        ] = False,
        author: Annotated[
            bool,
            typer.Option(
                "--author",
                callback=_heed_author,
                expose_value=False,
                help="With --as, show everything, not only what that character hears.",
            ),
        ] = False,
    ) -> None:
        """Never called."""

    return holder


def _heed_person(name: str | None) -> None:
    _person.set(name)


def _heed_wait(wanted: bool) -> None:
    _wait.set(wanted)


def _heed_author(wanted: bool) -> None:
    _author.set(wanted)
