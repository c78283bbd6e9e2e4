"""Styled text as Markdown, and changes of what is shown as changes of the source."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from dramaturg.workshop.book.files import MARK
from dramaturg.workshop.manuscripts.markdown import Prose, read_prose
from dramaturg.workshop.manuscripts.ornaments import is_ornament
from dramaturg.workshop.manuscripts.styled import LINE_BREAK, PARAGRAPH, PLAIN, Styled, joined, styled

_MARKS = {"1": "*", "2": "**", "3": "***"}
_UNDERLINE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=[ \t])")
_LISTED = re.compile(r"[-+](?=[ \t])")


@dataclass(frozen=True, slots=True)
class SourceEdit:
    """Words of the source, from `start` to `end`, and what is put in their place."""

    start: int
    end: int
    new: str


def to_markdown(text: Styled, newline: str = "\n", *, opens: bool = True, closes: bool = True) -> str:
    """Paragraphs as Markdown that reads back as the same text; `opens` if it begins a paragraph, `closes` if it
    ends one."""
    parts = list(_split(text, PARAGRAPH))
    last = len(parts) - 1
    written = (
        _paragraph(part, newline, opens=opens or number > 0, closes=closes or number < last)
        for number, part in enumerate(parts)
    )
    return (newline * 2).join(written)


def source_edit(prose: Prose, start: int, end: int, new: Styled) -> SourceEdit:
    """The change of the source that puts `new` in the place of the characters shown from `start` to `end`."""
    begin, finish = _source_range(prose, start, end, new)
    begin, finish = _widened(prose, begin, finish)
    first, last = bisect_left(prose.starts, begin), bisect_left(prose.starts, finish)
    first, last = min(first, start), max(last, end)
    content = joined((prose.shown.cut(first, start), new, prose.shown.cut(end, last)))
    expected = joined((prose.shown.cut(0, first), content, prose.shown.cut(last, len(prose.shown))))
    edit = _edit(prose, begin, finish, content)
    if _reads_back(prose, edit, expected):
        return edit
    whole = _whole_blocks(prose, start, end, new)
    if _reads_back(prose, whole, expected):
        return whole
    bare = _edit(prose, begin, finish, styled(content.text))
    return bare if _reads_back(prose, bare, expected, words_only=True) else _whole_blocks(prose, start, end, new, True)


def _whole_blocks(prose: Prose, start: int, end: int, new: Styled, bare: bool = False) -> SourceEdit:
    """The same change with every paragraph that it touches written anew; `bare` without their emphasis."""
    at, first, last = 0, None, 0
    ends: list[tuple[int, int]] = []
    for number, block in enumerate(prose.blocks):
        ends.append((at, at + len(block.shown)))
        if at <= end and start <= at + len(block.shown):
            first, last = number if first is None else first, number
        at += len(block.shown) + 1
    if first is None:
        place = _empty_place(prose)
        return _edit(prose, *place, new)
    content = joined((prose.shown.cut(ends[first][0], start), new, prose.shown.cut(end, ends[last][1])))
    begin = _line_start(prose.source, prose.blocks[first].start)
    return _edit(prose, begin, prose.blocks[last].end, styled(content.text) if bare else content)


def edited(source: str, edits: list[SourceEdit]) -> str:
    """The source with these changes, none of which overlap."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        parts += [source[at : edit.start], edit.new]
        at = edit.end
    return "".join((*parts, source[at:]))


def _edit(prose: Prose, begin: int, finish: int, content: Styled) -> SourceEdit:
    line = prose.source[_line_start(prose.source, begin) : begin]
    after = prose.source[finish : finish + 1]
    text = to_markdown(content, prose.newline, opens=not line.strip(" \t>"), closes=after in ("", "\n", "\r"))
    return SourceEdit(begin, finish, text)


def _source_range(prose: Prose, start: int, end: int, new: Styled) -> tuple[int, int]:
    if start < end:
        return prose.starts[start], prose.ends[end - 1]
    if not prose.starts:
        return _empty_place(prose)
    if start == len(prose.starts):
        at = prose.ends[start - 1]
        return _outside(prose, at, new)
    if start and prose.shown.text[start - 1] != PARAGRAPH:
        return _outside(prose, prose.ends[start - 1], new)
    return prose.starts[start], prose.starts[start]


