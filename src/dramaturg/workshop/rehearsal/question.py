"""The last question of the rehearsal company's Foreman, kept as a note in its own reasoning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dramaturg.workshop.rehearsal.fields import NAME

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.cues import ForemanCue

PREMISE, ADVANCE = "premise", "advance"
_NOTE = re.compile(r"\[asked: ([\w.]+)(; challenged)?(?:; open: ([\w., ]+))?\]")
_SETTLED = re.compile(r"\[settled: ([\w.]+)\]")


@dataclass(frozen=True, slots=True)
class LastQuestion:
    """The field that was asked for, whether its answer was challenged already, the fields skipped so far, and the one
    that was settled last."""

    field: str = ""
    challenged: bool = False
    skipped: tuple[str, ...] = ()
    settled: str = ""

    def note(self) -> str:
        """The note that `last_question` reads back; empty if nothing was asked."""
        marks = "; challenged" if self.challenged else ""
        marks += f"; open: {', '.join(self.skipped)}" if self.skipped else ""
        settled = f" [settled: {self.settled}]" if self.settled else ""
        return f"[asked: {self.field}{marks}]{settled}" if self.field else ""


def last_question(cue: ForemanCue) -> LastQuestion:
    """The question noted in the last answer, if it asks for something this book has."""
    fields = {f"{one.template}.{one.name}" for one in cue.fields} | {PREMISE, NAME, ADVANCE}
    note = _NOTE.search(cue.before)
    if note is None or note[1] not in fields:
        return LastQuestion()
    skipped = tuple(name.strip() for name in (note[3] or "").split(",") if name.strip())
    settled = _SETTLED.search(cue.before)
    return LastQuestion(note[1], bool(note[2]), skipped, settled[1] if settled and settled[1] in fields else "")
