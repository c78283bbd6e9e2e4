"""The cue of the Foreman: the current state of a book and the writer's message, as values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dramaturg.kernel.models.port import Cue, CueAnswer
from dramaturg.workshop.book.knowledge import KnowledgeEntry


@dataclass(frozen=True, slots=True)
class BibleField:
    """A field of the story bible and its value. It may count as missing despite a value: two rules are not enough."""

    template: str
    name: str
    title: str
    value: str = ""
    missing: bool = True


@dataclass(frozen=True, slots=True)
class ForemanCue(Cue):
    """Answer a writer in the Foreman's protocol.

    `before` is the reasoning of the Foreman's last answer and `said_before` the message it answered; `brought` is what
    a notebook returned in this turn, `gate` what is missing before the next mode.
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
    knowledge: Sequence[KnowledgeEntry] = ()
    refused: tuple[str, ...] = ()
    turn: int = 1

    @property
    def decided(self) -> Iterator[str]:
        """What is settled, most relevant first."""
        return (f"{one.key}: {one.value}" for one in self.knowledge)

    def answer(self) -> CueAnswer:
        from dramaturg.workshop.rehearsal.foreman import foreman_text

        return CueAnswer.composed(foreman_text(self))
