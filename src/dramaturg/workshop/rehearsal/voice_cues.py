"""The cues of a tournament: a passage to write, and a company of passages to judge."""

from __future__ import annotations

from dataclasses import dataclass

from dramaturg.kernel.models.port import Cue, CueAnswer


@dataclass(frozen=True, slots=True)
class PassageCue(Cue):
    """Write a passage about this, by this strategy. `number` tells one cell from the next."""

    number: int
    strategy: str
    protagonist: str
    about: str
    words: int

    def answer(self) -> CueAnswer:
        from dramaturg.workshop.rehearsal.passages import passage_text

        return CueAnswer.composed(passage_text(self))


@dataclass(frozen=True, slots=True)
class CompanyCue(Cue):
    """Judge these passages."""

    passages: tuple[str, ...]

    def answer(self) -> CueAnswer:
        from dramaturg.workshop.rehearsal.passage_judge import company_text

        return CueAnswer.composed(company_text(self))
