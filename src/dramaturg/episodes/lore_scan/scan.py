"""What goes into a scan for lore, and what comes out."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from dramaturg.kernel.characters.lorebook.entry import LoreEntry
from dramaturg.kernel.values import Value

EffectKind: TypeAlias = Literal["sticky", "cooldown", "matched"]


class LoreMessage(Value):
    """A message of the talk, as a scan needs it."""

    text: str
    name: str = ""
    is_user: bool = False


class LoreSettings(Value):
    """How a scan is made. A book or an entry that says otherwise is followed."""

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
    """How far back min_activations may look; 0 is the whole talk."""


class LoreSurroundings(Value):
    """What entries may ask for beside the talk. `seed` belongs to the chat: the dice follow it."""

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
    """Something an activation has left behind, from one length of the talk to another; no `end` is for good."""

    uid: str
    kind: EffectKind
    start: int
    end: int | None = None
    protected: bool = False


class LoreState(Value):
    """What scans remember from one to the next. Keep it with the message it was made for."""

    effects: tuple[TimedEffect, ...] = ()

    def at(self, length: int) -> LoreState:
        """What still holds once the talk has this length; a talk that did not advance has left nothing behind."""
        return LoreState(
            effects=tuple(
                one
                for one in self.effects
                if (one.start < length or one.protected) and (one.end is None or length < one.end)
            )
        )

    def holds(self, uid: str, kind: EffectKind) -> TimedEffect | None:
        return next((one for one in self.effects if one.uid == uid and one.kind == kind), None)


class ActiveLore(Value):
    """An entry that is told now: its words with the macros spoken, and why."""

    entry: LoreEntry
    book: str
    text: str
    tokens: int
    reason: str


class UntoldLore(Value):
    """An entry that was near being told, and what kept it back."""

    uid: str
    label: str
    reason: str


class LoreScan(Value):
    """The result: what is told, in the order of the prompt, what was left out, and the state for the next scan."""

    told: tuple[ActiveLore, ...] = ()
    untold: tuple[UntoldLore, ...] = ()
    state: LoreState = LoreState()
    tokens: int = 0
