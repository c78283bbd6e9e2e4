"""The forms of a lorebook: in a card, as a V3 stand-alone file, and as SillyTavern's World Info."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from pydantic import JsonValue

from dramaturg.characters.decorators import Decorators, read_decorators
from dramaturg.characters.lorebook.dialect import ALSO, DIALECT, STANDALONE, BookEntry, BookFields, WorldEntry
from dramaturg.characters.lorebook.entry import (
    LOGICS,
    POSITIONS,
    ROLES,
    BookForm,
    Lorebook,
    LoreEntry,
    Position,
)
from dramaturg.characters.tavern.card import THROUGH_SILLYTAVERN, validated
from dramaturg.characters.tavern.jsontext import JsonObject, Refuse, is_object, kind_of, read_object

T = TypeVar("T")
MAX_ENTRIES = 20_000
NO_BOOK = ("it is a card without a lorebook", "Import it with 'dramaturg character import'.")

_DECORATED_POSITIONS: Mapping[str, Position] = {
    "after_desc": "after_char",
    "before_desc": "before_char",
    "personality": "personality",
    "scenario": "scenario",
}


def read_book(data: bytes, refuse: Refuse) -> Lorebook:
    """The lorebook in a file's bytes, in any form. Raises the error `refuse` makes, and nothing else."""
    return book_from(read_object(data, refuse), refuse)


def book_from(source: JsonObject, refuse: Refuse) -> Lorebook:
    """The lorebook in a JSON object: World Info, V3 stand-alone, a card's book, or a card with a book."""
    inner = source.get("data")
    if source.get("spec") == STANDALONE:
        if not is_object(inner):
            raise refuse("it has no 'data'", "Export it again from the program it comes from.")
        return _card_book(inner, "standalone", source, refuse)
    if "spec" in source and is_object(inner):
        book = inner.get("character_book")
        if not is_object(book):
            raise refuse(*NO_BOOK)
        return card_book(book, refuse)
    entries = source.get("entries")
    if is_object(entries):
        return _world(source, entries, refuse)
    if isinstance(entries, list):
        return card_book(source, refuse)
    _check_origin(source, refuse)
    raise refuse("it is not a lorebook", "A lorebook has 'entries'.")


def card_book(source: JsonObject, refuse: Refuse) -> Lorebook:
    """A card's own book."""
    return _card_book(source, "card", source, refuse)


def _card_book(fields: JsonObject, form: BookForm, source: JsonObject, refuse: Refuse) -> Lorebook:
    entries = fields.get("entries")
    if not isinstance(entries, list):
        raise refuse(
            f"its entries are {kind_of(entries)}, not a list", "Export it again from the program it comes from."
        )
    _check_count(len(entries), refuse)
    head = validated(BookFields, given_fields(fields), "", refuse)
    read = tuple(_book_entry(entry, place, refuse) for place, entry in enumerate(entries))
    _check_origin(fields, refuse)
    return _book(head, form, read, source)


def _check_origin(source: JsonObject, refuse: Refuse) -> None:
    """Raises the error for a book of a program whose entries have other fields: none of them would ever be told."""
    if "lorebookVersion" in source:
        program = "NovelAI"
    elif source.get("kind") == "memory":
        program = "Agnai"
    elif source.get("type") == "risu" and isinstance(source.get("data"), list):
        program = "RisuAI"
    else:
        return
    raise refuse(f"it is a lorebook of {program}", THROUGH_SILLYTAVERN)


def _book(head: BookFields, form: BookForm, entries: tuple[LoreEntry, ...], source: JsonObject) -> Lorebook:
    return Lorebook(
        form=form,
        name=head.name,
        description=head.description,
        scan_depth=head.scan_depth,
        token_budget=head.token_budget,
        recursive=head.recursive_scanning,
        entries=entries,
        source=source,
    )


def _world(source: JsonObject, entries: JsonObject, refuse: Refuse) -> Lorebook:
    _check_count(len(entries), refuse)
    head = validated(BookFields, given_fields(source), "", refuse)
    read = tuple(_world_entry(entry, key, refuse) for key, entry in entries.items())
    return _book(head, "world", read, source)


def _check_count(count: int, refuse: Refuse) -> None:
    if count > MAX_ENTRIES:
        raise refuse(f"it has over {MAX_ENTRIES:,} entries", "Split it into several books.")


