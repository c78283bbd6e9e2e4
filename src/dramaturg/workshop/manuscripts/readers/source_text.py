"""A manuscript as it was read: Markdown, and its blocks with what their layout says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dramaturg.workshop.manuscripts.markdown import read_prose
from dramaturg.workshop.manuscripts.markdown_writer import to_markdown
from dramaturg.workshop.manuscripts.ornaments import is_ornament
from dramaturg.workshop.manuscripts.styled import LINE_BREAK, Styled

SourceKind = Literal["paragraph", "heading", "break"]


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """A paragraph, a heading or a break, from `start` to `end` of the Markdown.

    `level` is that of a heading, 1 for the highest; `gap` counts the blank lines or empty paragraphs before it.
    """

    kind: SourceKind
    plain: str
    start: int
    end: int
    level: int = 0
    gap: int = 0
    is_centred: bool = False
    starts_page: bool = False


@dataclass(frozen=True, slots=True)
class SourceText:
    """One file of a manuscript. `head` is the front matter that it had, as written."""

    name: str
    markdown: str
    blocks: tuple[SourceBlock, ...]
    title: str = ""
    author: str = ""
    head: str = ""
    encoding: str = ""
    problems: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LaidParagraph:
    """A paragraph of a word processor, before it is Markdown."""

    content: Styled
    level: int = 0
    is_centred: bool = False
    starts_page: bool = False


class SourceBuilder:
    """Puts paragraphs together as one Markdown text."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._blocks: list[SourceBlock] = []
        self._length = 0
        self._gap = 0
        self._page = False

    def add(self, paragraph: LaidParagraph) -> None:
        """Adds a paragraph; an empty one widens the gap before the next."""
        content = _bare(paragraph.content)
        self._page = self._page or paragraph.starts_page
        if not content.text:
            self._gap += 1
            return
        text = to_markdown(content)
        is_break = is_ornament(content.text)
        if is_break:
            text = "* * *"
        elif paragraph.level:
            text = f"{'#' * min(paragraph.level, 6)} {text.replace(chr(10), ' ')}"
        if self._parts:
            self._put("\n\n")
        start = self._length
        self._put(text)
        kind: SourceKind = "break" if is_break else "heading" if paragraph.level else "paragraph"
        plain = content.text.replace(LINE_BREAK, "\n")
        self._blocks.append(
            SourceBlock(kind, plain, start, self._length, paragraph.level, self._gap, paragraph.is_centred, self._page)
        )
        self._gap, self._page = 0, False

    def built(self) -> tuple[str, tuple[SourceBlock, ...]]:
        self._put("\n")
        return "".join(self._parts), tuple(self._blocks)

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)


def blocks_of(markdown: str, begin: int = 0) -> tuple[SourceBlock, ...]:
    """The blocks of a Markdown text."""
    found: list[SourceBlock] = []
    at = begin
    for block in read_prose(markdown, begin).blocks:
        start = max(markdown.rfind("\n", 0, block.start), markdown.rfind("\r", 0, block.start)) + 1
        start = max(start, begin)
        between = markdown[at:start]
        gap = max(0, between.count("\n") - 1) if at > begin else 0
        kind: SourceKind = "heading" if block.kind == "heading" else "break" if block.kind == "break" else "paragraph"
        plain = block.shown.text.replace(LINE_BREAK, "\n")
        if kind == "paragraph" and "\n" in markdown[block.start : block.end]:
            plain = "\n".join(line.strip() for line in markdown[block.start : block.end].splitlines())
        is_centred = markdown[start : block.start].startswith("      ")
        found.append(SourceBlock(kind, plain, start, block.end, block.level, gap, is_centred))
        at = block.end
    return tuple(found)


def _bare(content: Styled) -> Styled:
    lead = len(content) - len(content.text.lstrip())
    return content.cut(lead, max(lead, len(content.text.rstrip())))
