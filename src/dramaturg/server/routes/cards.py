"""Cards, for the author: the text of one, written back by its digest; cards of other programs; portraits."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from dramaturg.characters.card_text import CardText, portrait, read_card_text, write_card_text
from dramaturg.characters.exchange import import_card as import_into
from dramaturg.characters.load import MAX_BYTES
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.values import WireValue
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.characters import KnownName

router = api_router(prefix="/v1/characters", tags=["characters"])
UPLOADS = {"/v1/characters": 20_000_000}
"""A card of another program is a picture, which may be larger than other requests."""
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"description": "A picture.", "content": {"image/png": _BINARY}},
    304: {"description": "The picture has not changed."},
}
_CARD_FILE: dict[str, Any] = {"requestBody": {"required": True, "content": {"application/octet-stream": _BINARY}}}


class CardView(WireValue):
    """The text of a card. A card of another program is not `editable` before it is imported."""

    name: str
    text: str
    digest: str = Field(description="send it back with an edit")
    editable: bool
    tokens: int = Field(description="about how many tokens the text has")

    @classmethod
    def of(cls, card: CardText) -> CardView:
        tokens = estimate_tokens(card.text)
        return cls(name=card.name, text=card.text, digest=card.digest, editable=card.editable, tokens=tokens)


class CardEdit(WireValue):
    """The new text of a card, and the digest of the text it was made from."""

    text: str = Field(min_length=1, max_length=MAX_BYTES)
    digest: str = Field(max_length=64)


class ImportedCard(WireValue):
    """A card of another program that now is one of this project."""

    name: str
    display_name: str
    remarks: tuple[str, ...]


@router.post(
    "", status_code=201, summary="Import a card", responses=declared_errors(413, 422, 503), openapi_extra=_CARD_FILE
)
async def import_card(
    request: Request,
    studio: OpenStudio,
    file: Annotated[str, Query(min_length=1, max_length=200, description="the file's name", examples=["mina.png"])],
    name: Annotated[str | None, Query(max_length=64, description="another name for the card here")] = None,
) -> ImportedCard:
    """Send a card of another program, as PNG, JSON or CharX: it becomes a card of this project. Nothing is overwritten.

    The file itself is the body.
    """
    data = await request.body()
    stem = file.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or "character"
    brought = partial(import_into, stem=stem, name=name or None, rename="with ?name=")
    imported = await run_in_threadpool(brought, studio.settings.project, data)
    card = imported.card
    return ImportedCard(name=card.name, display_name=card.display_name, remarks=imported.remarks)


@router.get("/{name}/card", summary="Get the text of a card", responses=declared_errors(404, 422))
async def get_card(name: KnownName, studio: OpenStudio) -> CardView:
    """The card as its file has it, and its digest."""
    return CardView.of(read_card_text(studio.settings.project, name))


@router.put("/{name}/card", summary="Edit a card", responses=declared_errors(404, 409, 413, 422, 503))
async def edit_card(name: KnownName, edit: CardEdit, studio: OpenStudio) -> CardView:
    """Write the card. Refused with 409 if its file was changed since it was read, with 422 if it could not be played.

    Runs that have begun keep the card they began with.
    """
    return CardView.of(write_card_text(studio.settings.project, name, edit.text, edit.digest))


@router.get(
    "/{name}/portrait",
    summary="Get a portrait",
    response_class=Response,
    responses={**_PICTURE, **declared_errors(404, 422, json=False)},
)
async def get_portrait(name: KnownName, request: Request, studio: OpenStudio) -> Response:
    """The character's picture, or one drawn from its name. A picture that has not changed is not sent again."""
    picture = await run_in_threadpool(portrait, studio.settings.project, name)
    tag = f'"{hashlib.sha256(picture).hexdigest()[:32]}"'
    headers = {"Cache-Control": "private, no-cache", "ETag": tag}
    if request.headers.get("If-None-Match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(picture, media_type="image/png", headers=headers)
