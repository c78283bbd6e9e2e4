"""The players' pages: the episodes that are open, a conversation, and an episode in a frame of another site."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.security_headers import framed_policy
from dramaturg.server.pages.static_files import static_page
from dramaturg.server.pages.studio import built_page

router = APIRouter(include_in_schema=False)
PAGE = "play.html"


@router.get("/play")
@router.get("/play/{session}")
@router.get("/play/start/{episode}")
def play_page(session: str = "", episode: str = "") -> HTMLResponse:
    """The players' page. It has none of the studio's code, and asks only for what is a player's."""
    return built_page(PAGE)


@router.get("/embed.js")
def embed_script() -> Response:
    """The one script tag that shows an episode on another site."""
    script = static_page("embed.js")
    script.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return script


@router.get("/embed/{episode}")
def embedded_page(episode: str, studio: OpenStudio) -> HTMLResponse:
    """The same page for a frame, on the sites that the host names."""
    return built_page(PAGE, framed_policy(studio.settings.players.embed_origins))
