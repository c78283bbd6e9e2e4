"""Lore at the table: what a slot knows about what it has heard, from its card's own book and those that are named.

A slot hears the person, the answers it is shown, and the comments on its own; no other slot's book is searched for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dramaturg.characters.bookshelf import lore_budget, shelve
from dramaturg.characters.lorebook import Lorebook
from dramaturg.characters.lorebook.activation import activate_aside
from dramaturg.characters.lorebook.scan import LoreMessage, LoreSettings, LoreState, LoreSurroundings, entries_told
from dramaturg.ensemble.cast import CastSeat
from dramaturg.ensemble.ensemble import Ensemble
from dramaturg.ensemble.events import BooksRead, LoreTold, TurnIndex
from dramaturg.ensemble.state import EnsembleState
from dramaturg.ensemble.templates import ensemble_template
from dramaturg.kernel.text.escape import cleaned, escaped

LOOKS_BACK = 4
"""Messages: what the person said, and what the slot and the others answered."""


def read_books(project: Path, ensemble: Ensemble, cast: Sequence[CastSeat]) -> BooksRead | None:
    """The books of a cast; None if it has none. Raises AuthorError if one cannot be read."""
    cards = {str(one.seat.slot_id): one.card for one in cast if one.card is not None}
    private = {str(one.seat.slot_id): one.lorebooks for one in cast}
    shelves = shelve(project, cards, ensemble.lorebooks, private, shares_private=True)
    return BooksRead(books=shelves.books, facts=shelves.facts) if shelves.books else None


@dataclass(frozen=True, slots=True)
class SlotLore:
    """The books of one slot, and what entries may refer to."""

    slot: int
    books: tuple[Lorebook, ...]
    around: LoreSurroundings
    budget: int

    async def at(self, turn: TurnIndex, state: EnsembleState, shown: Sequence[int]) -> LoreTold:
        """What the slot is told with its question of a turn; what it was told before in this request, it knows."""
        before = [told for (_, slot), told in state.lore.items() if slot == self.slot]
        scan = await activate_aside(
            self.books,
            list(_heard(turn, state, self.slot, shown)),
            before[-1].state if before else LoreState(),
            LoreSettings(budget_tokens=self.budget, scan_depth=LOOKS_BACK),
            self.around,
        )
        known = {one.uid for told in before for one in told.told}
        return LoreTold(
            turn=turn,
            slot_id=self.slot,
            told=tuple(one for one in entries_told(scan.told) if one.uid not in known),
            untold=scan.untold,
            state=scan.state,
            budget=self.budget,
        )


def slot_lore(state: EnsembleState, slot: int, asked: int | None, window: int) -> SlotLore | None:
    """The lore of a slot, from the log; None if it has no books. `window` is that of its model."""
    if state.books is None:
        return None
    reader = str(slot)
    books = tuple(one.book() for one in state.books.books if reader in one.readers)
    if not books:
        return None
    facts = state.books.facts.get(reader, LoreSurroundings())
    around = facts.model_copy(update={"char": state.seat(slot).name, "seed": f"{state.request.seed}/{slot}"})
    return SlotLore(slot, books, around, lore_budget(asked, window))


def with_lore(question: str, told: LoreTold) -> str:
    """A question with the lore that belongs to it."""
    if not told.told:
        return question
    texts = tuple(escaped(cleaned(one.text)) for one in told.told)
    return f"{ensemble_template('lore').render(lore=texts).rstrip()}\n\n{question}"


def _heard(turn: TurnIndex, state: EnsembleState, slot: int, shown: Sequence[int]) -> Iterator[LoreMessage]:
    """What a slot has heard and said by its question of a turn; `shown` are the slots whose answers it is shown."""
    name = state.seat(slot).name
    yield LoreMessage(text=state.request.message, is_user=True)
    if (own := state.lines.get((1, slot))) is not None:
        yield LoreMessage(text=own.text, name=name)
    if turn > 1:
        answers = [f"{state.seat(peer).name}: {state.lines[1, peer].text}" for peer in shown]
        yield LoreMessage(text="\n".join(answers), is_user=True)
    if (comment := state.lines.get((2, slot))) is not None:
        yield LoreMessage(text=comment.text, name=name)
    if turn > 2 and (received := state.comments_for(slot)):
        said = [f"{state.seat(one.from_slot_id).name}: {one.comment}" for one in received]
        yield LoreMessage(text="\n".join(said), is_user=True)
