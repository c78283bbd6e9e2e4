"""`--voice` and `--no-voice`: whether a character's messages are spoken."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from dramaturg.cli.group import noun

_voice: ContextVar[bool | None] = ContextVar("voice", default=None)


class VoicedCommand(TyperCommand):
    """A command with the option; what it was given is in `asked_voice`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params.extend(get_command(_options()).params)


def asked_voice() -> bool | None:
    """Whether messages are to be spoken; None if nothing was said."""
    return _voice.get()


def _options() -> typer.Typer:
    holder = noun()

    @holder.command()
    def hold(
        voice: Annotated[
            bool | None,
            typer.Option(
                "--voice/--no-voice",
                callback=_heed_voice,
                expose_value=False,
                help="Have the character's messages spoken, as WAV files.",
            ),
        ] = None,
    ) -> None:
        """Never called."""

    return holder


def _heed_voice(value: bool | None) -> None:
    _voice.set(value)
