"""Options that many commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Project = Annotated[
    Path, typer.Option("--project", "-p", help="The story project's folder.", show_default="this folder")
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output, and nothing else, on stdout.")]
