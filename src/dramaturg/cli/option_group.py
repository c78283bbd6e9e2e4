"""Options that several commands share, declared once as the parameters of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import cached_property
from typing import Any, Generic, TypeVar

import typer
from typer.core import TyperCommand
from typer.main import get_command

T = TypeVar("T")


class OptionGroup(Generic[T]):
    """A decorator for a function whose parameters are the options, and which returns what they mean together.

    A command has the options if its class is `command_with` the group, and calls the group for what they were given.
    """

    def __init__(self, meaning: Callable[..., T]) -> None:
        self._meaning = meaning
        self._given: ContextVar[Mapping[str, Any]] = ContextVar(meaning.__name__)

    def __call__(self) -> T:
        """What the command in hand was given."""
        return self._meaning(**self._given.get({}))

    def add_to(self, command: Any) -> None:
        """Give a command the options. They do not become arguments of its function."""
        command.params.extend(self._options)

    @cached_property
    def _options(self) -> tuple[Any, ...]:
        holder = typer.Typer(add_completion=False)
        holder.command()(self._meaning)
        options = get_command(holder).params
        for option in options:
            option.expose_value = False
            option.callback = self._keep
        return tuple(options)

    def _keep(self, context: Any, option: Any, value: Any) -> Any:
        self._given.set({**self._given.get({}), option.name: value})
        return value


def command_with(*groups: OptionGroup[Any]) -> type[TyperCommand]:
    """The class of a command that has the options of these groups after its own."""

    class CommandWithGroups(TyperCommand):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            for group in groups:
                group.add_to(self)

    return CommandWithGroups
