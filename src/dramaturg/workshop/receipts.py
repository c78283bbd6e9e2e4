"""The receipts of a conversation's prompts, with everything that each prompt left out.

The log has what came and went from prompt to prompt. Receipts of earlier versions list what was left out themselves.
"""

from __future__ import annotations

from collections.abc import Iterable

from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.known_change import NEAR, KnownChange, digest_of, place_of
from dramaturg.workshop.book.retrieval import KnowledgeIndex
from dramaturg.workshop.book.snapshot import about_of
from dramaturg.workshop.foreman.receipt import ForemanReceipt, whole
from dramaturg.workshop.state import ForemanState


def whole_receipts(state: ForemanState, turns: Iterable[int]) -> dict[int, tuple[ForemanReceipt, ...]]:
    """The receipts of the prompts of some turns. What was left out is listed as it ranks by its words."""
    then = _KnownThen()
    found: dict[int, dict[int, ForemanReceipt]] = {turn: {} for turn in turns}
    for prompt in state.prompts:
        change, receipt = prompt.known, prompt.receipt
        if change is not None:
            then.take(change)
        if prompt.turn not in found:
            continue
        if change is not None:
            said = state.turns[prompt.turn].spoke.text
            about = about_of(said, change.active, state.last_exchange(prompt.turn))
            receipt = whole(receipt, then.untold(change, about))
        found[prompt.turn][prompt.round] = receipt
    return {turn: tuple(receipts.values()) for turn, receipts in found.items()}


class _KnownThen:
    """What was known when a prompt was written, change after change."""

    def __init__(self) -> None:
        self._index = KnowledgeIndex()
        self._near: dict[int, KnowledgeEntry] = {}

    def take(self, change: KnownChange) -> None:
        gone = [place_of(name) for name in change.forgotten]
        new = {place_of(name): entry for name, entry in change.learned.items()}
        for source, number in gone:
            if source == NEAR:
                del self._near[number]
        self._near |= {number: entry for (source, number), entry in new.items() if source == NEAR}
        self._index.change(
            [place for place in gone if place[0] != NEAR],
            {place: entry for place, entry in new.items() if place[0] != NEAR},
        )

    def untold(self, change: KnownChange, about: str) -> list[KnowledgeEntry]:
        """What a prompt left out, most relevant first."""
        around = [self._near[number] for number in sorted(self._near)]
        told = {name.partition(":")[2] for name in change.told}
        return [one for one in self._index.ranked(about, around=around) if digest_of(one) not in told]
