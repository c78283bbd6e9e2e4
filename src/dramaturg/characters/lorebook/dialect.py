"""The fields of lorebooks in files: SillyTavern's names and those of the card specifications."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ConfigDict, JsonValue

from dramaturg.characters.lorebook.entry import CharacterFilter
from dramaturg.characters.tavern.jsontext import JsonObject
from dramaturg.kernel.values import Value

STANDALONE = "lorebook_v3"

# Names of fields in World Info, and in the extensions of a card's entry.
DIALECT: Mapping[str, str] = {
    "position": "position",
    "excludeRecursion": "exclude_recursion",
    "displayIndex": "display_index",
    "probability": "probability",
    "useProbability": "useProbability",
    "depth": "depth",
    "selectiveLogic": "selectiveLogic",
    "group": "group",
    "groupOverride": "group_override",
    "groupWeight": "group_weight",
    "preventRecursion": "prevent_recursion",
    "delayUntilRecursion": "delay_until_recursion",
    "scanDepth": "scan_depth",
    "matchWholeWords": "match_whole_words",
    "useGroupScoring": "use_group_scoring",
    "caseSensitive": "case_sensitive",
    "automationId": "automation_id",
    "role": "role",
    "vectorized": "vectorized",
    "sticky": "sticky",
    "cooldown": "cooldown",
    "delay": "delay",
    "ignoreBudget": "ignore_budget",
    "outletName": "outlet_name",
    "triggers": "triggers",
    "characterFilter": "character_filter",
    "addMemo": "add_memo",
    "matchPersonaDescription": "match_persona_description",
    "matchCharacterDescription": "match_character_description",
    "matchCharacterPersonality": "match_character_personality",
    "matchCharacterDepthPrompt": "match_character_depth_prompt",
    "matchScenario": "match_scenario",
    "matchCreatorNotes": "match_creator_notes",
}
CORE = {
    "uid": "id",
    "key": "keys",
    "keysecondary": "secondary_keys",
    "order": "insertion_order",
    "content": "content",
    "comment": "comment",
    "constant": "constant",
    "selective": "selective",
}
ALSO = {
    "matchPersonaDescription": "persona",
    "matchCharacterDescription": "description",
    "matchCharacterPersonality": "personality",
    "matchCharacterDepthPrompt": "depth_prompt",
    "matchScenario": "scenario",
    "matchCreatorNotes": "creator_notes",
}
WORLD_DEFAULTS: JsonObject = {
    "key": [],
    "keysecondary": [],
    "comment": "",
    "content": "",
    "constant": False,
    "vectorized": False,
    "selective": True,
    "selectiveLogic": 0,
    "addMemo": False,
    "order": 100,
    "position": 0,
    "disable": False,
    "excludeRecursion": False,
    "preventRecursion": False,
    "delayUntilRecursion": 0,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
    "group": "",
    "groupOverride": False,
    "groupWeight": 100,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": None,
    "useGroupScoring": None,
    "automationId": "",
    "role": 0,
    "sticky": None,
    "cooldown": None,
    "delay": None,
}


class WorldEntry(Value):
    """An entry of World Info as SillyTavern writes it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    key: tuple[str, ...] = ()
    keysecondary: tuple[str, ...] = ()
    comment: str = ""
    content: str = ""
    constant: bool = False
    selective: bool = True
    selectiveLogic: int = 0  # noqa: N815
    order: int | float = 100
    position: int = 0
    disable: bool = False
    ignoreBudget: bool = False  # noqa: N815
    excludeRecursion: bool = False  # noqa: N815
    preventRecursion: bool = False  # noqa: N815
    delayUntilRecursion: bool | int = 0  # noqa: N815
    probability: float = 100
    useProbability: bool = True  # noqa: N815
    depth: int = 4
    outletName: str = ""  # noqa: N815
    group: str = ""
    groupOverride: bool = False  # noqa: N815
    groupWeight: float = 100  # noqa: N815
    scanDepth: int | None = None  # noqa: N815
    caseSensitive: bool | None = None  # noqa: N815
    matchWholeWords: bool | None = None  # noqa: N815
    useGroupScoring: bool | None = None  # noqa: N815
    role: int = 0
    sticky: int = 0
    cooldown: int = 0
    delay: int = 0
    triggers: tuple[str, ...] = ()
    characterFilter: CharacterFilter = CharacterFilter()  # noqa: N815


class BookEntry(Value):
    """An entry of a card's book, as V2 and V3 specify it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    keys: tuple[str, ...] = ()
    content: str = ""
    enabled: bool = True
    insertion_order: int | float = 100
    case_sensitive: bool | None = None
    name: str = ""
    priority: int | float | None = None
    id: int | float | str | None = None
    comment: str = ""
    selective: bool = False
    secondary_keys: tuple[str, ...] = ()
    constant: bool = False
    position: str = ""
    use_regex: bool = False
    extensions: Mapping[str, JsonValue] = {}


class BookFields(Value):
    """The fields of a book besides its entries."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = ""
    description: str = ""
    scan_depth: int | None = None
    token_budget: int | None = None
    recursive_scanning: bool | None = None
