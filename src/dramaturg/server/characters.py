"""Characters over HTTP, for the author: their cards in short, and what they remember. Shows what is hidden."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import Field

from dramaturg.kernel.characters import Card, known_cards, load_cast
from dramaturg.kernel.errors import AuthorError, NotFound
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.memory.rendering import bond_in_words, mood_in_words
from dramaturg.scenes.memory.values import Bond, BondChange, Memory, Mood, Past
from dramaturg.scenes.memory.values import Kind as MemoryKind
from dramaturg.server.deps import OpenStudio
from dramaturg.server.errors import Discretion, refusals

router = APIRouter(prefix="/v1/characters", tags=["characters"])
LONGEST_NAME = 64
LONGEST_MEMORY = 2000


class CharacterListing(WireValue):
    """A card of this project. `problem` says why it cannot be read."""

    name: str
    display_name: str = ""
    role: str = ""
    problem: str | None = None


class CharacterList(WireValue):
    """The cards of this project, by name."""

    characters: tuple[CharacterListing, ...]


class CardSummary(WireValue):
    """A card in short: its headings without what stands under them."""

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
    """Something a character remembers, told to it in the second person, and where it comes from."""

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
    """How a character feels, from bad to good and from calm to agitated; `words` is empty where it is not worth one."""

    valence: float
    arousal: float
    words: str

    @classmethod
    def of(cls, mood: Mood) -> MoodEntry:
        return cls(valence=mood.valence, arousal=mood.arousal, words=mood_in_words(mood))


class BondStep(WireValue):
    """What one moment did to a bond."""

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


class BondEntry(WireValue):
    """How a character stands to another, and what brought it there."""

    toward: str
    trust: float
    affection: float
    tension: float
    words: str
    history: tuple[BondStep, ...]

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
        )


class CharacterDetail(WireValue):
    """A character: its card in short (null where there is none any more), and all that it has kept."""

    name: str
    card: CardSummary | None
    memories: tuple[MemoryEntry, ...]
    mood: MoodEntry
    bonds: tuple[BondEntry, ...]


class MemoryEdit(WireValue):
    """Other words for a memory."""

    text: str = Field(min_length=1, max_length=LONGEST_MEMORY, examples=["Bob promised you to repay the loan."])


async def known_name(
    name: Annotated[str, Path(max_length=LONGEST_NAME, description="the name of a card", examples=["alice"])],
    studio: OpenStudio,
) -> str:
    """The name of somebody who has a card or has kept something. Raises NotFound."""
    here = (*known_cards(studio.settings.project), *await studio.memory.characters())
    known = {one.casefold(): one for one in here}
    if name.casefold() in known:
        return known[name.casefold()]
    near = get_close_matches(name.casefold(), known, n=1)
    meant = f"Did you mean '{known[near[0]]}'?" if near else f"Known here: {', '.join(sorted(known.values()))}."
    raise NotFound(f"There is no character '{name}'. {meant}", character=name)


KnownName = Annotated[str, Depends(known_name)]
MemoryId = Annotated[str, Path(min_length=4, max_length=20, description="the id of a memory", examples=["3f9c0a12be"])]


@router.get("", summary="The characters of this project")
def list_characters(studio: OpenStudio) -> CharacterList:
    """Every card of `.claude/agents/`, those that cannot be read too, with the reason."""
    return CharacterList(characters=tuple(_listing(studio, name) for name in known_cards(studio.settings.project)))


@router.get("/{name}", summary="A character and what it has kept", responses=refusals(404, 422))
async def get_character(name: KnownName, studio: OpenStudio) -> CharacterDetail:
    """The card in short, memories, mood and bonds. For the author: what is hidden is shown here."""
    past: Past = await studio.memory.past(name)
    has_card = name in known_cards(studio.settings.project)
    return CharacterDetail(
        name=name,
        card=CardSummary.of(load_cast(studio.settings.project, [name])[0]) if has_card else None,
        memories=tuple(MemoryEntry.of(memory) for memory in past.memories),
        mood=MoodEntry.of(past.mood),
        bonds=tuple(BondEntry.of(bond) for bond in past.bonds),
    )


@router.get("/{name}/memories", summary="What a character remembers", responses=refusals(404, 422))
async def list_memories(name: KnownName, studio: OpenStudio) -> MemoryList:
    """Oldest first, with the scene and the line each comes from."""
    past = await studio.memory.past(name)
    return MemoryList(memories=tuple(MemoryEntry.of(memory) for memory in past.memories))


@router.patch("/{name}/memories/{memory_id}", summary="Give a memory other words", responses=refusals(404, 413, 422))
async def edit_memory(name: KnownName, memory_id: MemoryId, edit: MemoryEdit, studio: OpenStudio) -> MemoryEntry:
    """The edit outlasts everything: reading the same run again does not bring the old words back."""
    return MemoryEntry.of(await studio.memory.edit(name, memory_id, edit.text))


@router.delete("/{name}/memories/{memory_id}", status_code=204, summary="Forget a memory", responses=refusals(404, 422))
async def forget_memory(name: KnownName, memory_id: MemoryId, studio: OpenStudio) -> None:
    """For good; its text is deleted."""
    await studio.memory.forget(name, memory_id)


@router.delete("/{name}/memories", status_code=204, summary="Forget everything", responses=refusals(404, 422))
async def forget_everything(name: KnownName, studio: OpenStudio) -> None:
    """Memories, mood and bonds so far. What happens afterwards is remembered as usual."""
    await studio.memory.reset(name)


def _listing(studio: OpenStudio, name: str) -> CharacterListing:
    try:
        card = load_cast(studio.settings.project, [name])[0]
    except AuthorError as error:
        return CharacterListing(name=name, problem=Discretion(studio.settings).text(error.message))
    return CharacterListing(name=name, display_name=card.display_name, role=card.role)
