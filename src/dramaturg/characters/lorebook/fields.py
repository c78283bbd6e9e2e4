"""The fields of an entry as its author edits them: read from every form of a book, and written back into it.

Only what was changed is written. Whatever else an entry has, of this program or of others, stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import Field, JsonValue

from dramaturg.characters.decorators import LoreRole
from dramaturg.characters.lorebook.dialect import ALSO, CORE, DIALECT, WorldEntry
from dramaturg.characters.lorebook.entry import LOGICS, POSITIONS, ROLES, Logic, Position
from dramaturg.characters.lorebook.forms import book_entry_fields, given_fields, number_of
from dramaturg.characters.tavern.card import validated
from dramaturg.characters.tavern.jsontext import Refuse, is_object
from dramaturg.kernel.values import WireValue

_WORLD_NAMES: Mapping[str, str] = {
    "comment": "comment",
    "keys": "key",
    "secondary_keys": "keysecondary",
    "selective": "selective",
    "content": "content",
    "constant": "constant",
    "order": "order",
    "depth": "depth",
    "outlet": "outletName",
    "case_sensitive": "caseSensitive",
    "whole_words": "matchWholeWords",
    "scan_depth": "scanDepth",
    "group": "group",
    "group_override": "groupOverride",
    "group_weight": "groupWeight",
    "group_scoring": "useGroupScoring",
    "sticky": "sticky",
    "cooldown": "cooldown",
    "delay": "delay",
    "exclude_recursion": "excludeRecursion",
    "prevent_recursion": "preventRecursion",
    "delay_until_recursion": "delayUntilRecursion",
    "ignore_budget": "ignoreBudget",
    "triggers": "triggers",
}
"""Our names, and those of World Info, of the fields that have the same value in both."""
CARD_ONLY: Mapping[str, str] = {"name": "name", "priority": "priority", "use_regex": "use_regex"}
"""Fields that only the book of a card has."""


class LoreFields(WireValue):
    """An entry of a lorebook as its file has it. In an edit, fields that are left out stay as they are.

    `content` begins with the entry's decorators, if it has any; what they say wins over the fields.
    """

    name: str = Field("", description="in the book of a card only", examples=["The lighthouse"])
    comment: str = Field("", description="a note that nobody is told; the title, in World Info")
    keys: tuple[str, ...] = Field((), description="words, or patterns as `/pattern/flags`", examples=[["lighthouse"]])
    secondary_keys: tuple[str, ...] = ()
    selective: bool = Field(True, description="whether the secondary keys count")
    logic: Logic = Field("and_any", description="which of the secondary keys must be there, or must not")
    use_regex: bool = Field(False, description="whether all keys are patterns; in the book of a card only")
    content: str = Field("", description="what is told", examples=["It burned in 1903."])
    enabled: bool = True
    constant: bool = Field(False, description="always told, whatever is said")
    order: int | float = Field(100, description="higher ones stand later in a prompt, and go first into its budget")
    priority: int | float | None = Field(None, description="goes before `order` where the budget is short")
    position: Position = "before_char"
    depth: int = Field(4, description="for `at_depth`: messages from the newest")
    role: LoreRole = "system"
    outlet: str = ""
    case_sensitive: bool | None = None
    whole_words: bool | None = None
    scan_depth: int | None = Field(None, description="how many messages are searched; as the book says if not set")
    probability: float = Field(100, description="how likely it is told once it is woken, in percent")
    group: str = Field("", description="of the entries of a group, one is told; several names are separated by commas")
    group_override: bool = False
    group_weight: float = 100
    group_scoring: bool | None = None
    sticky: int = Field(0, description="for how many messages it stays")
    cooldown: int = Field(0, description="for how many messages it is then silent")
    delay: int = Field(0, description="how many messages there must be first")
    exclude_recursion: bool = False
    prevent_recursion: bool = False
    delay_until_recursion: int = 0
    ignore_budget: bool = False
    only_for: tuple[str, ...] = Field((), description="names of the characters it is for")
    only_for_tags: tuple[str, ...] = ()
    not_for: bool = Field(False, description="turns `onlyFor` and `onlyForTags` round")
    triggers: tuple[str, ...] = ()
    also_scan: tuple[str, ...] = Field((), description="parts of the card that are searched besides what is said")


def card_entry_fields(entry: JsonValue, place: int, refuse: Refuse) -> LoreFields:
    """The fields of an entry in the book of a card."""
    own, fields = book_entry_fields(entry, place, refuse)
    read = _of_world(validated(WorldEntry, given_fields(fields), f"entries[{place}].extensions", refuse), fields)
    return read.model_copy(update={"name": own.name, "priority": own.priority, "use_regex": own.use_regex})


def world_entry_fields(entry: JsonValue, place: int, refuse: Refuse) -> LoreFields:
    """The fields of an entry of World Info."""
    fields = entry if is_object(entry) else {}
    return _of_world(validated(WorldEntry, given_fields(fields), f"entries[{place}]", refuse), fields)


def _of_world(own: WorldEntry, fields: Mapping[str, JsonValue]) -> LoreFields:
    same = {ours: getattr(own, world) for ours, world in _WORLD_NAMES.items()}
    return LoreFields(
        **{
            **same,
            "delay_until_recursion": int(own.delayUntilRecursion),
            "enabled": not own.disable,
            "logic": number_of(LOGICS, own.selectiveLogic),
            "position": number_of(POSITIONS, own.position),
            "role": number_of(ROLES, own.role),
            "probability": own.probability if own.useProbability else 100,
            "only_for": own.characterFilter.names,
            "only_for_tags": own.characterFilter.tags,
            "not_for": own.characterFilter.excludes,
            "also_scan": tuple(part for world, part in ALSO.items() if fields.get(world) is True),
        }
    )


def write_world_entry(entry: dict[str, JsonValue], old: LoreFields, new: LoreFields) -> None:
    """Write what differs into an entry of World Info."""
    entry.update(_world_changes(entry, old, new))


def write_card_entry(entry: dict[str, JsonValue], old: LoreFields, new: LoreFields) -> None:
    """Write what differs into an entry of a card's book: its own fields, and SillyTavern's in `extensions`."""
    extensions = entry.get("extensions")
    held: dict[str, JsonValue] = extensions if is_object(extensions) else {}
    dialect = {world: held[ours] for world, ours in DIALECT.items() if ours in held}
    for ours, theirs in CARD_ONLY.items():
        if getattr(old, ours) != getattr(new, ours):
            entry[theirs] = getattr(new, ours)
    for world, value in _world_changes(dialect, old, new).items():
        if world in CORE:
            entry[CORE[world]] = value
        elif world == "disable":
            entry["enabled"] = not value
        elif world == "caseSensitive":
            _write_case(entry, held, value)
        elif world == "position":
            _write_position(entry, held, new.position)
        else:
            held[DIALECT[world]] = value
    if held:
        entry["extensions"] = held


def _write_case(entry: dict[str, JsonValue], held: dict[str, JsonValue], value: JsonValue) -> None:
    if value is not None or "case_sensitive" in entry:
        entry["case_sensitive"] = value
    if "case_sensitive" in held:
        held["case_sensitive"] = value


def _write_position(entry: dict[str, JsonValue], held: dict[str, JsonValue], position: Position) -> None:
    """A card knows two places. SillyTavern's others have numbers, which win."""
    number = POSITIONS.index(position)
    entry["position"] = "after_char" if number else "before_char"
    if isinstance(held.get("position"), int) or number > 1:
        held["position"] = number


