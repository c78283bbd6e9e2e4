"""Rows of a value that a model labels as thoughts, by the character: `**Thought:** he lies` is not passed on."""

from __future__ import annotations

import re
from collections.abc import Callable

from dramaturg.model_notes.labels import begins_label, is_answer_label, is_note_label, is_thought_label

_LABEL = re.compile(r"[ \t#>-]{0,8}(?:\*{2,3}|__)?([^\W\d_][\w '’.-]{0,40}?)([*_]{0,3})[ \t]?[:：]")
_MAYBE_LABEL = re.compile(r"[ \t#>-]{0,8}(?:\*{2,3}|__)?((?:[^\W\d_][\w '’.-]{0,40}?)?)[*_]{0,3}[ \t]?")
_ANSWERS = re.compile(r"(?:^|[\s.!?…。*])([^\W\d_][^\W\d]{0,20}(?: [^\W\d]{1,20})?)[*_]{0,3}[:：]\Z")
_TAIL = 48
_SPOKEN = ("analysis", "reflection")
"""What somebody may begin to speak with."""


class ThoughtRows:
    """Takes a value by the character and passes on the rows that are no thoughts.

    After a thought, the label of an answer is left out: in the same row or before the next.
    """

    def __init__(self, pass_on: Callable[[str], None], *, spoken: bool) -> None:
        self._pass_on, self._spoken = pass_on, spoken
        self._begins, self._hidden, self._after_thought, self._strips = True, False, False, False
        self._held = self._tail = ""

    def hear(self, char: str) -> None:
        if self._hidden:
            self._pass_over(char)
        elif self._begins:
            self._held += char
            self._judge()
        elif self._strips and char in "*_ ":
            return
        else:
            self._strips = False
            self._tell(char)

    def end(self) -> None:
        """The value is over: what was held back is no label."""
        held, self._held = self._held, ""
        for char in held:
            self._pass_on(char)

    def _tell(self, char: str) -> None:
        self._pass_on(char)
        self._begins = char == "\n"

    def _judge(self) -> None:
        label = _LABEL.fullmatch(self._held)
        if label is not None and self._hides(label):
            self._held = self._tail = ""
            self._hidden = self._after_thought = True
        elif label is not None and self._after_thought and is_answer_label(label[1]):
            self._held = ""
            self._begins, self._strips = False, True
        elif label is not None or not self._may_be_label():
            held, self._held, self._begins = self._held, "", False
            for char in held:
                self._tell(char)

    def _hides(self, label: re.Match[str]) -> bool:
        name = label[1]
        if "*" in label[0] and is_note_label(name):
            return True
        return is_thought_label(name) and not (self._spoken and name.casefold() in _SPOKEN)

    def _may_be_label(self) -> bool:
        maybe = _MAYBE_LABEL.fullmatch(self._held)
        return maybe is not None and begins_label(maybe[1])

    def _pass_over(self, char: str) -> None:
        self._tail = (self._tail + char)[-_TAIL:]
        if char == "\n":
            self._hidden, self._begins = False, True
        elif char in ":：" and (label := _ANSWERS.search(self._tail)) and is_answer_label(label[1]):
            self._hidden, self._begins, self._strips = False, False, True
