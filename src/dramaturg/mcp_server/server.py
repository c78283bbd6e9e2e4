"""The MCP server of a project: its tools, over standard input and output or over HTTP."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable

import uvicorn
from mcp.types import ToolAnnotations
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from dramaturg import __version__
from dramaturg.kernel.addresses import is_loopback
from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.settings import Settings
from dramaturg.mcp_server.closed_server import ClosedServer, closed_tool
from dramaturg.mcp_server.tools import Tools
from dramaturg.server.http.bearer import token_of
from dramaturg.server.http.security_headers import SecurityHeaders
from dramaturg.server.uvicorn_server import listen
from dramaturg.studio import Studio

PATH = "/mcp"
INSTRUCTIONS = """
dramaturg performs stories. In this project you can play scenes (list_scenes, play_scene, follow_run), talk to
characters (list_characters, talk_to_character), ask an ensemble of voices (ask_ensemble), plan a book with its editor
(consult_foreman), and read what was played (list_runs, read_transcript, read_costs). A run is one performance; its id
leads from one tool to the next. Playing calls language models and may cost money; reading costs nothing.
"""
READS = frozenset(("list_scenes", "list_characters", "list_runs", "read_transcript", "read_costs", "follow_run"))


def mcp_server(studio: Studio) -> ClosedServer:
    """The server for an open studio. It logs to standard error only."""
    tools = [closed_tool(tool, _hints(tool.__name__)) for tool in Tools(studio).all]
    return ClosedServer(
        "dramaturg", instructions=INSTRUCTIONS.strip(), version=__version__, log_level="WARNING", tools=tools
    )


def _hints(tool: str) -> ToolAnnotations:
    reads = tool in READS
    return ToolAnnotations(read_only_hint=reads, destructive_hint=False, open_world_hint=not reads)


async def serve_stdio(settings: Settings) -> None:
    """Serve over standard input and output until the client closes them."""
    async with Studio.open(settings) as studio:
        await mcp_server(studio).run_stdio_async()


async def serve_http(settings: Settings, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve over streamable HTTP until the process is told to stop; `ready` receives the address.

    Raises InvalidSettings if other machines could reach the server and it has no token.
    """
    token = token_of(settings)
    if token is None and not is_loopback(host):
        raise InvalidSettings(
            f"Without a token, anyone who can reach {host} could play and read. Set token_env under [server] in "
            "dramaturg.toml to the variable that holds a token, or listen on 127.0.0.1.",
            host=host,
        )
    logging.getLogger("mcp").setLevel(logging.WARNING)
    with listen(host, port) as sock:
        async with Studio.open(settings) as studio:
            app: ASGIApp = mcp_server(studio).streamable_http_app(streamable_http_path=PATH, host=host)
            app = SecurityHeaders(TokenRequired(app, token) if token else app)
            config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="on")
            shown = f"[{host}]" if ":" in host else host
            ready(f"http://{shown}:{sock.getsockname()[1]}{PATH}")
            await uvicorn.Server(config).serve(sockets=[sock])


class TokenRequired:
    """Middleware that admits requests with the server's token, and no others."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._carries(scope):
            await self._app(scope, receive, send)
            return
        told = {"error": "The token is missing or wrong. Send it as 'Authorization: Bearer …'."}
        refused = JSONResponse(told, 401, headers={"WWW-Authenticate": 'Bearer realm="dramaturg"'})
        await refused(scope, receive, send)

    def _carries(self, scope: Scope) -> bool:
        kind, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        return kind.casefold() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token.encode())
