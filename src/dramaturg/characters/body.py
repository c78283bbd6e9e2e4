"""The body of a card: Markdown with a title and sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dramaturg.kernel.values import Value

_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,3}|`)(?=\S)(.{1,120}?)(?<=\S)\1(?!\w)")
_NEWLINE = re.compile(r"\r\n|\r|\n")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]++(.*))?$")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_BULLET = re.compile(r"(?:[-*+•]|\d{1,9}[.)])(?:[ \t]+|$)")
_RULE = re.compile(r"-[- \t]{2,}|\*[* \t]{2,}|_[_ \t]{2,}|---|\*\*\*|___")
_ROLE = re.compile(r"(?<=\s)[-–—]++(?=\s)")


class Section(Value):
    """The text under one heading; `heading` is empty for the text before the first.

    `lines` are its bullets and paragraphs, each joined into one line and without its bullet.
    """

    heading: str
    text: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Title:
    """'# Alice - Senior Project Manager' as name and role; both are empty if there is no such line."""

    name: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    title: Title
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    """A heading's line, its words and the lines below it. The title, and the text before it, have no heading."""

    mark: str | None
    heading: str
    lines: list[str] = field(default_factory=list)
    title: str | None = None


def read_body(text: str) -> Body:
    """Title and sections. Any text is a body; headings inside code fences do not count."""
    blocks = _blocks(text)
    title = next((block.title for block in blocks if block.title is not None), "")
    return Body(_title(title), tuple(section for block in blocks for section in _section(block.heading, block.lines)))


def without_section(text: str, number: int) -> str:
    """The body without one of its sections and its heading, counted from 0. The title line always stays."""
    kept: list[str] = []
    found = -1
    for block in _blocks(text):
        is_section = any(_section(block.heading, block.lines))
        found += is_section
        if block.mark is not None and not (is_section and found == number and block.title is None):
            kept.append(block.mark)
        if not (is_section and found == number):
            kept.extend(block.lines)
    return "\n".join(kept)


def _blocks(text: str) -> list[_Block]:
    blocks = [_Block(None, "")]
    for line, level, words in _headings(_NEWLINE.split(text)):
        if not level:
            blocks[-1].lines.append(line)
        elif level == 1 and all(block.title is None for block in blocks):
            blocks.append(_Block(line, "", title=words))
        else:
            blocks.append(_Block(line, words))
    return blocks


def shifted_headings(text: str, levels: int) -> str:
    """The text with its headings moved down by `levels` and an open code fence closed, to fit into a section."""
    lines: list[str] = []
    fence = ""
    for line, level, _ in _headings(_NEWLINE.split(text)):
        fence = _fence_after(line, fence)
        lines.append("#" * (min(6, level + levels) - level) + line.lstrip() if level else line)
    return "\n".join([*lines, fence] if fence else lines)


def tidy(text: str) -> str:
    """The text on one line, without emphasis marks around it or around words in it."""
    return _EMPHASIS.sub(r"\2", " ".join(text.split())).strip("*_` ")


def _headings(lines: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    """Each line with its heading level (0 for none) and the heading's words."""
    fence = ""
    for line in lines:
        mark, fence = _FENCE.match(line), _fence_after(line, fence)
        found = None if fence or mark else _HEADING.match(line)
        if found:
            yield line, len(found[1]), tidy(_unclosed(found[2] or ""))
        else:
            yield line, 0, ""


def _unclosed(words: str) -> str:
    """A heading's words without the number signs that may close it."""
    bare = words.rstrip(" \t").rstrip("#")
    return words if bare.rstrip(" \t") == bare and bare else bare


def _fence_after(line: str, fence: str) -> str:
    """The mark of the code fence that is open after a line; empty if none is."""
    mark = _FENCE.match(line)
    if mark and not fence:
        return mark[1]
    return "" if mark and mark[1].startswith(fence) and not line.strip(" `~\t") else fence


def _section(heading: str, block: list[str]) -> Iterator[Section]:
    text = "\n".join(block).strip("\n")
    if heading or text.strip():
        yield Section(heading=heading, text=text, lines=tuple(_lines(block)))


def _lines(block: list[str]) -> Iterator[str]:
    """Bullets and paragraphs, with wrapped lines joined."""
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
