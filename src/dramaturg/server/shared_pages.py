"""The page of a shared result, made on the server: escaped, closed to search engines, with a picture for previews."""

from __future__ import annotations

import asyncio
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, StrictUndefined

from dramaturg.episodes.result_card import ResultCard, result_card
from dramaturg.episodes.sharing import Share
from dramaturg.kernel.errors import NotFound
from dramaturg.server.deps import OpenStudio
from dramaturg.server.players import received
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
    "Cache-Control": "no-store",
}
KINDS = {"result.css": "text/css", "result.js": "text/javascript"}
ADMITTED = [Depends(received)]


@cache
def _file(name: str) -> str:
    return (files("dramaturg.server") / "static" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@router.get("/static/{name}")
def page_part(name: str) -> Response:
    if name not in KINDS:
        return _nothing()
    headers = {**HEADERS, "Cache-Control": "no-cache"}
    return Response(_file(name), headers=headers, media_type=f"{KINDS[name]}; charset=utf-8")


@router.get("/{share_id}", dependencies=ADMITTED)
async def result_page(share_id: str, request: Request, studio: OpenStudio) -> Response:
    """What the player chose to show. Unknown, revoked, expired and private are the same page."""
    share = await _found(share_id, studio)
    if share is None:
        return _nothing()
    base = studio.settings.players.public_url or str(request.base_url)
    page = (
        _environment()
        .from_string(_file("result.html"))
        .render(share=share, snapshot=share.snapshot, card=_card(share), url=f"{base.rstrip('/')}/r/{share.id}")
    )
    return HTMLResponse(page, headers=HEADERS)


@router.get("/{share_id}/card.png", dependencies=ADMITTED)
async def result_picture(share_id: str, studio: OpenStudio) -> Response:
    """The picture that programs show beside the address: 1200 by 630."""
    share = await _found(share_id, studio)
    if share is None:
        return _nothing()
    from dramaturg.server.picture import CardPicture, drawn

    card, snapshot = _card(share), share.snapshot
    picture = CardPicture(
        kicker=f"{snapshot.title} · with {snapshot.character}",
        headline=card.headline,
        text=card.text,
        foot=f"Played by {snapshot.player_name}" if snapshot.player_name else "",
        key=card.key or snapshot.evaluation_type,
    )
    return Response(await asyncio.to_thread(drawn, picture), headers=HEADERS, media_type="image/png")


@router.post("/{share_id}/views", dependencies=ADMITTED)
async def page_viewed(share_id: str, studio: OpenStudio) -> Response:
    """The page's own count, for it carries no token."""
    try:
        await studio.episodes.count_view(share_id)
    except NotFound:
        return _nothing()
    return Response(status_code=204, headers=HEADERS)


async def _found(share_id: str, studio: Studio) -> Share | None:
    try:
        return await studio.episodes.shared(share_id)
    except NotFound:
        return None


def _card(share: Share) -> ResultCard:
    return result_card(share.snapshot.evaluation_type, share.snapshot.result)


def _nothing() -> Response:
    return HTMLResponse(_file("nothing.html"), 404, headers=HEADERS)
