"""`serve`: the project over HTTP."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from dramaturg.cli.edge import echo, perform, settings_of, tell
from dramaturg.cli.group import noun
from dramaturg.cli.options import Project
from dramaturg.kernel.errors import InvalidSettings, install_extra

app = noun()
PARTS = ("fastapi", "starlette", "uvicorn")


@app.command()
def serve_project(
    project: Project = Path(),
    host: Annotated[str, typer.Option(help="The address to listen on; other machines need a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 picks a free one.")] = 8321,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Admit everyone who can reach the address, without a token.")
    ] = False,
    no_play: Annotated[
        bool, typer.Option("--no-play", help="Leave everything but the turns of sessions to workers.")
    ] = False,
) -> None:
    """Serve until Ctrl-C."""

    async def work() -> None:
        from dramaturg.kernel.addresses import is_loopback

        serving, settings = _serving(), settings_of(project)
        if no_play:
            queue = settings.queue.model_copy(update={"enabled": True, "play": False})
            settings = settings.model_copy(update={"queue": queue})
        if insecure and settings.server.token_env is None and not is_loopback(host):
            tell(f"Warning: no token is set. Anyone who can reach {host} can play, read and delete here.", "yellow")
        await serving.serve(settings, host, port, _ready, insecure=insecure, tell=tell)

    perform(work)


def _ready(address: str) -> None:
    echo(f"Serving at {address} (API at {address}/docs). Press Ctrl-C to stop; unfinished runs can be resumed.")


def _serving() -> ModuleType:
    """The server, whose dependencies are an optional extra."""
    try:
        from dramaturg.server import uvicorn_server as serving
    except ModuleNotFoundError as error:
        if error.name not in PARTS:
            raise
        raise InvalidSettings(
            f"The server needs {error.name}, which is not installed: {install_extra('server')}.",
            missing=error.name,
        ) from error
    return serving
