"""`serve`: the project over HTTP."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import typer

from dramaturg.cli.edge import perform, settings_of, tell
from dramaturg.kernel.errors import InvalidSettings

PARTS = ("fastapi", "starlette", "uvicorn")


def serve_project(project: Path, host: str, port: int, *, insecure: bool = False) -> None:
    """Serve until Ctrl-C."""

    async def work() -> None:
        serving, settings = _serving(), settings_of(project)
        if insecure and settings.server.token_env is None and not serving.is_loopback(host):
            tell(f"Warning: there is no token, and whoever reaches {host} can play, read and delete here.", "yellow")
        await serving.serve(settings, host, port, _ready, insecure=insecure)

    perform(work)


def _ready(address: str) -> None:
    typer.echo(f"Serving at {address} (described at {address}/docs). Ctrl-C stops it; what plays can be resumed.")


def _serving() -> ModuleType:
    """The other face; what it stands on is an extra."""
    try:
        from dramaturg.server import uvicorn_server as serving
    except ModuleNotFoundError as error:
        if error.name not in PARTS:
            raise
        raise InvalidSettings(
            f"The server needs {error.name}, which is not installed: pip install 'dramaturg[server]'.",
            missing=error.name,
        ) from error
    return serving
