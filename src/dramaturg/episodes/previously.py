"""What happened in the earlier episodes of a series, as the character of the next one is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dramaturg.episodes.memory import CarriedClue
from dramaturg.kernel.models.tokens import estimate_tokens


@dataclass(frozen=True, slots=True)
class EpisodePast:
    """One episode of a series as a player left it: a summary if it was completed, and the clues with their words."""

    title: str
    summary: str = ""
    clues: tuple[tuple[str, str], ...] = ()
    earlier: bool = True

    @property
    def text(self) -> str:
        """The summary and the words that brought clues out; never the ledger's own text."""
        quotes = [f'"{" ".join(quote.split())}"' for _, quote in self.clues if quote and quote not in self.summary]
        came_out = f"What came out: {' '.join(quotes)}" if quotes else ""
        return " ".join(part for part in (self.summary, came_out) if part)


@dataclass(frozen=True, slots=True)
class SeriesPast:
    """The other episodes of a series, in its order."""

    parts: tuple[EpisodePast, ...] = ()

    def told(self, budget: int) -> str:
        """What happened before, oldest first; the most recent that fit into the budget."""
        kept: list[tuple[str, str]] = []
        for title, text in self._newest():
            budget -= estimate_tokens(text) + estimate_tokens(title)
            if budget < 0:
                break
            kept.insert(0, (title, text))
        if len(kept) == 1:
            return kept[0][1]
        return "\n".join(f"{title}: {text}" for title, text in kept)

    def _newest(self) -> Iterator[tuple[str, str]]:
        return ((one.title, one.text) for one in reversed(self.parts) if one.earlier and one.text)

    @property
    def clues(self) -> tuple[CarriedClue, ...]:
        """Every clue once, as it came out last."""
        found = {
            clue: CarriedClue(id=clue, quote=quote, episode=one.title)
            for one in self.parts
            for clue, quote in one.clues
        }
        return tuple(found.values())
