"""`ensemble`: up to six voices."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.table.options import Json, Project

app = typer.Typer(help="Ask up to six voices: they answer, comment and reply.", no_args_is_help=True)


@app.command("ask")
def ensemble_ask(
    message: Annotated[str, typer.Argument(help="What they are asked.")],
    project: Project = Path(),
    slots: Annotated[str, typer.Option(help="How many answer, or their numbers with commas.", show_default="all")] = "",
    audio: Annotated[bool, typer.Option(help="Speak every line.")] = True,
    kiosk: Annotated[str, typer.Option(help="Whose conversation this goes on with.")] = "main",
    engine: Annotated[str | None, typer.Option(help="Who speaks: kokoro, hibari (quick), silent …")] = None,
    model: Annotated[str | None, typer.Option(help="Who plays: provider/model, a provider, or 'rehearsal'.")] = None,
    json: Json = False,
) -> None:
    """Ask the ensemble, and watch three turns as they come."""
    from dramaturg.cli.ensemble import AskOptions, ask

    ask(message, project, AskOptions(slots, audio, kiosk, model, engine, json))


@app.command("mix")
def ensemble_mix(
    session: Annotated[str, typer.Argument(help="Id of a session, or enough of its beginning.")],
    project: Project = Path(),
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A WAV file; else beside the session.")] = None,
    json: Json = False,
) -> None:
    """One mastered mix of a session: every voice in its seat, with subtitles and chapters."""
    from dramaturg.cli.listen import ListenOptions, listen_to_run

    listen_to_run(session, project, ListenOptions(out=out, json=json))


@app.command("reset")
def ensemble_reset(
    project: Project = Path(), kiosk: Annotated[str, typer.Option(help="Whose conversation begins anew.")] = "main"
) -> None:
    """Let the next question find a table that has not heard the last one."""
    from dramaturg.cli.ensemble import reset

    reset(kiosk, project)
