"""The server process: a socket, the app, and a graceful shutdown."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from uvicorn.config import LOGGING_CONFIG
from uvicorn.logging import DefaultFormatter

from dramaturg.episodes.sources import episode_faults
from dramaturg.kernel.addresses import PORTS, is_loopback
from dramaturg.kernel.errors import DramaturgError, InvalidSettings
from dramaturg.kernel.settings import ServerSettings, Settings
from dramaturg.kernel.text.control import visible
from dramaturg.server.app import create_app
from dramaturg.server.http.bearer import token_of
from dramaturg.server.http.connection import ConnectionLimits
from dramaturg.server.http.origin_guard import LOOPBACK
from dramaturg.server.http.websocket_protocol import RefusingProtocol
from dramaturg.server.open_files import ACCEPTED_AT_ONCE, AcceptFailures, with_room_for_connections
from dramaturg.server.request_log import RepeatedWarnings
from dramaturg.studio import Studio

LONGEST_END = 5.0
"""In seconds: how long a request that was cancelled may take to end."""

WAITING = 512
"""How many connections may wait to be accepted."""

LONGEST_MESSAGE = 4096
"""The size of a WebSocket message from a client. What clients send is ignored."""


class VisibleFormatter(DefaultFormatter):
    """Log lines quote other people's words, down to the last line of a traceback: control characters are shown."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


_LOG: dict[str, Any] = {
    **LOGGING_CONFIG,
    "formatters": {
        **LOGGING_CONFIG["formatters"],
        "default": {"()": VisibleFormatter, "fmt": "%(levelprefix)s %(message)s", "use_colors": False},
    },
    "filters": {"repeated": {"()": RepeatedWarnings}},
    "handlers": {
        **LOGGING_CONFIG["handlers"],
        "default": {**LOGGING_CONFIG["handlers"]["default"], "filters": ["repeated"]},
    },
}


class GracefulServer(uvicorn.Server):
    """Stops the runs first, so that streams that follow them end; then closes the connections."""

    def __init__(
        self,
        app: FastAPI,
        settings: ServerSettings | None = None,
        tell: Callable[[str], None] = lambda text: None,
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        """`ready` is called once the app is open; connections that came earlier are answered from then on."""
        self._app = app
        self._tell, self._ready = tell, ready
        self._warming: asyncio.Task[None] | None = None
        settings = settings or ServerSettings()
        self._grace = settings.grace_seconds
        super().__init__(
            uvicorn.Config(
                app,
                http=ConnectionLimits(settings).protocol(),  # type: ignore[arg-type]
                ws=RefusingProtocol,
                ws_max_size=LONGEST_MESSAGE,
                proxy_headers=bool(settings.proxies),
                forwarded_allow_ips=list(settings.proxies),
                lifespan="off",
                log_level="warning",
                access_log=False,
                log_config=_LOG,
                server_header=False,
                backlog=ACCEPTED_AT_ONCE,
            )
        )

    async def _serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Opens the app here: what keeps it from opening is raised to the caller, where uvicorn prints a traceback."""
        asyncio.get_running_loop().set_exception_handler(AcceptFailures())
        async with self._app.router.lifespan_context(self._app):
            self._ready()
            await super()._serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(WAITING)  # asyncio takes what it accepts at once for what may wait
        studio: Studio = self._app.state.studio
        if is_warmed(studio.settings):
            self._warming = asyncio.create_task(warm_up(studio, self._tell))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        studio: Studio = self._app.state.studio
        self._app.state.shutting_down = True
        if self._warming is not None:
            self._warming.cancel()
        self._app.state.reaper.cancel()
        if signal.SIGTERM in self._captured_signals:  # another process goes on; Ctrl-C stops what plays
            for server in self.servers:
                server.close()
            await studio.engine.drain(studio.settings.server.drain_seconds)
        await studio.episodes.close()
        await studio.engine.close()
        await super().shutdown(sockets)

    async def _wait_tasks_to_complete(self) -> None:
        """Ends the requests that are still being answered when the grace is over, while the studio is still open."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._grace):
                await super()._wait_tasks_to_complete()
        if unfinished := list(self.server_state.tasks):
            for task in unfinished:
                task.cancel()
            await asyncio.wait(unfinished, timeout=LONGEST_END)


def is_warmed(settings: Settings) -> bool:
    """Whether the speech engine is loaded when the server starts."""
    warm = settings.voices.warm
    return (settings.project / "ensemble.yaml").is_file() if warm is None else warm


async def warm_up(studio: Studio, tell: Callable[[str], None]) -> None:
    """Load the speech engine, and tell which one speaks and why."""
    try:
        tell(await studio.booth.warm_up())
    except DramaturgError as error:
        tell(f"Lines stay text. {error.message}")


async def serve(
    settings: Settings,
    host: str,
    port: int,
    ready: Callable[[str], None],
    *,
    insecure: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> None:
    """Serve a project until the process is told to stop. Port 0 picks a free port; `ready` receives the address.

    `tell` is told which episodes cannot be played, which speech engine was loaded, and why it is that one.

    Raises InvalidSettings if other machines can reach the server and it has no token, unless episodes are open to
    players, in which case nobody is the author, or `insecure` is set.
    """
    reachable = token_of(settings) is None and not is_loopback(host) and not insecure
    if reachable and not settings.players.open:
        raise InvalidSettings(
            f"Without a token, anyone who can reach {host} could play, read and delete. Set token_env under "
            "[server] in dramaturg.toml to the variable that holds a token, name the episodes that players may play "
            "as `open` under [players], or pass --insecure.",
            host=host,
        )
    _check_public_url(settings)
    with listen(host, port) as sock:
        shown = f"[{host}]" if ":" in host else host

        def opened() -> None:
            for fault in episode_faults(settings.project, settings.players.open or ()):
                tell(f"Nobody can play this: {fault}")
            ready(f"http://{shown}:{sock.getsockname()[1]}")

        app = create_app(settings, hosts=hosts_of(settings, host), players_only=reachable)
        limits = with_room_for_connections(settings.server, tell)
        await GracefulServer(app, limits, tell, opened).serve(sockets=[sock])


def _check_public_url(settings: Settings) -> None:
    """Raises InvalidSettings for one that names no host: players behind a proxy would be refused."""
    public = settings.players.public_url
    if public is not None and not (urlsplit(public).scheme in PORTS and urlsplit(public).hostname):
        raise InvalidSettings(
            f"[players] public_url is '{public[:100]}', which is no address. Write it as https://play.example.org."
        )


def hosts_of(settings: Settings, host: str) -> tuple[str, ...] | None:
    """The host names a server answers to; None for any, where other machines reach it and no name is known.

    On a server for this machine alone that has no token, the names in the settings do not count: a page that leads such
    a name here would be the author.
    """
    if token_of(settings) is None and is_loopback(host):
        return (*LOOPBACK, host)
    public = urlsplit(settings.players.public_url or "").hostname
    named = (*(name.lower() for name in settings.server.hosts), *((public,) if public else ()))
    if not named and not is_loopback(host):
        return None
    return (*LOOPBACK, host, *named)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Connections queue until the server accepts them.

    They inherit from it that nothing waits to be sent: asyncio does not ask for that on such a socket, and a body that
    follows its head would wait 40 ms for the client's acknowledgement.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=WAITING)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidSettings(
            f"The server cannot listen on {host}, port {port}: {reason}. Choose another with --host and --port.",
            host=host,
            port=port,
        ) from error
