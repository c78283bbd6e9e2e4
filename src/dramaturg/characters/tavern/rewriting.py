"""Card files changed in place: the card in them, or their picture. Everything else of the file stays as it is."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import JsonValue

from dramaturg.characters.tavern.card import TavernCard, tavern_card
from dramaturg.characters.tavern.charx import CharxArchive, with_members
from dramaturg.characters.tavern.file import MAIN_ICON, CardFile, icons_of, member_of, png_file
from dramaturg.characters.tavern.jsontext import Refuse, is_object, raw_object, write_json, write_like
from dramaturg.characters.tavern.picture import check_picture
from dramaturg.characters.tavern.png import card_in, read_chunks, with_picture_of, with_texts
from dramaturg.characters.tavern.versions import converted
from dramaturg.kernel.errors import AuthorError

Change = Callable[[dict[str, JsonValue]], None]
"""Changes the JSON of a card in place."""
_BOOK = "character_book"


def with_changed_card(file: CardFile, change: Change, refuse: Refuse) -> bytes:
    """The file with its card changed. Raises the error `refuse` makes if it could not be read afterwards."""
    if file.form == "png":
        return _changed_png(file.data, change, refuse)
    if file.form == "charx":
        archive = CharxArchive(file.data, refuse)
        return with_members(file.data, archive, {"card.json": _changed(archive.card(), change, refuse)})
    return _changed(file.data, change, refuse)


def with_picture(file: CardFile, picture: bytes, refuse: Refuse) -> bytes:
    """The file with another picture: a CharX file with another icon, any other as a PNG of that picture."""
    check_picture(picture, refuse)
    if file.form == "png":
        return with_picture_of(read_chunks(picture, refuse), read_chunks(file.data, refuse))
    if file.form == "json":
        return png_file(tavern_card(raw_object(file.data, refuse), refuse), picture, refuse)
    archive = CharxArchive(file.data, refuse)
    named = next((member_of(icon.uri) for icon in icons_of(file.card)), "")
    if named in archive.names and named.lower().endswith(".png"):
        return with_members(file.data, archive, {named: picture})
    card = _changed(archive.card(), _show_main_icon, refuse)
    return with_members(file.data, archive, {"card.json": card, MAIN_ICON: picture})


def _show_main_icon(source: dict[str, JsonValue]) -> None:
    """Name the main icon in the archive, in place of the icon that the card names now."""
    data = source["data"]
    assert is_object(data)
    named = data.get("assets")
    assets: list[JsonValue] = named if isinstance(named, list) else []
    icons = [asset for asset in assets if is_object(asset) and asset.get("type") == "icon"]
    icons.sort(key=lambda icon: icon.get("name") != "main")
    shown: dict[str, JsonValue] = {"type": "icon", "name": "main", "uri": f"embeded://{MAIN_ICON}", "ext": "png"}
    if icons:
        icons[0].update(uri=shown["uri"], ext=shown["ext"])
    else:
        data["assets"] = [shown, *assets]


def _changed(json: bytes, change: Change, refuse: Refuse) -> bytes:
    source = raw_object(json, refuse)
    change(source)
    return write_like(source, json)


def _changed_png(data: bytes, change: Change, refuse: Refuse) -> bytes:
    """Change the card that is read, and the book of the copies for older programs beside it."""
    old, _ = card_in(read_chunks(data, refuse), refuse)
    new = _changed(old, change, refuse)
    was, now = (tavern_card(raw_object(json, refuse), refuse) for json in (old, new))

    def replaced(json: bytes) -> bytes:
        return new if json == old else _copy_with_book(json, was, now, refuse)

    return with_texts(data, replaced, refuse)


def _copy_with_book(json: bytes, was: TavernCard, now: TavernCard, refuse: Refuse) -> bytes:
    """A second copy of a card with the book of the first, in its own version; itself if it is no card."""
    try:
        source = raw_object(json, refuse)
        copy = tavern_card(source, refuse)
    except AuthorError:
        return json
    data = source["data"] if copy.version > 1 else source
    if is_object(data) and now.data.character_book is not None:
        is_same = copy.data.character_book == was.data.character_book
        book = now if is_same or copy.version >= now.version else converted(now, 2, refuse)
        data[_BOOK] = dict(book.data.character_book or {})
    return write_json(source)
