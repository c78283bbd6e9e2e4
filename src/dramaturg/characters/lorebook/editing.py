"""Editing a book: entries changed, added, removed and put in another order, all at once or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import Field, JsonValue
from pydantic.alias_generators import to_camel

from dramaturg.characters.decorators import read_decorators
from dramaturg.characters.lorebook.conversion import book_entry_of
from dramaturg.characters.lorebook.dialect import STANDALONE, WORLD_DEFAULTS
from dramaturg.characters.lorebook.entry import POSITIONS
from dramaturg.characters.lorebook.fields import (
    CARD_ONLY,
    LoreFields,
    card_entry_fields,
    world_entry_fields,
    write_card_entry,
    write_world_entry,
)
from dramaturg.characters.lorebook.forms import MAX_ENTRIES, is_of_sillytavern
from dramaturg.characters.lorebook.pattern import UnusablePatternError, compiled, pattern_of
from dramaturg.characters.tavern.jsontext import Refuse, is_object
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.values import WireValue

MAX_KEYS = 1000
MOST_PROBLEMS = 50
NEW_ENTRY: Mapping[str, JsonValue] = {"keys": [], "content": "", "enabled": True, "insertion_order": 100}
_NEVER_BELOW_ZERO = ("depth", "scan_depth", "sticky", "cooldown", "delay", "group_weight", "delay_until_recursion")
_CANNOT_SAY = "a book of this form has no way to say this"


EntryForm: TypeAlias = Literal["card", "sillytavern", "world"]
"""How an entry is written: as in the book of a card, in one that SillyTavern wrote, or as World Info."""


class EntryEdit(WireValue):
    """An entry as it shall be: that at place `at` of the file, or a new one, with the fields that change."""

    at: int | None = Field(None, ge=0, description="its place in the file, from 0; a new entry has none", examples=[0])
    fields: LoreFields | None = Field(None, description="what changes; left out, the entry stays as it is")


class LoreProblem(WireValue):
    """What is wrong with a field of an entry; `entry` counts the entries of the edit from 0."""

    entry: int
    field: str = Field(examples=["keys"])
    problem: str


@dataclass(frozen=True, slots=True)
class _Item:
    """An entry of a file, with its key if its book is an object."""

    key: str
    raw: dict[str, JsonValue]


class RawBook:
    """A book as JSON that is changed in place."""

    def __init__(self, book: dict[str, JsonValue], refuse: Refuse) -> None:
        self._book = book
        entries = book.get("entries")
        self.is_world = is_object(entries)
        listed = entries.items() if is_object(entries) else enumerate(entries if isinstance(entries, list) else [])
        self._items = [_Item(str(key), raw) for key, raw in listed if is_object(raw)]
        self.fields = tuple(self._read(item.raw, place, refuse) for place, item in enumerate(self._items))
        self._refuse = refuse

    def form_of(self, place: int | None) -> EntryForm:
        """How the entry at a place of the file is written, or a new one."""
        if self.is_world:
            return "world"
        items = self._items if place is None else self._items[place : place + 1]
        return "sillytavern" if any(is_of_sillytavern(_extensions(item.raw)) for item in items) else "card"

    def edit(self, edits: Sequence[EntryEdit]) -> None:
        """Make the book what the edits say. Raises InvalidConfig, with each problem at its field."""
        if problems := self.draft(edits):
            raise _invalid(problems)

    def draft(self, edits: Sequence[EntryEdit]) -> list[LoreProblem]:
        """The same for a book that is still typed: as far as it goes, with what is wrong."""
        wanted, problems = self._wanted(edits)
        items = [self._written(edit, fields) for edit, fields in zip(edits, wanted, strict=True)]
        kept = [edit.at for edit in edits if edit.at is not None]
        if kept != sorted(kept):
            _renumber([item.raw for item in items], in_extensions=not self.is_world)
        entries: dict[str, JsonValue] | list[JsonValue]
        entries = {item.key: item.raw for item in items} if self.is_world else [item.raw for item in items]
        self._book["entries"] = entries
        problems += [one for one in self._unsaid(wanted, items) if one not in problems]
        copies = self._book.get("originalData")
        listed = copies.get("entries") if is_object(copies) else None
        if is_object(copies) and isinstance(listed, list):
            copies["entries"] = self._followed(listed, edits, wanted, items)
        return problems

    def _followed(
        self,
        copies: Sequence[JsonValue],
        edits: Sequence[EntryEdit],
        wanted: Sequence[LoreFields],
        items: Sequence[_Item],
    ) -> list[JsonValue]:
        """SillyTavern keeps the book that World Info was made from, and writes it into cards: change that too."""
        known = {str(copy.get("id", place)): copy for place, copy in enumerate(copies) if is_object(copy)}
        kept = {edit.at for edit in edits}
        for place, item in enumerate(self._items[: len(self.fields)]):
            if place not in kept:
                known.pop(str(item.raw.get("uid")), None)
        followed: list[JsonValue] = [*known.values()]
        for edit, new, item in zip(edits, wanted, items, strict=True):
            copy = known.get(str(item.raw.get("uid")))
            if edit.at is None:
                followed.append(book_entry_of(item.raw, item.key))
            elif copy is not None:
                write_card_entry(copy, self.fields[edit.at], new)
        return followed

    def _wanted(self, edits: Sequence[EntryEdit]) -> tuple[list[LoreFields], list[LoreProblem]]:
        _check_places(edits, len(self._items))
        wanted: list[LoreFields] = []
        problems: list[LoreProblem] = []
        for number, edit in enumerate(edits):
            old = LoreFields() if edit.at is None else self.fields[edit.at]
            new = old.model_copy(update=_given(edit.fields)) if edit.fields is not None else old
            wanted.append(new if new.position in POSITIONS else new.model_copy(update={"position": old.position}))
            if edit.fields is None and edit.at is not None:
                continue
            form = self.form_of(edit.at)
            known = () if edit.at is None else tuple(problems_of(old, form))
            found = (one for one in problems_of(new, form) if one not in known)
            problems += [LoreProblem(entry=number, field=to_camel(field), problem=said) for field, said in found]
        return wanted, problems

    def _written(self, edit: EntryEdit, wanted: LoreFields) -> _Item:
        if edit.at is None:
            item = self._added()
            old = self._read(item.raw, len(self._items), self._refuse)
        else:
            item, old = self._items[edit.at], self.fields[edit.at]
        if wanted != old:
            (write_world_entry if self.is_world else write_card_entry)(item.raw, old, wanted)
        return item

    def _added(self) -> _Item:
        """A new entry with a number that no other has."""
        if self.is_world:
            numbers = [whole_number(text) for item in self._items for text in (item.key, str(item.raw.get("uid")))]
            number = max((known for known in numbers if known is not None), default=-1) + 1
            item = _Item(str(number), {**WORLD_DEFAULTS, "uid": number, "displayIndex": self._next_index()})
        else:
            numbers = [whole_number(str(item.raw.get("id"))) for item in self._items]
            number = max((known for known in numbers if known is not None), default=-1) + 1
            extensions: dict[str, JsonValue] = {}
            if any(_index_of(item.raw, in_extensions=True) is not None for item in self._items):
                extensions["display_index"] = self._next_index()
            item = _Item("", {**NEW_ENTRY, "id": number, "use_regex": False, "extensions": extensions})
        self._items.append(item)
        return item

    def _next_index(self) -> int:
        known = [_index_of(item.raw, in_extensions=not self.is_world) for item in self._items]
        return max((index for index in known if index is not None), default=len(known) - 1) + 1

    def _unsaid(self, wanted: Sequence[LoreFields], items: Sequence[_Item]) -> list[LoreProblem]:
        """What was asked for, and would not be read again."""
        problems: list[LoreProblem] = []
        for number, (asked, item) in enumerate(zip(wanted, items, strict=True)):
            read = self._read(item.raw, number, self._refuse)
            if read != asked:
                unsaid = [name for name in LoreFields.model_fields if getattr(read, name) != getattr(asked, name)]
                problems += [LoreProblem(entry=number, field=to_camel(name), problem=_CANNOT_SAY) for name in unsaid]
        return problems

    def _read(self, raw: dict[str, JsonValue], place: int, refuse: Refuse) -> LoreFields:
        return (world_entry_fields if self.is_world else card_entry_fields)(raw, place, refuse)


def book_in(source: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The part of a file's JSON that has the entries: the file itself, a stand-alone book, or the book of a card."""
    inner = source.get("data")
    if not is_object(inner) or "spec" not in source:
        return source
    book = inner if source["spec"] == STANDALONE else inner.get("character_book")
    return book if is_object(book) else source


