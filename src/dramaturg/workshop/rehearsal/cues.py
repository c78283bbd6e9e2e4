"""What the rehearsal company's Foreman is told: how a book stands and what its writer said, as values."""

from __future__ import annotations

from dataclasses import dataclass

from dramaturg.kernel.models.port import Cue, CueAnswer


@dataclass(frozen=True, slots=True)
class BibleField:
    """A field of the story bible, and what stands there. It may be missing all the same: two rules are not enough."""

    template: str
    name: str
    title: str
    value: str = ""
    missing: bool = True


@dataclass(frozen=True, slots=True)
class ForemanCue(Cue):
    """Answer a writer in the Foreman's protocol.

    `before` is the reasoning of the Foreman's last answer and `said_before` what it answered; `brought` is what a
    notebook gave in this turn, `gate` what is missing before the next mode.
    """

    mode: str
    next_mode: str
    title: str
    protagonist: str
    fields: tuple[BibleField, ...]
    complete: tuple[str, ...]
    gate: tuple[str, ...]
    message: str
    before: str = ""
    said_before: str = ""
    brought: str = ""
    notebooks: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    turn: int = 1

    def answer(self) -> CueAnswer:
        from dramaturg.workshop.rehearsal.foreman import foreman_text

        return CueAnswer.composed(foreman_text(self))
