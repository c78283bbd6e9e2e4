"""The cells of a tournament: every agent with every strategy, and the companies in which a judge sees them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

MOST_CELLS = 26
COMPANY = 4
"""How many passages a judge sees at once, at most."""


class TournamentCell(NamedTuple):
    """One passage to be written: its number, from 1, the model and the strategy."""

    number: int
    agent: str
    strategy: str

    @property
    def key(self) -> str:
        return f"passage-{self.number} {self.agent} {self.strategy}"


class Company(NamedTuple):
    """Passages that are judged together, in the order in which they are shown."""

    round: int
    number: int
    cells: tuple[int, ...]

    @property
    def key(self) -> str:
        return f"judge-{self.round}-{self.number}"


def cells_of(agents: Sequence[str], strategies: Sequence[str]) -> tuple[TournamentCell, ...]:
    """Agents times strategies, the agents one after the other."""
    pairs = ((agent, strategy) for agent in agents for strategy in strategies)
    return tuple(TournamentCell(number, *pair) for number, pair in enumerate(pairs, start=1))


def companies(cells: Sequence[int], seed: int) -> tuple[Company, ...]:
    """Who is judged with whom: each passage twice, the second time in other company and from the other end.

    With fewer than four passages the company is the same, and only the order changes.
    """
    if not cells:
        return ()
    drawn = list(cells)
    random.Random(seed).shuffle(drawn)
    groups = max(-(-len(drawn) // COMPANY), 2 if len(drawn) >= COMPANY else 1)
    size = -(-len(drawn) // groups)
    first = [tuple(drawn[start : start + size]) for start in range(0, len(drawn), size)]
    flat = [cell for group in first for cell in group]
    second = [tuple(reversed(flat[start :: len(first)])) for start in range(len(first))]
    return tuple(
        Company(round_, number, group)
        for round_, groups_ in enumerate((first, second), start=1)
        for number, group in enumerate(groups_, start=1)
    )
