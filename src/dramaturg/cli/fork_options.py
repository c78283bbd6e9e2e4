"""The options of `runs fork` that make a fork another scene: another goal, another card, another cast."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from typer.main import get_command

from dramaturg.cli.group import noun
from dramaturg.cli.pace import PacedCommand
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import read_file

LARGEST_CARD = 1_000_000


class ForkOptions(NamedTuple):
    """What is different in a fork."""

    goal: str | None = None
    card: tuple[str, ...] = ()
    cast: str | None = None

    @property
    def cards(self) -> dict[str, str]:
        """The text of each card by the name before the sign of `--card bob=FILE`. Raises InvalidConfig."""
        return dict(_read_card(one) for one in self.card)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of `--cast alice,dora`; None if it was not given."""
        return None if self.cast is None else tuple(name.strip() for name in self.cast.split(",") if name.strip())


_NOTHING = ForkOptions()
_given: ContextVar[ForkOptions | None] = ContextVar("given", default=None)


def fork_options() -> ForkOptions:
    """What the command in hand was given."""
    return _given.get() or _NOTHING


class ForkCommand(PacedCommand):
    """A command with these options besides its own; `fork_options` has what they were given."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params.extend(get_command(_holder()).params)


def _keep_goal(value: str | None) -> None:
    _given.set(fork_options()._replace(goal=value))


def _keep_cards(value: Sequence[str] | None) -> None:
    _given.set(fork_options()._replace(card=tuple(value or ())))


def _keep_cast(value: str | None) -> None:
    _given.set(fork_options()._replace(cast=value))


def _holder() -> typer.Typer:
    holder = noun()

    @holder.command()
    def hold(
        goal: Annotated[
            str | None,
            typer.Option(callback=_keep_goal, expose_value=False, help="Another goal from here on."),
        ] = None,
        card: Annotated[
            list[str] | None,
            typer.Option(
                callback=_keep_cards,
                expose_value=False,
                metavar="NAME=FILE",
                help="Another card for a character from here on. Can be repeated.",
            ),
        ] = None,
        cast: Annotated[
            str | None,
            typer.Option(
                callback=_keep_cast,
                expose_value=False,
                metavar="NAMES",
                help="Who plays on, such as alice,dora: the others leave, and who is new enters.",
            ),
        ] = None,
    ) -> None:
        """Never called."""

    return holder


def _read_card(text: str) -> tuple[str, str]:
    name, _, path = (part.strip() for part in text.partition("="))
    if not name or not path:
        raise InvalidConfig(f"--card {text!r} names no card. Write it so: --card bob=FILE")
    try:
        raw = read_file(Path(path), LARGEST_CARD)
        if len(raw) > LARGEST_CARD:
            raise InvalidConfig(f"The card '{path}' is larger than {LARGEST_CARD:,} bytes.")
        return name, raw.decode()
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not text in UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise InvalidConfig(f"The card '{path}' cannot be read: {why}.") from error
