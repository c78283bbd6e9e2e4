"""Characters, for the author: their cards in brief, and what they remember. Shows hidden state."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Annotated

from fastapi import Depends, Path
from pydantic import Field

from dramaturg.characters import Card, known_cards, load_cast
from dramaturg.kernel.errors import AuthorError, NotFound
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.memories import Bond, BondChange, Memory, MemoryKind, Mood, Past
from dramaturg.scenes.memory.recollection_text import bond_in_words, mood_in_words
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.redaction import redactor_of
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1/characters", tags=["characters"])
LONGEST_NAME = 64
LONGEST_MEMORY = 2000


class CharacterListing(WireValue):
    """A card of this project. `problem` says why it cannot be read, if it cannot."""

    name: str
    display_name: str = ""
    role: str = ""
    problem: str | None = None


class CharacterList(WireValue):
    """The cards of this project, sorted by name."""

    characters: tuple[CharacterListing, ...]


class CardSummary(WireValue):
    """A card in brief: its headings without their text."""

    display_name: str
    role: str
    description: str
    headings: tuple[str, ...]
    languages: tuple[str, ...]
    model: str | None
    tempo: float
    voice: str | None

    @classmethod
    def of(cls, card: Card) -> CardSummary:
        return cls(
            display_name=card.display_name,
            role=card.role,
            description=card.description,
            headings=tuple(section.heading for section in card.sections if section.heading),
            languages=card.languages,
            model=card.model,
            tempo=card.tempo,
            voice=card.voice,
        )


class MemoryEntry(WireValue):
    """Something a character remembers, in the second person, and its source."""

    id: str = Field(examples=["3f9c0a12be"])
    text: str
    kind: MemoryKind
    importance: float
    about: tuple[str, ...]
    quote: str
    scene: str
    run: str
    line: int
    at: float
    edited: bool

    @classmethod
    def of(cls, memory: Memory) -> MemoryEntry:
        return cls.model_validate({"id": memory.id, **memory.model_dump(exclude={"character", "moment"})})


class MemoryList(WireValue):
    """What a character remembers, oldest first."""

    memories: tuple[MemoryEntry, ...]


class MoodEntry(WireValue):
    """A character's mood, from bad to good and from calm to agitated; `words` is empty for a neutral mood."""

    valence: float
    arousal: float
    words: str

    @classmethod
    def of(cls, mood: Mood) -> MoodEntry:
        return cls(valence=mood.valence, arousal=mood.arousal, words=mood_in_words(mood))


class BondStep(WireValue):
    """One change of a bond."""

    scene: str
    run: str
    line: int
    trust: float
    affection: float
    tension: float
    cause: str

    @classmethod
    def of(cls, change: BondChange) -> BondStep:
        return cls.model_validate(change.model_dump(exclude={"character", "moment", "at", "toward"}))


class BondAfter(WireValue):
    """A bond as it stood after a scene."""

    scene: str
    run: str
    trust: float
    affection: float
    tension: float


def bond_over_scenes(bond: Bond) -> tuple[BondAfter, ...]:
    """The bond after each scene that changed it, in their order."""
    now, found = Bond(character=bond.character, toward=bond.toward), dict[str, BondAfter]()
    for change in bond.history:
        now = now.changed(change)
        found[change.run] = BondAfter(
            scene=change.scene, run=change.run, trust=now.trust, affection=now.affection, tension=now.tension
        )
    return tuple(found.values())


class BondEntry(WireValue):
    """A character's bond with another, the changes that led to it, and how it stood after each scene."""

    toward: str
    trust: float
    affection: float
    tension: float
    words: str
    history: tuple[BondStep, ...]
    scenes: tuple[BondAfter, ...]

    @classmethod
    def of(cls, bond: Bond) -> BondEntry:
        name = re.sub(r"[-_]+", " ", bond.toward).title()
        return cls(
            toward=bond.toward,
            trust=bond.trust,
            affection=bond.affection,
            tension=bond.tension,
            words=bond_in_words(bond, name),
            history=tuple(BondStep.of(change) for change in bond.history),
            scenes=bond_over_scenes(bond),
        )


