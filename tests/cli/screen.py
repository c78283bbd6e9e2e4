"""The screen of a terminal: what a person sees after the bytes that were printed, row by row."""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"\x1b\[(?P<numbers>[0-9;?]*)(?P<command>[A-Za-z])|\x1b[=>]|(?P<control>[\r\n\x07\x08])|(?P<text>[^\x1b\r\n\x07\x08]+)"
)


class Screen:
    """As much of a terminal as rich uses: lines, wrapping, moves up, erasing; it never scrolls anything away."""

    def __init__(self, width: int = 100) -> None:
        self._width = width
        self._rows: list[list[str]] = [[]]
        self._row = self._column = 0
        self.cursor_is_shown = True

    @classmethod
    def after(cls, printed: str, width: int = 100) -> Screen:
        screen = cls(width)
        for piece in _PIECE.finditer(printed):
            screen._take(piece)
        return screen

    @property
    def rows(self) -> list[str]:
        return ["".join(row).rstrip() for row in self._rows]

    @property
    def text(self) -> str:
        return "\n".join(self.rows).rstrip()

    def _take(self, piece: re.Match[str]) -> None:
        if piece["text"]:
            for letter in piece["text"]:
                self._put(letter)
        elif piece["control"] == "\r":
            self._column = 0
        elif piece["control"] == "\n":
            self._down()
        elif piece["command"]:
            self._obey(piece["command"], piece["numbers"])

    def _put(self, letter: str) -> None:
        if self._column == self._width:
            self._column = 0
            self._down()
        row = self._rows[self._row]
        row.extend(" " * (self._column + 1 - len(row)))
        row[self._column] = letter
        self._column += 1

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self._rows):
            self._rows.append([])

    def _obey(self, command: str, numbers: str) -> None:
        if command == "A":
            self._row = max(0, self._row - int(numbers or 1))
        elif command == "K":
            self._rows[self._row] = [] if numbers == "2" else self._rows[self._row][: self._column]
        elif numbers == "?25":
            self.cursor_is_shown = command == "h"