def _world_changes(entry: Mapping[str, JsonValue], old: LoreFields, new: LoreFields) -> dict[str, JsonValue]:
    """What has changed, in the fields of World Info. `entry` has those that are there already."""
    changed = {field for field in LoreFields.model_fields if getattr(old, field) != getattr(new, field)}
    plain = new.model_dump(mode="json", by_alias=False)
    written: dict[str, JsonValue] = {world: plain[ours] for ours, world in _WORLD_NAMES.items() if ours in changed}
    written.update(_numbered(changed, new))
    if "enabled" in changed:
        written["disable"] = not new.enabled
    if "probability" in changed:
        written["probability"] = new.probability
        if entry.get("useProbability") is False:
            written["useProbability"] = True
    if changed & {"only_for", "only_for_tags", "not_for"}:
        was = entry.get("characterFilter")
        filtered: dict[str, JsonValue] = {
            "names": list(new.only_for),
            "tags": list(new.only_for_tags),
            "isExclude": new.not_for,
        }
        written["characterFilter"] = {**(was if is_object(was) else {}), **filtered}
    if "also_scan" in changed:
        turned = set(old.also_scan) ^ set(new.also_scan)
        written.update({world: part in new.also_scan for world, part in ALSO.items() if part in turned})
    return written


def _numbered(changed: set[str], new: LoreFields) -> Iterator[tuple[str, JsonValue]]:
    if "logic" in changed:
        yield "selectiveLogic", LOGICS.index(new.logic)
    if "position" in changed:
        yield "position", POSITIONS.index(new.position)
    if "role" in changed:
        yield "role", ROLES.index(new.role)