class CharacterDetail(WireValue):
    """A character: its card in brief (null if the card is gone), its memories, mood and bonds."""

    name: str
    card: CardSummary | None
    memories: tuple[MemoryEntry, ...]
    mood: MoodEntry
    bonds: tuple[BondEntry, ...]


class MemoryEdit(WireValue):
    """The new text of a memory."""

    text: str = Field(min_length=1, max_length=LONGEST_MEMORY, examples=["Bob promised you to repay the loan."])


async def known_name(
    name: Annotated[str, Path(max_length=LONGEST_NAME, description="the name of a card", examples=["alice"])],
    studio: OpenStudio,
) -> str:
    """The name of a character that has a card or memories. Raises NotFound."""
    here = (*known_cards(studio.settings.project), *await studio.scenes.memory.characters())
    known = {one.casefold(): one for one in here}
    if name.casefold() in known:
        return known[name.casefold()]
    near = get_close_matches(name.casefold(), known, n=1)
    meant = f"Did you mean '{known[near[0]]}'?" if near else f"Known characters: {', '.join(sorted(known.values()))}."
    raise NotFound(f"There is no character '{name}'. {meant}", character=name)


KnownName = Annotated[str, Depends(known_name)]
MemoryId = Annotated[str, Path(min_length=4, max_length=20, description="the id of a memory", examples=["3f9c0a12be"])]


@router.get("", summary="List the characters")
def list_characters(studio: OpenStudio) -> CharacterList:
    """Every card in `.claude/agents/`, including those that cannot be read, with the reason."""
    return CharacterList(characters=tuple(_listing(studio, name) for name in known_cards(studio.settings.project)))


@router.get("/{name}", summary="Get a character", responses=declared_errors(404, 422))
async def get_character(name: KnownName, studio: OpenStudio) -> CharacterDetail:
    """The card in brief, memories, mood and bonds. For the author: hidden state is shown."""
    past: Past = await studio.scenes.memory.past(name)
    has_card = name in known_cards(studio.settings.project)
    return CharacterDetail(
        name=name,
        card=CardSummary.of(load_cast(studio.settings.project, [name])[0]) if has_card else None,
        memories=tuple(MemoryEntry.of(memory) for memory in past.memories),
        mood=MoodEntry.of(past.mood),
        bonds=tuple(BondEntry.of(bond) for bond in past.bonds),
    )


@router.get("/{name}/memories", summary="List a character's memories", responses=declared_errors(404, 422))
async def list_memories(name: KnownName, studio: OpenStudio) -> MemoryList:
    """Oldest first, each with the scene and the line it comes from."""
    past = await studio.scenes.memory.past(name)
    return MemoryList(memories=tuple(MemoryEntry.of(memory) for memory in past.memories))


@router.patch("/{name}/memories/{memory_id}", summary="Edit a memory", responses=declared_errors(404, 413, 422))
async def edit_memory(name: KnownName, memory_id: MemoryId, edit: MemoryEdit, studio: OpenStudio) -> MemoryEntry:
    """The edit is permanent: processing the same run again does not restore the old text."""
    return MemoryEntry.of(await studio.scenes.memory.edit(name, memory_id, edit.text))


@router.delete(
    "/{name}/memories/{memory_id}", status_code=204, summary="Forget a memory", responses=declared_errors(404, 422)
)
async def forget_memory(name: KnownName, memory_id: MemoryId, studio: OpenStudio) -> None:
    """Delete a memory and its text permanently."""
    await studio.scenes.memory.forget(name, memory_id)


@router.delete("/{name}/memories", status_code=204, summary="Forget everything", responses=declared_errors(404, 422))
async def forget_everything(name: KnownName, studio: OpenStudio) -> None:
    """Delete all memories, the mood and the bonds so far. Later scenes are remembered as usual."""
    await studio.scenes.memory.reset(name)


def _listing(studio: OpenStudio, name: str) -> CharacterListing:
    try:
        card = load_cast(studio.settings.project, [name])[0]
    except AuthorError as error:
        return CharacterListing(name=name, problem=redactor_of(studio).text(error.message))
    return CharacterListing(name=name, display_name=card.display_name, role=card.role)
