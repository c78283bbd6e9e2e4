"""`--voice` and `--no-voice`: whether a character's messages are spoken."""

from __future__ import annotations

from typing import Annotated

import typer

from dramaturg.cli.option_group import OptionGroup


@OptionGroup
def asked_voice(
    voice: Annotated[
        bool | None, typer.Option("--voice/--no-voice", help="Have the character's messages spoken, as WAV files.")
    ] = None,
) -> bool | None:
    """Whether messages are to be spoken; None if nothing was said."""
    return voice
