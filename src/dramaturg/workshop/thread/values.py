"""A fact, and the strands that lead from it to everything that rests on it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.workshop.graph.wire import FactView

StrandKind: TypeAlias = Literal["sentence", "scaffold", "page", "decision", "ledger", "passage"]
StrandWay: TypeAlias = Literal["quote", "graph", "words", "receipt"]
"""It is the evidence of the fact; of a fact that goes with it; it has its words; it was made from a prompt with it."""


class Strand(WireValue):
    """Something that rests on a fact, and how that is known."""

    kind: StrandKind
    way: StrandWay
    where: str = Field(description="a file, `decision 4`, `turn 3` or a run")
    quote: str = Field("", description="its words")
    line: int = Field(0, description="of the file; 0 if it is none")
    start: int = Field(-1, description="where the words begin in the file, with plain line breaks")
    said: str = Field("", description="what it is, where its words do not tell")
    book: str = Field("", description="the book of the series that it is in; empty for this one")


class PulledThread(WireValue):
    """Everything that rests on a fact; or, if the words name several facts or none, the facts to choose from."""

    fact: FactView | None = None
    strands: tuple[Strand, ...] = ()
    choices: tuple[FactView, ...] = ()
    said: str
    problems: tuple[str, ...] = ()


class LookAt(WireValue):
    """Something that rests on a fact and that nobody can change without reading it."""

    where: str
    quote: str = ""
    line: int = 0
    why: str
    book: str = ""
