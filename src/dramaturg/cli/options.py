"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Project = Annotated[
    Path, typer.Option("--project", "-p", help="The story project's folder.", show_default="this folder")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, to stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the path of the transcript.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")]
Model = Annotated[str | None, typer.Option(help="The model to use: provider/model, a provider, or 'rehearsal'.")]
RunId = Annotated[str, typer.Argument(help="Id of a run, or the start of one.")]
SessionId = Annotated[str, typer.Argument(help="Id of a session, or the start of one.")]
Person = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="Play this part yourself: type its lines, or send them through stdin."),
]
