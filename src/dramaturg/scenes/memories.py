"""What a character keeps of the scenes it was in. Frozen values that know nothing of storage."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import Value

MemoryKind = Literal["heard", "felt", "learned", "promised"]

FADES = 0.6
"""The share of a mood that remains when the next scene begins."""
ID_DIGITS = 10


class Trace(Value):
    """What a moment of a scene left in a character, by its card's name. `line` 0 is the scene as a whole.

    `moment` names the place in the log. A fork has it in common with its parent, so that nothing counts twice.
    """

    character: str
    scene: str
    run: str
    line: int = Field(ge=0)
    at: float
    moment: str


class Memory(Trace):
    """Something a character remembers, told to it in the second person. `about` are names on stage."""

    text: str = Field(min_length=1)
    kind: MemoryKind
    importance: float = Field(ge=0, le=1)
    about: tuple[str, ...] = ()
    quote: str = ""
    edited: bool = False

    @property
    def id(self) -> str:
        """A character remembers a moment once, so both together name the memory."""
        return sha256(f"{self.character}/{self.moment}".encode()).hexdigest()[:ID_DIGITS]


class Shift(Trace):
    """What a moment did to a mood."""

    valence: float = Field(ge=-1, le=1)
    arousal: float = Field(ge=-1, le=1)
    cause: str = ""


class Mood(Value):
    """How a character feels: from bad to good, from calm to agitated. It fades towards neither."""

    valence: float = Field(0.0, ge=-1, le=1)
    arousal: float = Field(0.0, ge=0, le=1)

    def shifted(self, valence: float, arousal: float) -> Mood:
        return Mood(valence=moved(self.valence, valence, -1), arousal=moved(self.arousal, arousal, 0))

    def faded(self, scenes: int = 1) -> Mood:
        """The mood so many scenes later."""
        left = FADES**scenes
        return Mood(valence=self.valence * left, arousal=self.arousal * left)


class BondChange(Trace):
    """What a moment did to a bond."""

    toward: str
    trust: float = Field(ge=-1, le=1)
    affection: float = Field(ge=-1, le=1)
    tension: float = Field(ge=-1, le=1)
    cause: str = ""


class Bond(Value):
    """How one character stands to another, and every change that brought it there. It need not be mutual."""

    character: str
    toward: str
    trust: float = Field(0.0, ge=-1, le=1)
    affection: float = Field(0.0, ge=-1, le=1)
    tension: float = Field(0.0, ge=0, le=1)
    history: tuple[BondChange, ...] = ()

    def changed(self, change: BondChange) -> Bond:
        return Bond(
            character=self.character,
            toward=self.toward,
            trust=moved(self.trust, change.trust, -1),
            affection=moved(self.affection, change.affection, -1),
            tension=moved(self.tension, change.tension, 0),
            history=(*self.history, change),
        )


class Aftermath(Value):
    """Everything one run leaves in its cast."""

    run: str
    memories: tuple[Memory, ...] = ()
    shifts: tuple[Shift, ...] = ()
    changes: tuple[BondChange, ...] = ()


class Past(Value):
    """All that a character has kept: memories oldest first, its mood as its last scene left it, its bonds."""

    character: str
    memories: tuple[Memory, ...] = ()
    mood: Mood = Mood()
    bonds: tuple[Bond, ...] = ()

    def bond(self, toward: str) -> Bond:
        known = (bond for bond in self.bonds if bond.toward == toward)
        return next(known, Bond(character=self.character, toward=toward))


class CharacterRecollection(Value):
    """What comes back to a character as a scene begins: in words, within `budget` tokens. `left_out` are ids."""

    character: str
    mood: str = ""
    bonds: tuple[str, ...] = ()
    memories: tuple[Memory, ...] = ()
    left_out: tuple[str, ...] = ()
    tokens: int = 0
    budget: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.mood or self.bonds or self.memories)


class SuppliedMemory(Value):
    """A memory in the words of the character's own model, tied to a line by a quote that is really in it."""

    line: int
    text: str
    quote: str
    kind: MemoryKind
    importance: float = Field(ge=0, le=1)


class RefusedMemory(Value):
    """A memory that a model offered and the log does not bear out."""

    quote: str
    reason: str


def past_of(character: str, left: Iterable[Aftermath]) -> Past:
    """What a character has kept of some runs, oldest first."""
    memories, shifts, changes = [], [], []
    for one in left:
        memories += [memory for memory in one.memories if memory.character == character]
        shifts += [shift for shift in one.shifts if shift.character == character]
        changes += [change for change in one.changes if change.character == character]
    return Past(
        character=character,
        memories=tuple(memories),
        mood=mood_after(tuple(shifts)),
        bonds=bonds_after(character, tuple(changes)),
    )


def moved(value: float, by: float, low: float) -> float:
    """A value between `low` and 1, moved; the nearer the end it moves to, the less it moves."""
    room = 1.0 - value if by > 0 else value - low
    return round(min(1.0, max(low, value + by * min(1.0, room))), 6)


def mood_after(shifts: tuple[Shift, ...]) -> Mood:
    """The mood that these shifts, oldest first, lead to. Between one scene and the next it fades.

    Scenes that were played at the same time count one after the other.
    """
    mood, scenes = Mood(), dict[str, list[Shift]]()
    for shift in shifts:
        scenes.setdefault(shift.run, []).append(shift)
    for scene in scenes.values():
        mood = mood.faded()
        for shift in scene:
            mood = mood.shifted(shift.valence, shift.arousal)
    return mood


def bonds_after(character: str, changes: tuple[BondChange, ...]) -> tuple[Bond, ...]:
    """The bonds that these changes, oldest first, lead to."""
    bonds: dict[str, Bond] = {}
    for change in changes:
        known = bonds.get(change.toward, Bond(character=character, toward=change.toward))
        bonds[change.toward] = known.changed(change)
    return tuple(bonds.values())
