"""Lore in an episode: entries of the project's books and the card's own, included when the talk touches on them.

What was included, and the timed state it left, is logged with the answer it was for. A swipe starts from the
same state as the answer it replaces, and a branch from that of the message it leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dramaturg.characters.exchange import load_character_files
from dramaturg.characters.load import FOREIGN, foreign_file
from dramaturg.characters.lorebook import Lorebook, load_books
from dramaturg.characters.lorebook.activation import activate_aside
from dramaturg.characters.lorebook.files import BOOKS
from dramaturg.characters.lorebook.scan import LoreMessage, LoreSettings, LoreState, LoreSurroundings
from dramaturg.characters.tavern.card import TavernCard
from dramaturg.episodes.events import AnswerAsked, LoreTold, ToldEntry
from dramaturg.episodes.persona_name import told_name
from dramaturg.episodes.state import ROOT, ChatMessage, EpisodeState
from dramaturg.kernel.errors import AuthorError


@dataclass(frozen=True, slots=True)
class Bookshelf:
    """The books that are searched for a character, and the facts about its card that entries may refer to.

    `problem` says why they could not be read.
    """

    books: tuple[Lorebook, ...] = ()
    original: TavernCard | None = None
    problem: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.books and not self.problem


NO_BOOKS = Bookshelf()


def shelf_of(project: Path, character: str) -> Bookshelf:
    """The books for a character: its own first, then the project's. Raises AuthorError if one cannot be read."""
    stamps = tuple(_stamps(project, character))
    return _shelf(project, character, stamps) if stamps else NO_BOOKS


def shelf_or_problem(project: Path, character: str) -> Bookshelf:
    """The same for a session in progress: if a book can no longer be read, its lore is missing and the log says so."""
    try:
        return shelf_of(project, character)
    except AuthorError as error:
        return Bookshelf(problem=error.message)


def _stamps(project: Path, character: str) -> Iterable[tuple[str, int]]:
    """The files the books are read from, and when each was last changed."""
    paths = sorted((project / BOOKS).glob("*.json"))
    own = foreign_file(project, character) if (project / FOREIGN).is_dir() else None
    for path in (*paths, *((own,) if own is not None else ())):
        yield str(path), _changed(path)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=64)
def _shelf(project: Path, character: str, _: tuple[tuple[str, int], ...]) -> Bookshelf:
    files = load_character_files(project, character)
    own = (files.book,) if files.book is not None else ()
    return Bookshelf((*own, *load_books(project)), files.original)


async def tell(
    state: EpisodeState, shelf: Bookshelf, asked: AnswerAsked, history: Sequence[ChatMessage], budget: int
) -> LoreTold:
    """The lore for this answer, and the state that it leaves."""
    if shelf.problem:
        return LoreTold(message_id=asked.message_id, problem=shelf.problem)
    opened = state.session
    who = opened.player.name
    messages = [
        LoreMessage(
            text=one.text, name=who if one.role == "player" else opened.display_name, is_user=one.role == "player"
        )
        for one in history
    ]
    scan = await activate_aside(
        shelf.books,
        messages,
        carried(state, asked.parent or ROOT),
        LoreSettings(budget_tokens=budget),
        _around(state, shelf, asked),
    )
    told = tuple(ToldEntry(book=one.book, label=one.entry.label, text=one.text, reason=one.reason) for one in scan.told)
    return LoreTold(message_id=asked.message_id, told=told, state=scan.state)


def carried(state: EpisodeState, message_id: str) -> LoreState:
    """The state left by the last answer before this message."""
    while message_id:
        if message_id in state.lore:
            return state.lore[message_id].state
        message_id = state.messages[message_id].parent
    return LoreState()


def _around(state: EpisodeState, shelf: Bookshelf, asked: AnswerAsked) -> LoreSurroundings:
    opened, parent = state.session, asked.parent or ROOT
    again = any(one.parent == parent and one.role == "character" for one in state.messages.values())
    data = shelf.original.data if shelf.original is not None else None
    return LoreSurroundings(
        char=opened.display_name,
        user=told_name(opened.player.name),
        seed=opened.root,
        trigger="swipe" if again else "normal",
        persona=opened.player.about,
        tags=tuple(data.tags or ()) if data is not None else (),
        description=(data.description or "") if data is not None else "",
        personality=(data.personality or "") if data is not None else "",
        scenario=(data.scenario or "") if data is not None else "",
        creator_notes=(data.creator_notes or "") if data is not None else "",
    )
