"""Notes in a value, by the character: what stands between brackets or asterisks behind a label is not passed on."""

from __future__ import annotations

import re
from collections.abc import Callable

from dramaturg.model_notes.labels import is_note_label, is_remark
from dramaturg.model_notes.notes import CLOSING

_LABEL = re.compile(
    r"(?:\*[(\[]?(?! )|[^*])[ \t*_]{0,4}(?:o\.?o\.?c\b\.?[^\w.]|([^\W\d_][^:：]{0,60})[:：])", re.IGNORECASE
)
_MAYBE_LABEL = re.compile(r"(?:\*[(\[]?(?! )|[^*])[ \t*_]{0,4}(?:[^\W\d_](?:[^\W\d]|[ \t'’.)-]){0,60})?")
_ASIDE = "(("
"""Two parentheses are around what a player says, not a character."""
_BOLD = "**"
"""A label in bold begins a row, which whoever reads the rows knows."""


class NoteFilter:
    """Takes a text by the character and passes on what stands in no note."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._held = self._opening = self._last = ""
        self._depth = 0
        self._in_row = False
        """Whether the label of a note stood alone between its asterisks: the rest of the row is the note."""

    def hear(self, char: str) -> None:
        if self._in_row and char != "\n":
            return
        self._in_row = False
        if not (self._held or self._depth or char in CLOSING):
            self._show(char)
        elif self._depth:
            self._pass_over(char)
        else:
            self._held += char
            if len(self._held) > 1:
                self._judge()

    def end(self) -> None:
        """The text is over: what was held back is no note."""
        held, self._held, self._depth, self._in_row = self._held, "", 0, False
        for char in held:
            self._show(char)

    def _pass_over(self, char: str) -> None:
        """Up to the closing mark; a note that is never closed ends with its paragraph, or (in asterisks) its row."""
        if char == CLOSING[self._opening]:
            self._depth -= 1
            self._in_row = char == "*" and not self._last
        elif char == self._opening:
            self._depth += 1
        elif char == "\n" and (self._opening == "*" or self._last == "\n"):
            self._depth = 0
            self._show(char)
        self._last = char

    def _judge(self) -> None:
        if self._held == _BOLD:
            self.end()
            return
        if self._held.startswith(_ASIDE):
            self._opening, self._last, self._depth, self._held = _ASIDE[0], "", len(_ASIDE), ""
            return
        if self._is_remark():
            self._held = ""
            return
        label = _LABEL.fullmatch(self._held)
        if label is not None and (label[1] is None or is_note_label(label[1])):
            self._opening, self._held, self._last, self._depth = self._held[0], "", "", 1
        elif label is not None or not _MAYBE_LABEL.fullmatch(self._held):
            opening = self._held[-1] if self._held[-1] in CLOSING else ""
            self._held = self._held.removesuffix(opening)
            self.end()
            self._held = opening

    def _is_remark(self) -> bool:
        """Whether what is held back was closed now, and is about the answer: `[End of response]`."""
        held = self._held
        if held[-1] not in CLOSING.values() or (held[0] == "*" and held[-1] != "*"):
            return False
        return held[-1] == CLOSING[held[0]] and is_remark(held[1:-1].strip("()[] ."))