def _book_entry(entry: JsonValue, place: int, refuse: Refuse) -> LoreEntry:
    own, fields = book_entry_fields(entry, place, refuse)
    uid = str(own.id) if own.id is not None else f"#{place}"
    is_pattern = own.use_regex and not is_of_sillytavern(own.extensions)
    read = _read_entry(fields, uid, f"entries[{place}].extensions", refuse)
    return read.model_copy(update={"name": own.name, "priority": own.priority, "is_pattern": is_pattern})


def is_of_sillytavern(extensions: JsonObject) -> bool:
    """Whether SillyTavern wrote an entry: it sets `use_regex` on all, but only keys between slashes are patterns."""
    return any(name in extensions for name in ("selectiveLogic", "display_index"))


def book_entry_fields(entry: JsonValue, place: int, refuse: Refuse) -> tuple[BookEntry, JsonObject]:
    """An entry of a card's book, and what it says in the fields of World Info."""
    where = f"entries[{place}]"
    if not is_object(entry):
        raise refuse(f"{where} is {kind_of(entry)}, not an object", "Remove it.")
    own = validated(BookEntry, given_fields(entry), where, refuse)
    extensions = own.extensions
    ours = {world: extensions[name] for world, name in DIALECT.items() if name in extensions}
    if not isinstance(ours.get("position"), int):
        ours["position"] = 1 if own.position == "after_char" else 0
    core: dict[str, JsonValue] = {
        "key": list(own.keys),
        "keysecondary": list(own.secondary_keys),
        "comment": own.comment,
        "content": own.content,
        "constant": own.constant,
        "selective": own.selective,
        "order": own.insertion_order,
        "disable": not own.enabled,
    }
    if own.case_sensitive is not None:
        core["caseSensitive"] = own.case_sensitive
    return own, {**ours, **core}


def _world_entry(entry: JsonValue, key: str, refuse: Refuse) -> LoreEntry:
    if not is_object(entry):
        raise refuse(f"entries.{key} is {kind_of(entry)}, not an object", "Remove it.")
    return _read_entry(entry, str(entry.get("uid", key)), f"entries.{key}", refuse)


def _read_entry(fields: JsonObject, uid: str, where: str, refuse: Refuse) -> LoreEntry:
    own = validated(WorldEntry, given_fields(fields), where, refuse)
    decorators, content = read_decorators(own.content)
    entry = LoreEntry(
        uid=uid,
        comment=own.comment,
        keys=own.key,
        secondary_keys=own.keysecondary if own.selective else (),
        logic=number_of(LOGICS, own.selectiveLogic),
        content=content,
        decorators=decorators,
        enabled=not own.disable,
        constant=own.constant,
        order=own.order,
        position=number_of(POSITIONS, own.position),
        depth=own.depth,
        role=number_of(ROLES, own.role),
        outlet=own.outletName,
        case_sensitive=own.caseSensitive,
        whole_words=own.matchWholeWords,
        scan_depth=own.scanDepth,
        probability=own.probability if own.useProbability else 100,
        groups=tuple(group.strip() for group in own.group.split(",") if group.strip()),
        group_override=own.groupOverride,
        group_weight=own.groupWeight,
        group_scoring=own.useGroupScoring,
        sticky=max(0, own.sticky),
        cooldown=max(0, own.cooldown),
        delay=max(0, own.delay),
        exclude_recursion=own.excludeRecursion,
        prevent_recursion=own.preventRecursion,
        delay_until_recursion=int(own.delayUntilRecursion),
        ignore_budget=own.ignoreBudget,
        characters=own.characterFilter,
        triggers=own.triggers,
        also_scan=tuple(ours for world, ours in ALSO.items() if fields.get(world) is True),
    )
    return entry.model_copy(update=dict(_decorated(decorators)))


def _decorated(decorators: Decorators) -> Iterator[tuple[str, object]]:
    """The fields that the decorators set."""
    if decorators.position is not None:
        yield "position", _DECORATED_POSITIONS[decorators.position]
    depth = decorators.depth if decorators.depth is not None else decorators.reverse_depth
    if depth is not None:
        yield "position", "at_depth"
        yield "depth", depth
        yield "from_oldest", decorators.depth is None
    if decorators.role is not None:
        yield "role", decorators.role
    if decorators.scan_depth is not None:
        yield "scan_depth", decorators.scan_depth


def given_fields(fields: JsonObject) -> JsonObject:
    """The fields without nulls, which mean the default."""
    return {key: value for key, value in fields.items() if value is not None}


def number_of(names: tuple[T, ...], number: int) -> T:
    """The name with that number; the first if there is none."""
    return names[number] if 0 <= number < len(names) else names[0]
