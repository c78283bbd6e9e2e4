"""One value of an answer, shown while it arrives."""

from __future__ import annotations

from collections.abc import Callable

from dramaturg.episodes.answer import OPENING_QUOTES

LONGEST_GAP = 1_000
"""The most spaces in a row that are shown."""


class ValueSink:
    """Shows one value as it arrives, between its marks and without surrounding spaces."""

    def __init__(self, key: str, show: Callable[[str], None], *, first: bool, more: bool) -> None:
        self._key, self._show, self._first, self._more = key, show, first, more
        self._begun = False
        self._mark = ""
        self._spaces = ""

    def hear(self, char: str) -> None:
        if char.isspace():
            self._spaces += char if len(self._spaces) < LONGEST_GAP else ""
            return
        if not self._begun:
            self._begin(char)
        elif self._spaces:
            self._show(" " if self._key == "action" else self._spaces)
        self._spaces = ""
        self._show(char)

    def end(self) -> None:
        if self._begun:
            self._show(self._mark)

    def _begin(self, char: str) -> None:
        self._begun = True
        own = char == "*" if self._key == "action" else char in OPENING_QUOTES
        self._mark = "" if own else '"' if self._key == "dialogue" else "*"
        self._show(("" if self._first else " " if self._more else "\n") + self._mark)
