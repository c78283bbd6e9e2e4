"""Serving: a socket, the app, and an orderly end."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.settings import Settings
from dramaturg.server.app import create_app
from dramaturg.server.bearer import token_of
from dramaturg.server.door import LOOPBACK
from dramaturg.studio import Studio

GRACE_SECONDS = 5
"""How long requests under way may take when the server is told to stop."""


class HouseServer(uvicorn.Server):
    """Stops the runs first, so that whoever follows one sees its stream end; then closes the connections."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="on",
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        studio: Studio = self._app.state.studio
        await studio.episodes.close()
        await studio.engine.close()
        await super().shutdown(sockets)


async def serve(
    settings: Settings, host: str, port: int, ready: Callable[[str], None], *, insecure: bool = False
) -> None:
    """Serve a project until the process is told to stop. Port 0 takes a free one; `ready` is given the address.

    Raises InvalidSettings where others could reach it and it has no token, unless that is wanted (`insecure`).
    """
    if token_of(settings) is None and not is_loopback(host) and not insecure:
        raise InvalidSettings(
            f"Whoever reaches {host} could play, read and delete here, for there is no token. Name the variable that "
            "holds one (token_env under [server] in dramaturg.toml), or say --insecure.",
            host=host,
        )
    with listen(host, port) as sock:
        # What keeps the studio from opening is raised here, as an error of ours, and not in the app's start.
        async with Studio.open(settings):
            pass
        names = (*LOOPBACK, host) if is_loopback(host) else None
        server = HouseServer(create_app(settings, hosts=names))
        shown = f"[{host}]" if ":" in host else host
        ready(f"http://{shown}:{sock.getsockname()[1]}")
        await server.serve(sockets=[sock])


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on; they wait for the server."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidSettings(
            f"The server cannot listen on {host}, port {port}: {reason}. Choose another with --host and --port.",
            host=host,
            port=port,
        ) from error


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
