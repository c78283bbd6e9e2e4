"""Lore in a scene: what a character knows about what it has heard, from its card's own book and the project's.

A scan sees only what that character heard. Its own book is searched for nobody else, nor is a book that its part in the
scene file names. Lore goes out with a cue, once per thread; what always holds is in the prompt from the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dramaturg.characters import Card
from dramaturg.characters.bookshelf import lore_budget, shelve
from dramaturg.characters.lorebook import Lorebook
from dramaturg.characters.lorebook.activation import activate_aside
from dramaturg.characters.lorebook.eligibility import is_standing
from dramaturg.characters.lorebook.files import known_books
from dramaturg.characters.lorebook.scan import LoreMessage, LoreSettings, LoreState, LoreSurroundings, entries_told
from dramaturg.kernel.prompts import Layer
from dramaturg.scenes.agent import CharacterAgent, EventSink, SceneUpdate, lore_texts
from dramaturg.scenes.events import BooksRead, LoreTold
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import CharacterResponse
from dramaturg.scenes.scene import SceneConfig
from dramaturg.scenes.state import SceneState
from dramaturg.scenes.templates import scene_template

HELPED_TOKENS = 240
LAYER = "lore"


def read_books(project: Path, config: SceneConfig, cards: Sequence[Card]) -> BooksRead | None:
    """The books of a scene: the cards' own, then the project's. Raises AuthorError if one cannot be read."""
    cast = {card.name: card.name for card in cards}
    private = {card.name: config.sheet(name).lorebooks for name, card in zip(config.characters, cards, strict=True)}
    shared = config.lorebooks if config.lorebooks is not None else known_books(project)
    shelves = shelve(project, cast, shared, private, shares_private=config.lorebooks is not None)
    return BooksRead(books=shelves.books, facts=shelves.facts) if shelves.books else None


@dataclass(frozen=True, slots=True)
class CharacterLore:
    """The books of one character, and what entries may refer to."""

    character: str
    books: tuple[Lorebook, ...]
    around: LoreSurroundings
    budget: int

    async def standing(self) -> LoreTold:
        """What always holds."""
        always = [_only_standing(book) for book in self.books]
        settings = LoreSettings(budget_tokens=self.budget)
        scan = await activate_aside(always, (), settings=settings, around=self.around)
        return LoreTold(
            beat=0,
            character=self.character,
            told=entries_told(scan.told),
            untold=scan.untold,
            budget=self.budget,
            standing=True,
        )

    async def at(self, update: SceneUpdate, state: LoreState) -> LoreTold:
        """What holds at a beat, standing lore included."""
        messages = heard_messages(update.heard, self.around.char)
        settings = LoreSettings(budget_tokens=self.budget)
        scan = await activate_aside(self.books, messages, state, settings, self.around)
        return LoreTold(
            beat=update.beat,
            character=self.character,
            told=entries_told(scan.told),
            untold=scan.untold,
            state=scan.state,
            budget=self.budget,
        )


def _only_standing(book: Lorebook) -> Lorebook:
    return book.model_copy(update={"entries": tuple(entry for entry in book.entries if is_standing(entry))})


def character_lore(state: SceneState, character: str, asked: int | None, window: int) -> CharacterLore | None:
    """The lore of a character, from the log; None if it has no books. `window` is that of its model."""
    shelved = state.books.of(character) if state.books is not None else ()
    if state.books is None or not shelved:
        return None
    facts, opened = state.books.facts.get(character, LoreSurroundings()), state.scene
    around = facts.model_copy(
        update={
            "char": state.member(character).display_name,
            "seed": f"{opened.config.name}/{opened.seed}/{character}",
        }
    )
    books = tuple(one.book() for one in shelved)
    return CharacterLore(character, books, around, lore_budget(asked, window))


def helped_lore(asked: int | None) -> int:
    """The tokens of lore for a model that is helped: it is told them again with every line, so by default a few."""
    return HELPED_TOKENS if asked is None else asked


async def standing_lore(state: SceneState, windows: Mapping[str, int], asked: int | None) -> list[LoreTold]:
    """What each character knows throughout, for the log of a new run."""
    told: list[LoreTold] = []
    for member in state.cast:
        lore = character_lore(state, member.name, asked, windows[member.name])
        if lore is not None:
            told.append(await lore.standing())
    return told


def lore_layer(state: SceneState, character: str) -> Layer | None:
    """The part of a prompt that tells of lore, with what always holds; None for a character without books."""
    standing = state.standing.get(character)
    if standing is None:
        return None
    heading = scene_template("lore").render(name=state.member(character).display_name).rstrip()
    texts = tuple(f"<lore>{text}</lore>" for text in lore_texts(standing.told))
    if not texts:
        return Layer(name=LAYER, text=heading, required=False)
    return Layer(name=LAYER, text=f"{heading}\n", entries=texts, required=False)


def heard_messages(heard: Sequence[Line], me: str) -> list[LoreMessage]:
    """What a character heard as a conversation: its own words at a beat, then what the others said there.

    These are the messages of its thread: a scan that looks two of them back sees the newest cue and its last answer.
    """
    beats: dict[int, tuple[list[str], list[str]]] = {}
    latest = 0
    for line in heard:
        latest = max(latest, line.beat)
        own, others = beats.setdefault(latest, ([], []))
        said = f"{line.nonverbal or ''} {line.content}".strip()
        if line.speaker == me:
            own.append(said)
        elif said and line.kind != "system":
            others.append(f"{line.speaker}: {said}" if line.speaker else said)
    messages: list[LoreMessage] = []
    for own, others in beats.values():
        if own:
            messages.append(LoreMessage(text="\n".join(own), name=me))
        if others:
            messages.append(LoreMessage(text="\n".join(others), is_user=True))
    return messages


class InformedCharacterAgent:
    """A character agent that is told the lore which what it heard touches on. A resumed beat reuses what is logged."""

    def __init__(
        self, inner: CharacterAgent, lore: CharacterLore, state: SceneState, log: EventSink, *, again: bool = False
    ) -> None:
        """`again` for one whose prompt does not have what always holds: it is told that too, at every beat."""
        self._inner, self._lore, self._log = inner, lore, log
        self._last = state.lore.get(lore.character)
        standing = state.standing.get(lore.character)
        self._known = frozenset(one.uid for one in standing.told) if standing and not again else frozenset()

    @property
    def name(self) -> str:
        return self._inner.name

    async def respond_to(self, update: SceneUpdate) -> CharacterResponse:
        told = self._last
        if told is None or told.beat != update.beat:
            told = await self._lore.at(update, told.state if told is not None else LoreState())
            self._last = told
            self._log(told)
        new = tuple(one for one in told.told if one.uid not in self._known)
        return await self._inner.respond_to(update.model_copy(update={"lore": new}))
