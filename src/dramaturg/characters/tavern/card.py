"""Character cards as other programs write them: V1, V2 and V3, with SillyTavern's extensions.

The JSON is authoritative and is kept whole, with fields unknown here; the values in this module are read from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from dramaturg.characters.tavern.jsontext import JsonObject, Refuse, is_object, wrong_field
from dramaturg.kernel.values import Value

Version: TypeAlias = Literal[1, 2, 3]
T = TypeVar("T")

OURS = "dramaturg"
"""Our key in `extensions`, the only place in a foreign card where we store anything."""
V1_FIELDS = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
SPECS: Mapping[Version, tuple[str, str]] = {2: ("chara_card_v2", "2.0"), 3: ("chara_card_v3", "3.0")}

THROUGH_SILLYTAVERN = "SillyTavern can import it; export it from there."
_SPEC = re.compile(r"chara_card_v(\d{1,3})")
_ORDINARY_TALK = 0.5


def _or_empty(value: object) -> object:
    return "" if value is None else value


def _or_none(value: object) -> object:
    return () if value is None else value


def _or_nothing(value: object) -> object:
    return {} if value is None else value


Words = Annotated[str, BeforeValidator(_or_empty)]
WordList = Annotated[tuple[str, ...], BeforeValidator(_or_none)]


class CardAsset(Value):
    """A picture, sound or other file that belongs to a card, and its address."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: Words = ""
    uri: Words = ""
    name: Words = ""
    ext: Words = ""


class DepthPrompt(Value):
    """SillyTavern's note to the character, inserted `depth` messages above the newest."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    prompt: Words = ""
    depth: int = 4
    role: str = "system"


class CardData(Value):
    """The content of a card. A missing or null field is empty."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Words = ""
    description: Words = ""
    personality: Words = ""
    scenario: Words = ""
    first_mes: Words = ""
    mes_example: Words = ""
    creator_notes: Words = ""
    system_prompt: Words = ""
    post_history_instructions: Words = ""
    alternate_greetings: WordList = ()
    tags: WordList = ()
    creator: Words = ""
    character_version: Words = ""
    character_book: Mapping[str, JsonValue] | None = Field(None, repr=False)
    extensions: Annotated[Mapping[str, JsonValue], BeforeValidator(_or_nothing)] = Field(default_factory=dict)
    nickname: Words = ""
    assets: Annotated[tuple[CardAsset, ...], BeforeValidator(_or_none)] = ()
    group_only_greetings: WordList = ()
    source: WordList = ()

    @property
    def greetings(self) -> tuple[str, ...]:
        """The first message and its alternatives, without empty ones."""
        return tuple(text for text in (self.first_mes, *self.alternate_greetings) if text.strip())

    @property
    def called(self) -> str:
        """What `{{char}}` stands for."""
        return self.nickname.strip() or self.name.strip()

    @property
    def talkativeness(self) -> float:
        """SillyTavern's value from 0 to 1; 0.5 if the card has no usable one."""
        try:
            return min(1.0, max(0.0, float(str(self.extensions.get("talkativeness", _ORDINARY_TALK)))))
        except ValueError:
            return _ORDINARY_TALK

    @property
    def depth_prompt(self) -> DepthPrompt:
        """SillyTavern's note to the character; empty if there is no usable one."""
        try:
            return DepthPrompt.model_validate(self.extensions.get("depth_prompt") or {})
        except ValidationError:
            return DepthPrompt()

    @property
    def ours(self) -> JsonObject:
        """What dramaturg has stored in the card."""
        found = self.extensions.get(OURS)
        return found if is_object(found) else {}


class TavernCard(Value):
    """A card of another program: its version, its content and its JSON, unchanged."""

    version: Version
    data: CardData
    source: Mapping[str, JsonValue] = Field(repr=False)
    remarks: tuple[str, ...] = ()


def tavern_card(source: JsonObject, refuse: Refuse) -> TavernCard:
    """The card in a JSON object. Raises the error `refuse` makes if it is not a card or a field has the wrong type."""
    version, remarks = _version(source, refuse)
    inner = source.get("data")
    if version == 1:
        fields: JsonObject = source
    elif is_object(inner):
        fields = inner
    else:
        raise refuse("it has no 'data'", "Export it again from the program it comes from.")
    data = validated(CardData, fields, "" if version == 1 else "data", refuse)
    return TavernCard(version=version, data=data, source=source, remarks=remarks)


ValueT = TypeVar("ValueT", bound=Value)


def validated(kind: type[ValueT], fields: JsonObject, within: str, refuse: Refuse) -> ValueT:
    """The fields as a value. Raises the error `refuse` makes, with the place of the first invalid field."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise wrong_field(error, fields, within, refuse) from error


def _version(source: JsonObject, refuse: Refuse) -> tuple[Version, tuple[str, ...]]:
    spec = source.get("spec")
    if spec is None:
        return _unnamed(source, refuse)
    known = _SPEC.fullmatch(spec) if isinstance(spec, str) else None
    if known is None or int(known[1]) < 2:
        if spec == "tavern_ai":  # the fields of V1, and others of its own
            return 1, ()
        if spec == "lorebook_v3":
            raise refuse("it is a lorebook, not a card", "Put it into lorebooks/ instead.")
        raise refuse(f"its spec is {spec!r:.60}, not chara_card_v2 or chara_card_v3", "Export it as one of these.")
    version: Version = 2 if int(known[1]) == 2 else 3
    return version, _newer(source.get("spec_version"), version, int(known[1]))


def _unnamed(source: JsonObject, refuse: Refuse) -> tuple[Version, tuple[str, ...]]:
    inner = source.get("data")
    if is_object(inner) and "name" in inner:
        return 2, ("It names no spec and was read as V2.",)
    if "entries" in source:
        raise refuse("it is a lorebook, not a card", "Put it into lorebooks/ instead.")
    _check_origin(source, refuse)
    if not any(field in source for field in V1_FIELDS if field != "description" or "name" in source):
        raise refuse("it is not a character card", f"A card has fields such as {', '.join(V1_FIELDS[:3])}.")
    return 1, ()


def _check_origin(source: JsonObject, refuse: Refuse) -> None:
    """Raises the error for what other programs write: most of it would be lost."""
    if isinstance(source.get("messages"), list):
        raise refuse("it is a chat, not a card", "Import a chat of SillyTavern with 'dramaturg episode import'.")
    for field, program in (("char_name", "Pygmalion"), ("persona", "Agnai")):
        if field in source and not any(own in source for own in ("first_mes", "mes_example")):
            raise refuse(f"it is not a character card but a character of {program}", THROUGH_SILLYTAVERN)


def _newer(spec_version: JsonValue, version: Version, spec: int) -> tuple[str, ...]:
    try:
        number = float(str(spec_version))
    except ValueError:
        number = float(version)
    if spec > 3 or number > float(SPECS[3][1]):
        return (f"It has a newer version ({spec_version}); fields that V3 does not have are kept but not used.",)
    return ()
