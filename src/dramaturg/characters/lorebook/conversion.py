"""Conversion of lorebooks between their forms, without loss."""

from __future__ import annotations

from copy import deepcopy

from pydantic import JsonValue

from dramaturg.characters.lorebook.dialect import CORE, DIALECT, STANDALONE, WORLD_DEFAULTS, BookFields
from dramaturg.characters.lorebook.entry import BookForm, Lorebook
from dramaturg.characters.tavern.card import OURS
from dramaturg.characters.tavern.jsontext import JsonObject, is_object
from dramaturg.kernel.text.digits import whole_number


def book_as(book: Lorebook, form: BookForm) -> JsonObject:
    """The JSON of a book in the given form; unchanged if it has that form already."""
    if book.form == form:
        return deepcopy(dict(book.source))
    plain = dict(_plain_book(book))
    if form == "standalone":
        return {"spec": STANDALONE, "data": plain}
    return _world_of(plain) if form == "world" else plain


def _plain_book(book: Lorebook) -> JsonObject:
    """The book in the form that cards contain."""
    source = deepcopy(dict(book.source))
    if book.form == "card":
        return source
    if book.form == "standalone":
        inner = source.get("data")
        return inner if is_object(inner) else {}
    return _card_book_of(source)


def _card_book_of(world: JsonObject) -> JsonObject:
    """World Info as a card's book; the book it was made from, if nothing has changed since."""
    original = world.get("originalData")
    if is_object(original) and _world_of(original)["entries"] == world.get("entries"):
        return original
    entries = world.get("entries")
    listed: list[JsonValue] = [
        book_entry_of(entry, key) for key, entry in (entries if is_object(entries) else {}).items() if is_object(entry)
    ]
    head: dict[str, JsonValue] = {
        key: value for key, value in world.items() if key in BookFields.model_fields and value is not None
    }
    kept = {key: value for key, value in world.items() if key not in (*head, "entries", "originalData")}
    return {**head, "extensions": {OURS: {"world": kept}}, "entries": listed}


def book_entry_of(entry: JsonObject, key: str) -> dict[str, JsonValue]:
    """An entry of World Info as one of a card's book."""
    known = {*CORE, *DIALECT, "disable"}
    extensions: dict[str, JsonValue] = {name: entry[world] for world, name in DIALECT.items() if world in entry}
    rest: dict[str, JsonValue] = {name: value for name, value in entry.items() if name not in known}
    if rest:
        extensions[OURS] = {"world": rest}
    uid = entry.get("uid", key)
    number = whole_number(key) if uid == key else None
    return {
        "id": uid if number is None else number,
        "keys": entry.get("key") or [],
        "secondary_keys": entry.get("keysecondary") or [],
        "comment": entry.get("comment") or "",
        "content": entry.get("content") or "",
        "constant": bool(entry.get("constant")),
        "selective": entry.get("selective", True),
        "insertion_order": entry.get("order", 100),
        "enabled": not entry.get("disable"),
        "position": "before_char" if entry.get("position", 0) == 0 else "after_char",
        "use_regex": True,
        "extensions": {"selectiveLogic": 0, **extensions},
    }


def _world_of(book: JsonObject) -> JsonObject:
    """A card's book as World Info, with the book itself in `originalData`, as SillyTavern does."""
    listed = book.get("entries")
    entries: dict[str, JsonValue] = {}
    for place, entry in enumerate(listed if isinstance(listed, list) else []):
        if is_object(entry):
            entries[str(place)] = _world_entry_of(entry, place)
    head: dict[str, JsonValue] = {key: book[key] for key in BookFields.model_fields if key in book}
    extensions = book.get("extensions")
    ours = extensions.get(OURS) if is_object(extensions) else None
    kept = ours.get("world") if is_object(ours) else None
    if is_object(kept):
        return {**head, **kept, "entries": entries}
    return {**head, "entries": entries, "originalData": deepcopy(dict(book))}


def _world_entry_of(entry: JsonObject, place: int) -> dict[str, JsonValue]:
    extensions = entry.get("extensions")
    extensions = extensions if is_object(extensions) else {}
    dialect = {world: extensions[name] for world, name in DIALECT.items() if name in extensions}
    core = {world: entry[name] for world, name in CORE.items() if name in entry}
    ours = extensions.get(OURS)
    rest = ours.get("world") if is_object(ours) else None
    if "caseSensitive" not in dialect and "case_sensitive" in entry:
        dialect["caseSensitive"] = entry["case_sensitive"]
    if "position" not in dialect:
        dialect["position"] = 1 if entry.get("position") == "after_char" else 0
    if not core.get("comment"):
        core["comment"] = entry.get("name") or ""
    return {
        **WORLD_DEFAULTS,
        "displayIndex": place,
        **dialect,
        **core,
        "uid": place if not isinstance(core.get("uid"), int) else core["uid"],
        "disable": entry.get("enabled") is False,
        **(rest if is_object(rest) else {}),
    }
