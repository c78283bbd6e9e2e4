"""What happens in a tournament, beside the events of every long work. None is public: the writer chooses blind."""

from __future__ import annotations

from typing import ClassVar, Literal

from dramaturg.kernel.runs.events import Audience, Event
from dramaturg.workshop.voice.tournament.scores import Scorecard


class PassageWritten(Event):
    """A cell has its passage."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["passage.written"] = "passage.written"
    cell: int
    agent: str
    strategy: str
    text: str


class CompanyJudged(Event):
    """A judge has seen a company of passages; a card for each. Without cards, `unscored` says why."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["company.judged"] = "company.judged"
    round: int
    number: int
    cells: tuple[int, ...]
    judge: str = ""
    cards: tuple[Scorecard, ...] = ()
    unscored: str = ""
