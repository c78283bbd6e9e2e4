"""`voices`: who speaks aloud."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.table.options import Json, Project

app = typer.Typer(help="Who speaks aloud here: list, try and measure voices.", invoke_without_command=True)


@app.callback()
def voices(context: typer.Context, project: Project = Path(), json: Json = False) -> None:
    """Who speaks aloud here: list, try and measure voices. Without a command, the list."""
    if context.invoked_subcommand is None:
        from dramaturg.cli.voices import list_voices

        list_voices(project, json)


@app.command("say")
def voices_say(
    text: Annotated[str, typer.Argument(help="What to say. Stage directions, Markdown and links are not read.")],
    project: Project = Path(),
    voice: Annotated[str | None, typer.Option(help="A voice of the engine, or a profile's name.")] = None,
    profile: Annotated[str | None, typer.Option(help="How it is said; the voice too, if none is named.")] = None,
    engine: Annotated[str | None, typer.Option(help="kokoro, hibari, elevenlabs, openai-compatible, silent.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A WAV file.", show_default="line.wav")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    json: Json = False,
) -> None:
    """Speak a line into a WAV file."""
    from dramaturg.cli.voices import SayOptions, say_line

    say_line(text, project, SayOptions(voice, profile, engine, out, force, json))


@app.command("check")
def voices_check(
    project: Project = Path(),
    engine: Annotated[str | None, typer.Option(help="Only this engine.", show_default="all offline ones")] = None,
    json: Json = False,
) -> None:
    """Let every voice speak a sentence, and measure it."""
    from dramaturg.cli.voices import check_voices

    check_voices(project, engine, json)
