"""The body of a card: Markdown, read for its title and its headed sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dramaturg.kernel.values import Value

_NEWLINE = re.compile(r"\r\n|\r|\n")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_BULLET = re.compile(r"(?:[-*+•]|\d{1,9}[.)])(?:[ \t]+|$)")
_RULE = re.compile(r"-[- \t]{2,}|\*[* \t]{2,}|_[_ \t]{2,}|---|\*\*\*|___")
_ROLE = re.compile(r"\s+[-–—]+\s+")


class Section(Value):
    """What stands under one heading; `heading` is empty for what stands before the first.

    `lines` are its bullets and paragraphs, each in one piece and without its mark.
    """

    heading: str
    text: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Title:
    """'# Alice - Senior Project Manager', in two; both are empty where there is no such line."""

    name: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    title: Title
    sections: tuple[Section, ...]


def read_body(text: str) -> Body:
    """Title and sections. Anything is a body; a heading inside a code fence is not a heading."""
    title = None
    heading = ""
    block: list[str] = []
    sections: list[Section] = []
    for line, level, words in _headings(_NEWLINE.split(text)):
        if not level:
            block.append(line)
            continue
        sections.extend(_section(heading, block))
        heading, block = words, []
        if level == 1 and title is None:
            title, heading = words, ""
    sections.extend(_section(heading, block))
    return Body(_title(title or ""), tuple(sections))


def tidy(text: str) -> str:
    """One line, without marks of emphasis around it."""
    return " ".join(text.split()).strip("*_` ")


def _headings(lines: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    """Each line with its heading level, 0 for none, and the heading's words."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip(" `~\t"):
            fence = ""
        found = None if fence or mark else _HEADING.match(line)
        if found:
            yield line, len(found[1]), tidy(_CLOSING.sub("", found[2] or ""))
        else:
            yield line, 0, ""


def _section(heading: str, block: list[str]) -> Iterator[Section]:
    text = "\n".join(block).strip("\n")
    if heading or text.strip():
        yield Section(heading=heading, text=text, lines=tuple(_lines(block)))


def _lines(block: list[str]) -> Iterator[str]:
    """Bullets and paragraphs; a wrapped one is put together again."""
    piece: list[str] = []
    for line in block:
        words = line.strip().lstrip(">").strip()
        bullet = _BULLET.match(words)
        ends = not words or _FENCE.match(words) or _RULE.fullmatch(words)
        if (ends or bullet) and piece:
            yield " ".join(piece)
            piece = []
        if not ends:
            rest = words[bullet.end() :] if bullet else words
            piece.extend([rest] if rest else [])
    if piece:
        yield " ".join(piece)


def _title(words: str) -> Title:
    name, *role = _ROLE.split(words, maxsplit=1)
    return Title(tidy(name), tidy(role[0]) if role else "")
