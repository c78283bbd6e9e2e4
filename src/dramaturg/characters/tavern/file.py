"""Card files: JSON, PNG or CharX, recognised by their content and not by their name."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import JsonValue

from dramaturg.characters.tavern.card import CardAsset, TavernCard, tavern_card
from dramaturg.characters.tavern.charx import CARD, CharxArchive, looks_like_charx, packed
from dramaturg.characters.tavern.jsontext import Refuse, is_object, read_object, write_json
from dramaturg.characters.tavern.png import SIGNATURE, PngChunk, card_in, check_plain, read_chunks, with_cards
from dramaturg.characters.tavern.portrait import drawn_portrait
from dramaturg.characters.tavern.versions import converted

CardFormat: TypeAlias = Literal["json", "png", "charx"]
MAX_INLINE = 4 * 1024 * 1024
"""The total size of the assets that may be embedded in the JSON."""
MAIN_ICON = "assets/icon/images/main.png"

_EMBEDDED = ("embeded://", "embedded://")
_KINDS = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "gif": "image/gif"}


@dataclass(frozen=True, slots=True)
class CardFile:
    """A card, and the whole file it was read from."""

    form: CardFormat
    card: TavernCard
    data: bytes = field(repr=False)
    remarks: tuple[str, ...] = ()


def read_card_file(data: bytes, refuse: Refuse) -> CardFile:
    """The card in a file's bytes. Raises the error `refuse` makes, and nothing else."""
    if data.startswith(SIGNATURE):
        json, remarks = card_in(read_chunks(data, refuse), refuse)
        return _read("png", json, data, remarks, refuse)
    if looks_like_charx(data):
        archive = CharxArchive(data, refuse)
        code = archive.code
        remarks = (f"It contains code ({', '.join(code[:5])}), which is kept but never run.",) if code else ()
        return _read("charx", archive.card(), data, remarks, refuse)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        raise refuse("no specification allows cards in WEBP pictures", "Export it as PNG or JSON.")
    if data.startswith(b"\xff\xd8"):
        raise refuse("it is a JPEG picture without an archive appended", "Export it as PNG, CharX or JSON.")
    check_plain(data, refuse)
    return _read("json", data, data, (), refuse)


def json_file(card: TavernCard) -> bytes:
    return write_json(card.source, indent=2) + b"\n"


def png_file(card: TavernCard, image: bytes | None, refuse: Refuse) -> bytes:
    """The card in a picture; a portrait is drawn if none is given.

    A V3 card is written twice: as `ccv3`, and as V2 in `chara` for programs that do not know V3.
    """
    chunks = _chunks_of(card, image, refuse)
    old = converted(card, 2, refuse) if card.version == 3 else card
    cards = [("chara", write_json(old.source))]
    if card.version == 3:
        cards.append(("ccv3", write_json(card.source)))
    return with_cards(chunks, cards)


def charx_file(card: TavernCard, members: tuple[tuple[str, bytes], ...]) -> bytes:
    """An archive with the card at its root, and its other members."""
    return packed(((CARD, write_json(card.source, indent=2)), *members))


def picture_of(file: CardFile, refuse: Refuse) -> bytes | None:
    """The character's PNG picture in a file; None if there is none."""
    if file.form == "png":
        return file.data
    if file.form == "charx":
        archive = CharxArchive(file.data, refuse)
        for name in filter(None, (member_of(asset.uri) for asset in icons_of(file.card))):
            found = archive.member(name) if name in archive.names else b""
            if found.startswith(SIGNATURE):
                return found
    return None


def icons_of(card: TavernCard) -> list[CardAsset]:
    """The icons that a card names, the main one first."""
    icons = [asset for asset in card.data.assets if asset.type == "icon"]
    return sorted(icons, key=lambda asset: asset.name != "main")


def members_of(file: CardFile, refuse: Refuse) -> tuple[tuple[str, bytes], ...]:
    """The members of an archive besides the card."""
    if file.form != "charx":
        return ()
    archive = CharxArchive(file.data, refuse)
    return tuple((name, archive.member(name)) for name in archive.names if name != CARD)


def with_icon(card: TavernCard, refuse: Refuse) -> TavernCard:
    """The card with its main icon in the archive, unless it already names another icon."""
    kept = [raw for raw in _raw_assets(card) if not (raw.get("type") == "icon" and raw.get("uri") == "ccdefault:")]
    if any(raw.get("type") == "icon" for raw in kept):
        return card
    icon: dict[str, JsonValue] = {"type": "icon", "uri": f"embeded://{MAIN_ICON}", "name": "main", "ext": "png"}
    return _with_assets(card, [icon, *kept], refuse)


def without_archive(card: TavernCard, members: tuple[tuple[str, bytes], ...], refuse: Refuse) -> TavernCard:
    """The card for a file without members: assets in the archive are embedded in the JSON, or left out."""
    held, room, left = dict(members), MAX_INLINE, 0
    written: list[dict[str, JsonValue]] = []
    for asset, raw in zip(card.data.assets, _raw_assets(card), strict=False):
        name = member_of(asset.uri)
        if not name:
            written.append(raw)
        elif name in held and len(held[name]) <= room:
            room -= len(held[name])
            kind = _KINDS.get(asset.ext.lower(), "application/octet-stream")
            written.append({**raw, "uri": f"data:{kind};base64,{base64.b64encode(held[name]).decode()}"})
        else:
            left += 1
    if written == _raw_assets(card):
        return card
    remarks = (f"Assets too large for this file, and left out: {left}.",) if left else ()
    return _with_assets(card, written, refuse).model_copy(update={"remarks": remarks})


def _read(form: CardFormat, json: bytes, data: bytes, remarks: tuple[str, ...], refuse: Refuse) -> CardFile:
    card = tavern_card(read_object(json, refuse), refuse)
    return CardFile(form, card, data, (*card.remarks, *remarks))


def _chunks_of(card: TavernCard, image: bytes | None, refuse: Refuse) -> tuple[PngChunk, ...]:
    return read_chunks(image if image is not None else drawn_portrait(card.data.name), refuse)


def member_of(uri: str) -> str:
    """The member of the archive that an address names; empty if it names something else."""
    return next((uri.removeprefix(mark) for mark in _EMBEDDED if uri.startswith(mark)), "")


def _raw_assets(card: TavernCard) -> list[dict[str, JsonValue]]:
    data = card.source.get("data")
    assets = data.get("assets") if is_object(data) else None
    return [asset for asset in assets if is_object(asset)] if isinstance(assets, list) else []


def _with_assets(card: TavernCard, assets: list[dict[str, JsonValue]], refuse: Refuse) -> TavernCard:
    data = card.source.get("data")
    listed: list[JsonValue] = list(assets)
    changed = {**(data if is_object(data) else {}), "assets": listed}
    return tavern_card({**card.source, "data": changed}, refuse)
