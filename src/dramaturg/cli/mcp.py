"""`mcp`: the project for programs that speak the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from dramaturg.cli.edge import perform, settings_of, tell
from dramaturg.cli.group import noun
from dramaturg.cli.options import Project
from dramaturg.kernel.errors import InvalidSettings, install_extra

app = noun()
PARTS = {"mcp": "mcp", "mcp_types": "mcp", "fastapi": "server", "starlette": "server", "uvicorn": "server"}


@app.command()
def serve_tools(
    project: Project = Path(),
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of standard input and output.")] = False,
    host: Annotated[
        str, typer.Option(help="With --http: the address to listen on; other machines need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --http: the port; 0 picks a free one.")] = 8322,
) -> None:
    """Offer tools to play and follow scenes, talk to characters, consult the Foreman and read results."""

    async def work() -> None:
        serving, settings = _serving(), settings_of(project)
        if http:
            await serving.serve_http(
                settings, host, port, lambda at: tell(f"Serving MCP at {at}. Press Ctrl-C to stop.")
            )
        else:
            await serving.serve_stdio(settings)

    perform(work)


def _serving() -> ModuleType:
    """The server, whose dependencies are optional extras."""
    try:
        from dramaturg.mcp_server import server as serving
    except ModuleNotFoundError as error:
        extra = PARTS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        raise InvalidSettings(
            f"The MCP server needs {error.name}, which is not installed: {install_extra(extra)}.", missing=error.name
        ) from error
    return serving
