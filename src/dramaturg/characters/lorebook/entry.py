"""Lorebooks: what a character is told only when the conversation touches on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue

from dramaturg.characters.decorators import Decorators, LoreRole
from dramaturg.kernel.values import Value

Logic: TypeAlias = Literal["and_any", "not_all", "not_any", "and_all"]
Position: TypeAlias = Literal[
    "before_char",
    "after_char",
    "note_top",
    "note_bottom",
    "at_depth",
    "examples_top",
    "examples_bottom",
    "outlet",
    "personality",
    "scenario",
]
BookForm: TypeAlias = Literal["card", "world", "standalone"]

LOGICS: tuple[Logic, ...] = ("and_any", "not_all", "not_any", "and_all")
POSITIONS: tuple[Position, ...] = (
    "before_char",
    "after_char",
    "note_top",
    "note_bottom",
    "at_depth",
    "examples_top",
    "examples_bottom",
    "outlet",
)
ROLES: tuple[LoreRole, ...] = ("system", "user", "assistant")


def _level(value: object) -> object:
    """SillyTavern wrote true or false before it had levels."""
    return int(value) if isinstance(value, bool) else value


class CharacterFilter(Value):
    """The characters an entry is for; if `excludes` is set, those it is not for."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    excludes: bool = Field(False, alias="isExclude")


class LoreEntry(Value):
    """A piece of lore, and when to tell it.

    `uid` is unique among all entries of a scan. `content` is without its decorators; those that set a field of the
    entry have already been applied. `depth` counts messages from the newest, or from the oldest if `from_oldest` is
    set. `sticky`, `cooldown` and `delay` count messages.
    """

    uid: str
    name: str = ""
    comment: str = ""
    keys: tuple[str, ...] = ()
    secondary_keys: tuple[str, ...] = ()
    logic: Logic = "and_any"
    is_pattern: bool = False
    content: str = ""
    decorators: Decorators = Decorators()
    enabled: bool = True
    constant: bool = False
    order: int | float = 100
    priority: int | float | None = None
    position: Position = "before_char"
    depth: int = 4
    from_oldest: bool = False
    role: LoreRole = "system"
    outlet: str = ""
    case_sensitive: bool | None = None
    whole_words: bool | None = None
    scan_depth: int | None = None
    probability: float = 100
    groups: tuple[str, ...] = ()
    group_override: bool = False
    group_weight: float = 100
    group_scoring: bool | None = None
    sticky: int = 0
    cooldown: int = 0
    delay: int = 0
    exclude_recursion: bool = False
    prevent_recursion: bool = False
    delay_until_recursion: Annotated[int, BeforeValidator(_level)] = 0
    ignore_budget: bool = False
    characters: CharacterFilter = CharacterFilter()
    triggers: tuple[str, ...] = ()
    also_scan: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name that people see."""
        return self.name or self.comment or ", ".join(self.keys[:3]) or self.uid

    @property
    def weight(self) -> float:
        """Its precedence when the budget is short."""
        return self.order if self.priority is None else self.priority


class Lorebook(Value):
    """A lorebook. `source` is its JSON, unchanged; `form` says which format that is."""

    form: BookForm
    name: str = ""
    description: str = ""
    scan_depth: int | None = None
    token_budget: int | None = None
    recursive: bool | None = None
    entries: tuple[LoreEntry, ...] = ()
    source: Mapping[str, JsonValue] = Field(default_factory=dict, repr=False)
