"""A series for clients: its books, its timeline, and where a book differs from it."""

from __future__ import annotations

from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.workshop.graph.wire import FactView


class SeriesBookView(WireValue):
    """A book of the series, in order."""

    number: int
    name: str = Field(description="the name of its folder")
    title: str = ""
    is_own: bool = Field(description="whether it is this book")
    is_there: bool
    facts: int = Field(0, description="how many facts of it this book reads; a later book is not read")


class TimelineRow(WireValue):
    """Something that happens at a story time."""

    time: str
    what: str
    book: str


class SeriesView(WireValue):
    """A series as one of its books reads it."""

    title: str
    books: tuple[SeriesBookView, ...]
    shared: tuple[FactView, ...] = Field(description="what the pages of the series say")
    timeline: tuple[TimelineRow, ...] = ()
    problems: tuple[str, ...] = ()


class DifferenceView(WireValue):
    """Something of this book that cannot be true beside what the series or an earlier book says."""

    said: str
    rule: str
    old: FactView
    new: FactView
    because: str = Field("", description="the reason that the book gives; without one it is a contradiction")


class SeriesCheck(WireValue):
    """Where a book differs from its series: contradictions first, then overrides with their reasons."""

    contradictions: tuple[DifferenceView, ...]
    overrides: tuple[DifferenceView, ...]
    problems: tuple[str, ...] = ()