def _empty_place(prose: Prose) -> tuple[int, int]:
    at = prose.blocks[0].start if prose.blocks else len(prose.source)
    return at, at


def _outside(prose: Prose, at: int, new: Styled) -> tuple[int, int]:
    """The place behind the marks of emphasis that end here, for words without emphasis."""
    if PLAIN not in new.marks[:1] and new.marks:
        return at, at
    for _ in range(4):
        at = next((span.end for span in prose.spans if span.inner_end == at), at)
    return at, at


def _widened(prose: Prose, begin: int, finish: int) -> tuple[int, int]:
    """The range with all emphasis that it cuts into: its marks must be written again."""
    changed = True
    while changed:
        changed = False
        for span in prose.spans:
            touches = span.start < finish and begin < span.end
            covers = begin <= span.start and span.end <= finish
            if touches and not covers:
                begin, finish, changed = min(begin, span.start), max(finish, span.end), True
    return begin, finish


def _reads_back(prose: Prose, edit: SourceEdit, expected: Styled, *, words_only: bool = False) -> bool:
    """Whether the source shows what it should after an edit, as far as the paragraphs around it go."""
    starts = [block.start for block in prose.blocks]
    first = max(0, bisect_right(starts, edit.start) - 2)
    last = min(len(prose.blocks), bisect_right(starts, edit.end) + 1)
    if not prose.blocks:
        return _tidy(read_prose(prose.source[: edit.start] + edit.new + prose.source[edit.end :]).shown) == _tidy(
            expected
        )
    low = _line_start(prose.source, prose.blocks[first].start)
    high = prose.blocks[last - 1].end
    high = max(high, edit.end)
    text = prose.source[low : edit.start] + edit.new + prose.source[edit.end : high]
    shown = _tidy(read_prose(text).shown)
    skipped = sum(len(block.shown) + 1 for block in prose.blocks[:first])
    left = sum(len(block.shown) + 1 for block in prose.blocks[last:])
    wanted = _tidy(expected.cut(skipped, len(expected) - left))
    return shown.text == wanted.text if words_only else shown == wanted


def _tidy(text: Styled) -> Styled:
    """The text without space at the beginning and the end of paragraphs, which Markdown does not keep."""
    return joined((_stripped(part) for part in _split(text, PARAGRAPH)), PARAGRAPH)


def _stripped(part: Styled) -> Styled:
    lead = len(part) - len(part.text.lstrip(" \t"))
    return part.cut(lead, max(lead, len(part.text.rstrip(" \t"))))


def _line_start(source: str, at: int) -> int:
    """Where a line begins; the first one behind a byte order mark."""
    return max(source.rfind("\n", 0, at) + 1, source.rfind("\r", 0, at) + 1, source.startswith(MARK))


def _split(text: Styled, separator: str) -> Iterator[Styled]:
    begin = 0
    while (at := text.text.find(separator, begin)) >= 0:
        yield text.cut(begin, at)
        begin = at + 1
    yield text.cut(begin, len(text))


def _paragraph(text: Styled, newline: str, *, opens: bool, closes: bool) -> str:
    lines = [_line(part, opens=opens or number > 0) for number, part in enumerate(_split(text, LINE_BREAK))]
    whole = f"\\{newline}".join(lines)
    if opens and closes and is_ornament(whole):
        return f"\\{whole}"
    return whole


def _line(text: Styled, *, opens: bool) -> str:
    written = "".join(_run(run) for run in text.runs())
    if not opens:
        return written
    if written.startswith(("#", ">", "<!--")) or _LISTED.match(written):
        return f"\\{written}"
    return _NUMBERED.sub(r"\1\\\2", written, count=1) if _NUMBERED.match(written) else written


def _run(run: Styled) -> str:
    plain = _escaped(run.text)
    mark = _MARKS.get(run.marks[:1], "")
    bare = plain.strip()
    if not mark or not bare:
        return plain
    lead = len(plain) - len(plain.lstrip())
    tail = len(plain) - len(plain.rstrip())
    return f"{plain[:lead]}{mark}{bare}{mark}{plain[len(plain) - tail :]}"


def _escaped(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace("*", "\\*")
    return _UNDERLINE.sub(r"\\_", plain) if "_" in plain else plain
