"""What was settled about the book: decisions by category and key, each with its past."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import Value

Category = Literal["character", "world", "structure", "constraint", "preference", "voice"]
DecisionKind = Literal["fact", "preference", "correction", "continuity"]

FOUNDATIONAL: tuple[Category, ...] = ("character", "constraint")
"""Decisions that stay in every prompt before anything recent is looked at."""


def key_name(typed: str) -> str:
    """'Ruth: fatal flaw' and `ruth_fatal_flaw` are one key."""
    return "_".join(re.findall(r"[^\W_]+", typed.casefold()))[:120]


class NewDecision(Value):
    """A decision that is to be kept. A key that is known already gets another value, and its past is kept."""

    category: Category
    key: str = Field(min_length=1, max_length=120)
    value: str = Field(min_length=1, max_length=4000)
    source: str = Field("", max_length=400)
    kind: DecisionKind = "fact"


class Decision(NewDecision):
    """A decision as it is kept. `retired_at` is None for the one that holds; a promoted one is in the graph too.

    One that was taken back never held, as far as the book is concerned; it stays in the history.
    """

    id: int
    decided_at: float
    retired_at: float | None = None
    taken_back: bool = False
    is_promoted: bool = False

    @property
    def holds(self) -> bool:
        return self.retired_at is None