def problems_of(fields: LoreFields, form: EntryForm) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry: the field, and what to do about it."""
    all_patterns = fields.use_regex and form == "card"
    yield from _problems_of_keys(fields, all_patterns)
    if all_patterns and fields.logic != "and_any":
        yield "logic", "its keys are all patterns; write them as /pattern/, and turn that off"
    if not fields.content.strip():
        yield "content", "write what is told"
    if not 0 <= fields.probability <= 100:
        yield "probability", "a number from 0 to 100"
    for name in _NEVER_BELOW_ZERO:
        if (getattr(fields, name) or 0) < 0:
            yield name, "a number from 0 on"
    if fields.position not in POSITIONS:
        yield "position", f"write it as a decorator, in the first line of the content: @@position {fields.position}"
    if fields.position == "outlet" and not fields.outlet.strip():
        yield "outlet", "give the outlet a name"
    blank = LoreFields()
    for name in CARD_ONLY if form == "world" else ():
        if getattr(fields, name) != getattr(blank, name):
            yield name, _CANNOT_SAY


def _problems_of_keys(fields: LoreFields, all_patterns: bool) -> Iterator[tuple[str, str]]:
    decorators, _ = read_decorators(fields.content)
    wakes = fields.constant or decorators.activate or not fields.enabled
    if not wakes and not any(key.strip() for key in fields.keys):
        yield "keys", "give it a key, or have it told always"
    for name, keys in (("keys", fields.keys), ("secondary_keys", fields.secondary_keys)):
        if len(keys) > MAX_KEYS:
            yield name, f"these are over {MAX_KEYS:,} keys; make several entries of it"
            continue
        for key in keys:
            if problem := _problem_of_key(key, all_patterns):
                yield name, problem


def _problem_of_key(key: str, all_patterns: bool) -> str:
    pattern = pattern_of(key) or ((key.strip(), "") if all_patterns and key.strip() else None)
    if pattern is None:
        return ""
    try:
        compiled(*pattern)
    except UnusablePatternError as error:
        return f"the pattern {pattern[0]!r:.60} cannot be used: {error}"
    return ""


def _given(fields: LoreFields) -> dict[str, Any]:
    return {name: getattr(fields, name) for name in fields.model_fields_set}


def _check_places(edits: Sequence[EntryEdit], count: int) -> None:
    if len(edits) > MAX_ENTRIES:
        raise InvalidConfig(f"These are over {MAX_ENTRIES:,} entries. Split the book.")
    places = [edit.at for edit in edits if edit.at is not None]
    if len(set(places)) < len(places) or any(place >= count for place in places):
        raise InvalidConfig(f"Each entry of the file may be named once, by its place from 0 to {count - 1}.")


def _invalid(problems: Sequence[LoreProblem]) -> InvalidConfig:
    first = problems[0]
    more = f" And {len(problems) - 1} more." if len(problems) > 1 else ""
    shown: list[JsonValue] = [one.model_dump(mode="json") for one in problems[:MOST_PROBLEMS]]
    field = re.sub("(?=[A-Z])", " ", first.field).lower()
    return InvalidConfig(f"Entry {first.entry + 1}, {field}: {first.problem}.{more}", problems=shown)


def _extensions(raw: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    extensions = raw.get("extensions")
    return extensions if is_object(extensions) else {}


def _index_of(raw: Mapping[str, JsonValue], *, in_extensions: bool) -> int | None:
    held = _extensions(raw) if in_extensions else raw
    index = held.get("display_index" if in_extensions else "displayIndex")
    return index if isinstance(index, int) else None


def _renumber(entries: Sequence[dict[str, JsonValue]], *, in_extensions: bool) -> None:
    """SillyTavern shows entries by these numbers: hand out the same ones in the new order."""
    shown = [entry for entry in entries if _index_of(entry, in_extensions=in_extensions) is not None]
    indices = sorted(index for entry in shown if (index := _index_of(entry, in_extensions=in_extensions)) is not None)
    for entry, index in zip(shown, indices, strict=True):
        extensions = entry.get("extensions")
        if in_extensions and is_object(extensions):
            extensions["display_index"] = index
        else:
            entry["displayIndex"] = index
