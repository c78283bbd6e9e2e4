"""Prose in Markdown, read so that every character that is shown knows where it stands in the file.

Only what prose needs is read: paragraphs, headings, breaks, quotations, emphasis, escapes, line breaks and comments
(which are not shown). Everything else is shown as it is written, so that nothing is lost on its way out and in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from dramaturg.workshop.manuscripts.emphasis import EmphasisSpan, ShownChar, emphasised
from dramaturg.workshop.manuscripts.ornaments import is_ornament
from dramaturg.workshop.manuscripts.styled import LINE_BREAK, PARAGRAPH, PLAIN, Styled

BlockKind = Literal["paragraph", "heading", "break", "quote"]
BREAK = "#"
"""How a break is shown in a manuscript."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]++")
_QUOTE = re.compile(r" {0,3}>[ \t]?")
_NOT_XML = re.compile("[^\t\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPED = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@dataclass(frozen=True, slots=True)
class ProseBlock:
    """A paragraph, a heading, a quotation or a break, and where its content stands in the source."""

    kind: BlockKind
    shown: Styled
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    start: int
    end: int
    spans: tuple[EmphasisSpan, ...] = ()
    level: int = 0


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """A Markdown text as blocks, and as one line of characters in which paragraphs are separated by newlines."""

    source: str
    blocks: tuple[ProseBlock, ...]
    shown: Styled
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    spans: tuple[EmphasisSpan, ...]

    @property
    def newline(self) -> str:
        return "\r\n" if "\r\n" in self.source else "\n"


def read_prose(source: str, begin: int = 0) -> Prose:
    """The prose of a text from a place on, usually the end of its front matter."""
    blocks = tuple(_blocks(source, begin))
    starts: list[int] = []
    ends: list[int] = []
    texts: list[str] = []
    marks: list[str] = []
    for number, block in enumerate(blocks):
        if number:
            texts.append(PARAGRAPH)
            marks.append(PLAIN)
            starts.append(blocks[number - 1].end)
            ends.append(block.start)
        texts.append(block.shown.text)
        marks.append(block.shown.marks)
        starts += block.starts
        ends += block.ends
    spans = tuple(span for block in blocks for span in block.spans)
    return Prose(source, blocks, Styled("".join(texts), "".join(marks)), tuple(starts), tuple(ends), spans)


def _lines(source: str, begin: int) -> list[_Line]:
    lines: list[_Line] = []
    for found in _LINE_END.finditer(source, begin):
        lines.append(_Line(begin, found.end(), source[begin : found.start()]))
        begin = found.end()
    if begin < len(source):
        lines.append(_Line(begin, len(source), source[begin:]))
    return lines


def _blocks(source: str, begin: int) -> Iterator[ProseBlock]:
    lines = _lines(source, begin)
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.text.strip():
            at += 1
        elif past := _comment_end(source, line):
            while at < len(lines) and lines[at].start < past:
                at += 1
        elif is_ornament(line.text):
            yield _break(line)
            at += 1
        elif found := _HEADING.match(line.text):
            yield _heading(line, found)
            at += 1
        else:
            count = _paragraph_lines(source, lines, at)
            kind: BlockKind = "quote" if _QUOTE.match(line.text) else "paragraph"
            yield _inline(kind, lines[at : at + count])
            at += count


def _comment_end(source: str, line: _Line) -> int:
    """Where a comment that this line begins ends; 0 if it begins none that takes whole lines."""
    lead = len(line.text) - len(line.text.lstrip(" "))
    if not line.text.startswith("<!--", lead):
        return 0
    close = source.find("-->", line.start + lead + 4)
    if close < 0:
        return 0
    rest = re.compile(r"[^\r\n]*").match(source, close + 3)
    return close + 3 if rest is not None and not rest[0].strip() else 0


def _paragraph_lines(source: str, lines: list[_Line], at: int) -> int:
    quoted = bool(_QUOTE.match(lines[at].text))
    count = 1
    while at + count < len(lines):
        line = lines[at + count]
        if not line.text.strip() or is_ornament(line.text) or _HEADING.match(line.text):
            break
        if bool(_QUOTE.match(line.text)) != quoted or _comment_end(source, line):
            break
        count += 1
    return count


def _break(line: _Line) -> ProseBlock:
    lead = len(line.text) - len(line.text.lstrip())
    start, end = line.start + lead, line.start + len(line.text.rstrip())
    return ProseBlock("break", Styled(BREAK, PLAIN), (start,), (end,), start, end)


def _heading(line: _Line, found: re.Match[str]) -> ProseBlock:
    text = line.text.rstrip()
    bare = text.rstrip("#")
    end = len(bare.rstrip()) if bare[-1:].isspace() else len(text)
    inner = _Line(line.start, line.end, line.text[: max(end, found.end())])
    return _inline("heading", [inner], prefix=found.end(), level=len(found[1]))


def _inline(kind: BlockKind, lines: list[_Line], *, prefix: int = 0, level: int = 0) -> ProseBlock:
    chars: list[ShownChar] = []
    gap_from = -1
    first = -1
    for number, line in enumerate(lines):
        begin = _content_start(kind, line, prefix)
        text = line.text[begin:]
        bare, is_hard = _ending(text, is_last=number == len(lines) - 1)
        at = line.start + begin
        if first < 0:
            first = at
        if gap_from >= 0:
            chars += _soft_break(chars, bare, gap_from, at)
        chars += _chars(bare, at)
        gap_from = at + len(bare)
        if is_hard:
            following = lines[number + 1]
            gap_to = following.start + _content_start(kind, following, prefix)
            chars.append(ShownChar(LINE_BREAK, gap_from, gap_to))
            gap_from = -1
    end = max(gap_from, chars[-1].end if chars else first, first)
    marks, spans, kept = emphasised(chars)
    shown = Styled("".join(one.text for one in kept), marks)
    return ProseBlock(
        kind, shown, tuple(one.start for one in kept), tuple(one.end for one in kept), first, end, spans, level
    )


def _content_start(kind: BlockKind, line: _Line, prefix: int) -> int:
    begin = prefix
    if kind == "quote" and (found := _QUOTE.match(line.text)):
        begin = found.end()
    return begin + len(line.text) - begin - len(line.text[begin:].lstrip(" \t"))


def _ending(text: str, *, is_last: bool) -> tuple[str, bool]:
    """A line without the space at its end, and whether the line breaks there."""
    bare = text.rstrip(" \t")
    if is_last:
        return bare, False
    if text.endswith("  "):
        return bare, True
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return (bare[:-1], True) if backslashes % 2 and text == bare else (bare, False)


def _soft_break(chars: list[ShownChar], following: str, start: int, end: int) -> list[ShownChar]:
    """The space that a line's end stands for; none between characters of scripts without spaces."""
    before = chars[-1].text if chars else ""
    if before and following and _is_unspaced(before) and _is_unspaced(following[0]):
        return []
    return [ShownChar(" ", start, end)] if chars else []


def _is_unspaced(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef" or "\U00020000" <= char <= "\U0003ffff"


def _chars(text: str, offset: int) -> Iterator[ShownChar]:
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\" and at + 1 < len(text) and text[at + 1] in _ESCAPED:
            yield ShownChar(text[at + 1], offset + at, offset + at + 2)
            at += 2
            continue
        if not _NOT_XML.match(char):
            yield ShownChar(char, offset + at, offset + at + 1, char in "*_")
        at += 1
