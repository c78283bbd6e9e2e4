"""The cue of an ensemble's table: the same facts a prompt holds, as values."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from dramaturg.kernel.models.port import Cue, CueAnswer


@dataclass(frozen=True, slots=True)
class TableSeat:
    """A seat at an ensemble's table: slot number, name, and persona in a few words."""

    slot: int
    name: str
    persona: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody at the table said: an answer in turn 2, a comment in turn 3."""

    slot: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class TableCue(Cue):
    """Your line, `me`, in one of an ensemble's three turns. Answer in the JSON of that turn.

    `heard` are the others' answers (turn 2) or the comments on yours (turn 3), `own` is your answer of turn 1,
    `said` everything you have said at this table before.
    """

    turn: Literal[1, 2, 3]
    me: int
    question: str
    cast: tuple[TableSeat, ...]
    heard: tuple[Remark, ...] = ()
    own: str = ""
    said: tuple[str, ...] = ()
    profile: str = ""
    seed: int = 0

    def answer(self) -> CueAnswer:
        from dramaturg.ensemble.rehearsal.table import table_text

        return CueAnswer.composed(table_text(self))


async def read_ahead(question: str) -> None:
    """Reads a question in a thread: what tells its language may have to be loaded, and cues answer on the loop."""
    await asyncio.to_thread(_read, question)


def _read(question: str) -> None:
    from dramaturg.ensemble.rehearsal.questions import read_question

    read_question(question)
