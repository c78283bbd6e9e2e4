"""What every part of the rehearsal company's Foreman works with: the cue, what is settled, and the reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dramaturg.workshop.rehearsal.lines import line_for, slots_of
from dramaturg.workshop.rehearsal.question import LastQuestion, last_question
from dramaturg.workshop.rehearsal.reply import ForemanReply

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.cues import ForemanCue


class Speaker:
    """Says lines of the bank into a reply, and leaves the note by which the next answer knows what was asked."""

    def __init__(self, cue: ForemanCue) -> None:
        self._cue = cue
        self._said = cue.message.strip()
        question = last_question(cue)
        self._asked, self._challenged, self._open = question.field, question.challenged, list(question.skipped)
        self._last = question.settled
        self._values = {f"{one.template}.{one.name}": one.value for one in cue.fields if not one.missing}
        self._name = cue.protagonist
        self._reply = ForemanReply()

    def _say(self, occasion: str, **more: str) -> None:
        self._reply.said.append(self._line(occasion, **more))

    def _line(self, occasion: str, **more: str) -> str:
        return line_for(self._cue, occasion, slots_of(self._cue, self._name, self._values) | more)

    def _note(self, asked: str, why: str, *, challenged: bool = False) -> None:
        self._reply.why = why
        left = tuple(name for name in dict.fromkeys(self._open) if name not in self._values)
        self._reply.note = LastQuestion(asked, challenged, left, self._last).note()
