"""Conversion of a card between versions of the specification.

Fields that an older version does not have are kept under `extensions.dramaturg` and restored on the way up. V1 has no
extensions: there the card's remarks list what was left out.
"""

from __future__ import annotations

from copy import deepcopy

from pydantic import JsonValue

from dramaturg.characters.decorators import split_decorators
from dramaturg.characters.tavern.card import OURS, SPECS, V1_FIELDS, TavernCard, Version, tavern_card
from dramaturg.characters.tavern.jsontext import JsonObject, Refuse, is_object

_V2_DEFAULTS: JsonObject = {
    "creator_notes": "",
    "system_prompt": "",
    "post_history_instructions": "",
    "alternate_greetings": [],
    "tags": [],
    "creator": "",
    "character_version": "",
    "extensions": {},
}
_V3_ONLY = (
    "assets",
    "nickname",
    "creator_notes_multilingual",
    "source",
    "group_only_greetings",
    "creation_date",
    "modification_date",
)
_DIALECT = {"talkativeness": "talkativeness", "fav": "fav"}


def converted(card: TavernCard, version: Version, refuse: Refuse) -> TavernCard:
    """The card in that version; itself if it has it already. Its remarks say what was left out."""
    while card.version < version:
        card = tavern_card(_up(card), refuse)
    while card.version > version:
        lost = _lost(card) if card.version == 2 else ()
        card = tavern_card(_down(card), refuse).model_copy(update={"remarks": lost})
    return card


def _up(card: TavernCard) -> JsonObject:
    return _second_of_first(card) if card.version == 1 else _third_of_second(card)


def _down(card: TavernCard) -> JsonObject:
    return _second_of_third(card) if card.version == 3 else _first_of_second(card)


def _second_of_first(card: TavernCard) -> JsonObject:
    source = _copy(card.source)
    rest = {key: value for key, value in source.items() if key not in V1_FIELDS}
    data = {field: getattr(card.data, field) for field in V1_FIELDS} | _copy(_V2_DEFAULTS)
    if isinstance(rest.get("creatorcomment"), str):
        data["creator_notes"] = rest["creatorcomment"]
    tags = rest.get("tags")
    if isinstance(tags, list) and all(isinstance(tag, str) for tag in tags):
        data["tags"] = tags
    extensions: dict[str, JsonValue] = {ours: rest[key] for key, ours in _DIALECT.items() if key in rest}
    data["extensions"] = extensions | ({OURS: {"v1": rest}} if rest else {})
    return _wrapped(2, {}, data)


def _first_of_second(card: TavernCard) -> JsonObject:
    rest = card.data.ours.get("v1")
    fields: dict[str, JsonValue] = {field: getattr(card.data, field) for field in V1_FIELDS}
    return fields | (_copy(rest) if is_object(rest) else {})


def _lost(card: TavernCard) -> tuple[str, ...]:
    kept = card.data.ours.get("v1")
    fields = [
        field
        for field in ("creator_notes", "system_prompt", "post_history_instructions", "alternate_greetings", "tags")
        if getattr(card.data, field)
    ]
    fields += ["character_book"] if card.data.character_book else []
    fields += ["extensions"] if set(card.data.extensions) - {OURS} - (set(kept) if is_object(kept) else set()) else []
    return (f"V1 has no fields for {', '.join(fields)}; they were left out.",) if fields else ()


def _third_of_second(card: TavernCard) -> JsonObject:
    source, data = _parts(card)
    kept = _take(data, "v3")
    data |= kept if is_object(kept) else {}
    data.setdefault("group_only_greetings", [])
    for entry in _entries(data):
        above = _take(entry, "decorators")
        if isinstance(above, str) and isinstance(entry.get("content"), str):
            entry["content"] = f"{above}\n{entry['content']}"
        entry.setdefault("use_regex", False)
    return _wrapped(3, source, data)


def _second_of_third(card: TavernCard) -> JsonObject:
    source, data = _parts(card)
    own = {field: data.pop(field) for field in _V3_ONLY if field in data}
    own = {field: value for field, value in own.items() if value not in (None, [], "", {})}
    if own:
        _keep(data, "v3", own)
    for entry in _entries(data):
        content = entry.get("content")
        above, below = split_decorators(content) if isinstance(content, str) else ("", "")
        if above:
            entry["content"] = below
            _keep(entry, "decorators", above)
        if entry.get("use_regex") is False:
            del entry["use_regex"]
    return _wrapped(2, source, data)


def _wrapped(version: Version, source: JsonObject, data: dict[str, JsonValue]) -> JsonObject:
    spec, number = SPECS[version]
    return {**source, "spec": spec, "spec_version": number, "data": data}


def _parts(card: TavernCard) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    source = _copy(card.source)
    data = source["data"]
    return source, data if is_object(data) else {}


def _entries(data: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    book = data.get("character_book")
    entries = book.get("entries") if is_object(book) else None
    return [entry for entry in entries if is_object(entry)] if isinstance(entries, list) else []


def _keep(place: dict[str, JsonValue], key: str, value: JsonValue) -> None:
    """Store a value under our key in the extensions of a card or an entry."""
    extensions = place.get("extensions")
    extensions = dict(extensions) if is_object(extensions) else {}
    ours = extensions.get(OURS)
    extensions[OURS] = {**(ours if is_object(ours) else {}), key: value}
    place["extensions"] = extensions


def _take(place: dict[str, JsonValue], key: str) -> JsonValue:
    """Remove and return a value under our key, and the key itself once it is empty."""
    extensions = place.get("extensions")
    ours = extensions.get(OURS) if is_object(extensions) else None
    if not is_object(extensions) or not is_object(ours) or key not in ours:
        return None
    found = ours[key]
    left: dict[str, JsonValue] = {name: value for name, value in ours.items() if name != key}
    others = {name: value for name, value in extensions.items() if name != OURS}
    place["extensions"] = others | ({OURS: left} if left else {})
    return found


def _copy(value: JsonObject) -> dict[str, JsonValue]:
    return deepcopy(dict(value))
