"""Decisions about the book, by category and key, each with its history."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from pydantic import Field

from dramaturg.kernel.values import Value

Category = Literal["character", "world", "structure", "constraint", "preference", "voice"]
DecisionKind = Literal["fact", "preference", "correction", "continuity"]

DecisionMark: TypeAlias = tuple[int, float]
"""A decision's number, and when it was made: what tells it from every other. Its words never change."""

LONGEST_VALUE = 4000
FINISHED = "manuscript_complete"
"""The decision with which a writer declares the book finished."""
FOUNDATIONAL: tuple[Category, ...] = ("character", "constraint")
"""Categories that come before anything recent in every prompt."""


def key_name(typed: str) -> str:
    """Normalizes a key: 'Ruth: fatal flaw' and `ruth_fatal_flaw` are the same."""
    return "_".join(re.findall(r"[^\W_]+", typed.casefold()))[:120]


class NewDecision(Value):
    """A decision to be saved. A known key gets the new value and keeps its history."""

    category: Category
    key: str = Field(min_length=1, max_length=120)
    value: str = Field(min_length=1, max_length=LONGEST_VALUE)
    source: str = Field(default="", max_length=400)
    kind: DecisionKind = "fact"


class Decision(NewDecision):
    """A saved decision. `retired_at` is None while it holds; a promoted one is in the graph too.

    A decision that was taken back counts as never made; it stays in the history.
    """

    id: int
    decided_at: float
    retired_at: float | None = None
    taken_back: bool = False
    is_promoted: bool = False

    @property
    def mark(self) -> DecisionMark:
        return self.id, self.decided_at

    @property
    def holds(self) -> bool:
        return self.retired_at is None
