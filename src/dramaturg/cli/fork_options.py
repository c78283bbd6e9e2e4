"""The options of `runs fork` that make a fork another scene: another goal, another card, another cast."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from dramaturg.cli.option_group import OptionGroup
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import read_file

LARGEST_CARD = 1_000_000


class ForkOptions(NamedTuple):
    """What is different in a fork: the goal, the text of cards by name, the names of the cast."""

    goal: str | None
    cards: Mapping[str, str]
    cast: tuple[str, ...] | None


@OptionGroup
def fork_options(
    goal: Annotated[str | None, typer.Option(help="Another goal from here on.")] = None,
    card: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="Another card for a character from here on. Can be repeated."),
    ] = None,
    cast: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Who plays on, such as alice,dora: the others leave, and who is new enters."
        ),
    ] = None,
) -> ForkOptions:
    """What the command in hand was given. Raises InvalidConfig for a card that cannot be read."""
    names = None if cast is None else tuple(name.strip() for name in cast.split(",") if name.strip())
    return ForkOptions(goal, dict(_read_card(one) for one in card or ()), names)


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
