"""What consolidation keeps: batches of facts, and conflicts with their resolutions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from pydantic import Field

from dramaturg.kernel.values import Value

Rule: TypeAlias = Literal[
    "single_value", "life", "place", "journey", "possession", "relation", "age", "date", "knowledge"
]
Resolution: TypeAlias = Literal["", "keep_old", "take_new", "keep_both", "gone", "withdrawn"]
"""Empty while it waits. `gone`: the text no longer says it. `withdrawn`: the merge that found it was undone."""
KeepReason: TypeAlias = Literal["lie", "dream", "retcon", "unreliable", "error in the text"]


class FactConflict(Value):
    """Two facts that cannot both be true. The old one stands until the writer says otherwise."""

    id: int
    batch: int
    rule: Rule
    said: str
    old: int
    new: int
    further: tuple[int, ...] = Field(
        (), description="what else it rests on, such as a road, and what else says the same as the new one"
    )
    found_at: float = 0.0
    resolution: Resolution = ""
    reason: str = ""
    note: str = ""
    resolved_at: float | None = None

    @property
    def is_open(self) -> bool:
        return self.resolution == ""


class ReadText(Value):
    """A text that was read, its digest, and the digest that was read before; empty if none was."""

    path: str
    digest: str
    before: str = ""


class Counts(Value):
    """What a consolidation came to."""

    texts: int = 0
    pieces: int = 0
    unanswered: int = Field(0, description="pieces whose answer failed or had nothing to read")
    claims: int = 0
    refused: Mapping[str, int] = Field(default_factory=dict, description="refused claims by reason")
    unreadable: int = 0
    surplus: int = 0
    repeated: int = Field(0, description="facts that the graph had already")
    added: int = 0
    retired: int = Field(0, description="facts that their text no longer says")
    decisions: int = 0
    unmapped: int = Field(0, description="decisions that no fact could be made of")
    conflicts: int = 0


class Batch(Value):
    """One merge into the graph: everything that it changed, so that it can be undone."""

    id: int
    run: str
    merged_at: float = 0.0
    undone_at: float | None = None
    checked_to: int = Field(0, description="facts up to this number have been compared with the others")
    entities: tuple[int, ...] = ()
    aliases_before: Mapping[int, tuple[str, ...]] = Field(default_factory=dict)
    added: tuple[int, ...] = ()
    aside: tuple[int, ...] = Field((), description="facts that were in the graph and contradict an older one")
    retired: tuple[int, ...] = ()
    restored: tuple[int, ...] = Field((), description="facts that stand since what they contradicted is gone")
    closed: tuple[int, ...] = Field((), description="conflicts whose text is gone")
    promoted: tuple[int, ...] = ()
    texts: tuple[ReadText, ...] = ()
    counts: Counts = Counts()
