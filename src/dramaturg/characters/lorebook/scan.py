"""The input and the result of a lore scan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from pydantic import Field

from dramaturg.characters.decorators import LoreRole
from dramaturg.characters.lorebook.entry import LoreEntry, Position
from dramaturg.kernel.values import Value

EffectKind: TypeAlias = Literal["sticky", "cooldown", "matched"]


class LoreMessage(Value):
    """A message of the conversation, as far as a scan needs it."""

    text: str
    name: str = ""
    is_user: bool = False


class LoreSettings(Value):
    """How to scan. A book or an entry may override these."""

    budget_tokens: int = Field(1000, ge=0)
    scan_depth: int = Field(2, ge=0)
    recursive: bool = False
    most_passes: int = Field(12, ge=1, le=100)
    case_sensitive: bool = False
    whole_words: bool = False
    names: bool = True
    group_scoring: bool = False
    min_activations: int = Field(0, ge=0)
    deepest: int = Field(0, ge=0)
    """How many messages min_activations may look back; 0 is all of them."""


class LoreSurroundings(Value):
    """What entries may refer to besides the conversation. `seed` belongs to the chat and seeds the dice."""

    char: str = ""
    user: str = ""
    seed: str = ""
    tags: tuple[str, ...] = ()
    trigger: str = "normal"
    greeting: int | None = None
    user_icon: str = ""
    is_full: bool = False
    persona: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    depth_prompt: str = ""
    creator_notes: str = ""


class TimedEffect(Value):
    """An effect of an activation, from one length of the conversation to another; without `end` it lasts for good."""

    uid: str
    kind: EffectKind
    start: int
    end: int | None = None
    protected: bool = False


class LoreState(Value):
    """What one scan hands on to the next. Store it with the message it was made for."""

    effects: tuple[TimedEffect, ...] = ()

    def at(self, length: int) -> LoreState:
        """The effects that hold at this length; if the conversation did not advance, its last effects are dropped."""
        return LoreState(
            effects=tuple(
                one
                for one in self.effects
                if (one.start < length or one.protected) and (one.end is None or length < one.end)
            )
        )

    def held(self) -> HeldEffects:
        """The effects by entry and kind; of several, the first."""
        return {(one.uid, one.kind): one for one in reversed(self.effects)}


HeldEffects: TypeAlias = Mapping[tuple[str, EffectKind], TimedEffect]


class ActiveLore(Value):
    """An entry that is told now: its text with macros expanded, and why it is told.

    `cut_from` is how many tokens the whole text has, if it had to be cut; 0 if it is whole.
    """

    entry: LoreEntry
    book: str
    text: str
    tokens: int
    reason: str
    cut_from: int = 0


class UntoldLore(Value):
    """An entry that was nearly told, and why it was withheld."""

    uid: str
    label: str
    reason: str


class LoreScan(Value):
    """The result: what is told, in prompt order, what was withheld, and the state for the next scan."""

    told: tuple[ActiveLore, ...] = ()
    untold: tuple[UntoldLore, ...] = ()
    state: LoreState = LoreState()
    tokens: int = 0


class ToldEntry(Value):
    """An entry that is included in a prompt, and why, as a log keeps it. `cut_from` as in ActiveLore."""

    book: str
    label: str
    text: str
    reason: str
    uid: str = Field("", exclude_if=lambda uid: not uid)
    tokens: int = Field(0, exclude_if=lambda tokens: not tokens)
    cut_from: int = Field(0, exclude_if=lambda tokens: not tokens)
    position: Position = Field("before_char", exclude_if=lambda place: place == "before_char")
    depth: int = Field(4, exclude_if=lambda depth: depth == 4)
    from_oldest: bool = Field(False, exclude_if=lambda oldest: not oldest)
    role: LoreRole = Field("system", exclude_if=lambda role: role == "system")
    outlet: str = Field("", exclude_if=lambda outlet: not outlet)


def entries_told(told: Iterable[ActiveLore]) -> tuple[ToldEntry, ...]:
    """What a scan tells, as a log keeps it."""
    return tuple(
        ToldEntry(
            book=one.book,
            label=one.entry.label,
            text=one.text,
            reason=one.reason,
            uid=one.entry.uid,
            tokens=one.tokens,
            cut_from=one.cut_from,
            position=one.entry.position,
            depth=one.entry.depth,
            from_oldest=one.entry.from_oldest,
            role=one.entry.role,
            outlet=one.entry.outlet,
        )
        for one in told
    )
