"""One value of an answer, shown while it arrives."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, chain

from dramaturg.episodes.answer import OPENING_QUOTES, PLACEHOLDERS

LONGEST_GAP = 1_000
"""The most spaces in a row that are shown."""
NO_LITERAL = ("null", "none", "undefined", "nil", "true", "false", "~")
"""What models write where there is nothing. Between quotation marks, these are words like others."""

_NOT_PLAIN = '"“”'


def _beginnings(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(chain.from_iterable(map(accumulate, words)))


_IN_STRINGS = (PLACEHOLDERS, _beginnings(PLACEHOLDERS))
_IN_LITERALS = ((*PLACEHOLDERS, *NO_LITERAL), _beginnings((*PLACEHOLDERS, *NO_LITERAL)))


class ValueSink:
    """Shows one value as it arrives, between its marks and without surrounding spaces.

    A gesture that stands in a line of its own, `action: "nods"`, is shown without its quotation marks.
    """

    def __init__(
        self,
        key: str,
        show: Callable[[str], None],
        *,
        first: bool,
        more: bool,
        literal: bool = False,
        in_line: bool = False,
    ) -> None:
        self._key, self._show, self._first, self._more = key, show, first, more
        self._nothing, self._maybe_nothing = _IN_LITERALS if literal else _IN_STRINGS
        self._unquoted = in_line and key == "action"
        self._quote = ""
        self._begun = self._plain = False
        self._start = ""
        self._mark = ""
        self._spaces = ""

    @property
    def is_nothing(self) -> bool:
        """Whether the value so far only says that there is none."""
        return not self._begun and self._start.lower() in self._nothing

    @property
    def is_placeholder(self) -> bool:
        """Whether the value so far is what the form says of it."""
        return not self._begun and self._start.lower() in PLACEHOLDERS

    def hear(self, char: str) -> None:
        if self._plain and char not in _NOT_PLAIN and not char.isspace():
            self._show(char)
            return
        self._hear(char)
        self._plain = self._begun and not self._spaces and not self._quote

    def _hear(self, char: str) -> None:
        if char.isspace():
            if self._begun or self._start:
                self._spaces += char if len(self._spaces) < LONGEST_GAP else ""
            return
        if self._unquoted and char in '"“”' and not self._quote:
            self._quote = char if self._begun else ""
            return
        if not self._begun:
            start = self._start + self._spaces + char
            if start.lower() in self._maybe_nothing:
                self._start, self._spaces = start, ""
                return
            self._begin(start[0])
        if self._spaces:
            self._show(" " if self._key == "action" else self._spaces)
        self._show(self._quote + char)
        self._spaces = self._quote = ""

    def end(self) -> None:
        if not self._begun and self._start and not self.is_nothing:
            self._begin(self._start[0])
        if self._begun:
            self._show(self._mark)

    def _begin(self, first: str) -> None:
        """Shows the mark, and what was held back while it could have been `null`."""
        self._begun = True
        own = first == "*" if self._key == "action" else first in OPENING_QUOTES
        self._mark = "" if own else '"' if self._key == "dialogue" else "*"
        self._show(("" if self._first else " " if self._more else "\n") + self._mark + self._start)
