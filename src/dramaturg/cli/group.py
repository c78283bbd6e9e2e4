"""Command groups: a root that imports a noun's file when it is used, and the nouns themselves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from keyword import iskeyword
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from dramaturg.cli.edge import trusting


def noun(*, invoke_without_command: bool = False) -> typer.Typer:
    """The commands of one noun. Their file is `cli/<noun>.py`, where this is called `app`."""
    return typer.Typer(
        no_args_is_help=not invoke_without_command,
        invoke_without_command=invoke_without_command,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


def _add_trust(command: Any) -> None:
    """Gives `--trust` to every command that opens a project, and is not about consent itself."""
    for one in getattr(command, "commands", {}).values():
        _add_trust(one)
    names = {option.name for option in command.params}
    if "project" in names and "revoke" not in names:
        trusting.add_to(command)


@cache
def _command_of(noun: str) -> Any:
    """The commands of a noun. Typer reads the annotations of each function, which takes long enough to do it once."""
    module = f"{noun}_" if iskeyword(noun) else noun
    command = get_command(import_module(f"dramaturg.cli.{module}").app)
    _add_trust(command)
    return command


class LazyGroup(TyperGroup):
    """Lists its nouns from a table, and imports a noun's file when one of its commands or its help is asked for.

    A subclass has the table: each noun, in the order of the help, with the one sentence that describes it everywhere.
    """

    nouns: ClassVar[Mapping[str, str]]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {name: TyperCommand(name, help=about) for name, about in self.nouns.items()}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.nouns:
            return None
        command = _command_of(cmd_name)
        command.help = self.nouns[cmd_name]
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.nouns.items()))
