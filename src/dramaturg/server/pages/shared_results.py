"""The page of a shared result: rendered and escaped here, not indexed, with an image for link previews."""

from __future__ import annotations

import asyncio
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, StrictUndefined

from dramaturg.episodes.result_card import ResultCard, result_card
from dramaturg.episodes.share import Share
from dramaturg.kernel.errors import NotFound
from dramaturg.server.http.callers import limit_address
from dramaturg.server.http.deps import OpenStudio
from dramaturg.studio import Studio

router = APIRouter(prefix="/r", include_in_schema=False)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": "no-store",
}
MEDIA_TYPES = {"result.css": "text/css", "result.js": "text/javascript"}
LIMITED = [Depends(limit_address)]


@cache
def _file(name: str) -> str:
    return (files("dramaturg.server.pages") / "static" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@router.get("/static/{name}")
def page_asset(name: str) -> Response:
    if name not in MEDIA_TYPES:
        return _not_found()
    headers = {**HEADERS, "Cache-Control": "no-cache"}
    return Response(_file(name), headers=headers, media_type=f"{MEDIA_TYPES[name]}; charset=utf-8")


@router.get("/{share_id}", dependencies=LIMITED)
async def result_page(share_id: str, request: Request, studio: OpenStudio) -> Response:
    """What the player chose to share. Unknown, revoked, expired and private shares all give the same page."""
    share = await _found(share_id, studio)
    if share is None:
        return _not_found()
    base = studio.settings.players.public_url or str(request.base_url)
    page = (
        _environment()
        .from_string(_file("result.html"))
        .render(share=share, snapshot=share.snapshot, card=_card(share), url=f"{base.rstrip('/')}/r/{share.id}")
    )
    return HTMLResponse(page, headers=HEADERS)


@router.get("/{share_id}/card.png", dependencies=LIMITED)
async def result_image(share_id: str, studio: OpenStudio) -> Response:
    """The Open Graph image for link previews, 1200 by 630."""
    share = await _found(share_id, studio)
    if share is None:
        return _not_found()
    from dramaturg.server.pages.og_image import OgImage, render_png

    card, snapshot = _card(share), share.snapshot
    image = OgImage(
        kicker=f"{snapshot.title} · with {snapshot.character}",
        headline=card.headline,
        text=card.text,
        foot=f"Played by {snapshot.player_name}" if snapshot.player_name else "",
        key=card.key or snapshot.evaluation_type,
    )
    return Response(await asyncio.to_thread(render_png, image), headers=HEADERS, media_type="image/png")


@router.post("/{share_id}/views", dependencies=LIMITED)
async def page_viewed(share_id: str, studio: OpenStudio) -> Response:
    """The page counts its own views, since it has no token."""
    try:
        await studio.episodes.shares.count_view(share_id)
    except NotFound:
        return _not_found()
    return Response(status_code=204, headers=HEADERS)


async def _found(share_id: str, studio: Studio) -> Share | None:
    try:
        return await studio.episodes.shares.get(share_id)
    except NotFound:
        return None


def _card(share: Share) -> ResultCard:
    return result_card(share.snapshot.evaluation_type, share.snapshot.result)


def _not_found() -> Response:
    return HTMLResponse(_file("not_found.html"), 404, headers=HEADERS)
