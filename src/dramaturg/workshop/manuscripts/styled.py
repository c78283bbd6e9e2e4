"""Text with emphasis: one mark per character, so that it can be cut, compared and joined like text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_RUN = re.compile(r"0+|1+|2+|3+")
PLAIN, ITALIC, BOLD, BOTH = "0", "1", "2", "3"
LINE_BREAK = "\u2028"
"""A line break inside a paragraph."""
PARAGRAPH = "\n"
"""The end of a paragraph, where paragraphs are joined."""


@dataclass(frozen=True, slots=True)
class Styled:
    """Text and the emphasis of each of its characters: plain, italic, bold or both."""

    text: str = ""
    marks: str = ""

    def __post_init__(self) -> None:
        if len(self.text) != len(self.marks):
            raise ValueError("each character has one mark")

    def __len__(self) -> int:
        return len(self.text)

    def __add__(self, other: Styled) -> Styled:
        return Styled(self.text + other.text, self.marks + other.marks)

    def cut(self, start: int, end: int) -> Styled:
        return Styled(self.text[start:end], self.marks[start:end])

    def runs(self) -> Iterator[Styled]:
        """The longest parts of one emphasis each."""
        for found in _RUN.finditer(self.marks):
            yield self.cut(found.start(), found.end())


def styled(text: str, mark: str = PLAIN) -> Styled:
    return Styled(text, mark * len(text))


def mark_of(*, italic: bool, bold: bool) -> str:
    return str(int(italic) + 2 * int(bold))


def joined(parts: Iterable[Styled], separator: str = "") -> Styled:
    texts: list[str] = []
    marks: list[str] = []
    for part in parts:
        if texts and separator:
            texts.append(separator)
            marks.append(PLAIN * len(separator))
        texts.append(part.text)
        marks.append(part.marks)
    return Styled("".join(texts), "".join(marks))
