"""The parts of a Word document that are scenes, each as one line of text with the changes that were tracked in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dramaturg.workshop.manuscripts.styled import PARAGRAPH, Styled, joined, styled
from dramaturg.workshop.manuscripts.word.body import NOTE_MARK
from dramaturg.workshop.manuscripts.word.document import Change, WordParagraph, WordRun
from dramaturg.workshop.manuscripts.word.names import BOOKMARK, FRAME

_NAMED = re.compile(rf"{BOOKMARK}(\d{{1,6}})_([0-9a-f]{{1,64}})")
_NOTE = re.compile(f"{NOTE_MARK}[A-Za-z0-9]*{NOTE_MARK}")
_FRAME_WORDS = frozenset({"", "#", "END"})


@dataclass(frozen=True, slots=True)
class Section:
    """The paragraphs of one scene, with the number and the part of the digest that its bookmark holds."""

    number: int
    digest: str
    paragraphs: tuple[WordParagraph, ...]


@dataclass(frozen=True, slots=True)
class TrackedChange:
    """Characters of the text before the changes, and what was put in their place."""

    start: int
    end: int
    new: Styled
    change: Change


@dataclass(frozen=True, slots=True)
class CommentRange:
    """Which characters of the text before the changes a comment is about."""

    id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TrackedText:
    """A scene as it was before its tracked changes, and these. `notes` are footnotes by id, with their place."""

    before: Styled
    changes: tuple[TrackedChange, ...] = ()
    comments: tuple[CommentRange, ...] = ()
    notes: tuple[tuple[str, int], ...] = ()


def sections_in(paragraphs: Iterable[WordParagraph]) -> tuple[tuple[Section, ...], tuple[WordParagraph, ...]]:
    """The scenes of a document, and the paragraphs with words that belong to none."""
    found: list[tuple[re.Match[str], list[WordParagraph]]] = []
    outside: list[WordParagraph] = []
    early: list[WordParagraph] = []
    is_open = False
    body = [one for one in paragraphs if one.where == "body"]
    has_styles = any(one.style in FRAME for one in body)
    for paragraph in body:
        named = next((match for name in paragraph.bookmarks if (match := _NAMED.fullmatch(name))), None)
        if named is not None:
            found.append((named, [*early, paragraph]))
            early, is_open = [], True
        elif paragraph.style in FRAME:
            outside += early
            early, is_open = [], False
        elif is_open:
            found[-1][1].append(paragraph)
        else:
            early.append(paragraph)
    outside += early
    sections = (
        Section(int(named[1]), named[2], tuple(inner) if has_styles else _trimmed(tuple(inner)))
        for named, inner in found
    )
    return tuple(sections), tuple(one for one in outside if one.current.text.strip())


def _trimmed(paragraphs: tuple[WordParagraph, ...]) -> tuple[WordParagraph, ...]:
    """Without what another program, which drops styles, has left of breaks and headings at the end of a scene."""
    end = len(paragraphs)
    while end > 1 and (paragraphs[end - 1].current.text.strip() in _FRAME_WORDS or paragraphs[end - 1].starts_page):
        end -= 1
    return paragraphs[:end]


@dataclass(slots=True)
class _Walk:
    """The text so far, and the change that is under way."""

    parts: list[Styled] = field(default_factory=list)
    length: int = 0
    changes: list[TrackedChange] = field(default_factory=list)
    start: int = -1
    new: list[Styled] = field(default_factory=list)
    who: Change | None = None

    def keep(self, content: Styled) -> None:
        self.close()
        self.parts.append(content)
        self.length += len(content)

    def change(self, content: Styled, who: Change, *, inserted: bool) -> None:
        if self.who is not None and self.who.author != who.author:
            self.close()
        if self.who is None:
            self.who, self.start = who, self.length
        if inserted:
            self.new.append(content)
        else:
            self.parts.append(content)
            self.length += len(content)

    def close(self) -> None:
        if self.who is not None:
            self.changes.append(TrackedChange(self.start, self.length, joined(self.new), self.who))
        self.who, self.new = None, []


def tracked_text(paragraphs: Sequence[WordParagraph]) -> TrackedText:
    """The paragraphs of a scene as one text. What was inserted and deleted again is in neither version."""
    walk = _Walk()
    starts: dict[str, int] = {}
    ranges: list[CommentRange] = []
    notes: list[tuple[str, int]] = []
    for number, paragraph in enumerate(paragraphs):
        begin = walk.length
        places = [begin]
        for run in paragraph.runs:
            places += _run(run, walk, notes)
        for mark in paragraph.comments:
            at = places[min(mark.offset, len(places) - 1)]
            if mark.is_end:
                ranges.append(CommentRange(mark.id, starts.pop(mark.id, begin), at))
            else:
                starts[mark.id] = at
        if number < len(paragraphs) - 1:
            _mark(paragraph, walk)
    walk.close()
    ranges += (CommentRange(one, start, walk.length) for one, start in starts.items())
    return TrackedText(joined(walk.parts), tuple(walk.changes), tuple(ranges), tuple(notes))


def _run(run: WordRun, walk: _Walk, notes: list[tuple[str, int]]) -> Iterator[int]:
    """Adds a run; for each of its characters, where it stands in the text before the changes."""
    begin = walk.length
    content, kept = run.content, list(_without_notes(run.content, walk.length, notes))
    clean = joined(kept)
    if run.inserted and run.deleted:
        grows = False
    elif run.inserted:
        grows = False
        if len(clean):
            walk.change(clean, run.inserted, inserted=True)
    else:
        grows = True
        if run.deleted and len(clean):
            walk.change(clean, run.deleted, inserted=False)
        elif len(clean):
            walk.keep(clean)
    end = walk.length
    return (min(begin + at, end) if grows else begin for at in range(1, len(content) + 1))


def _without_notes(content: Styled, at: int, notes: list[tuple[str, int]]) -> Iterator[Styled]:
    begin = 0
    for found in _NOTE.finditer(content.text):
        notes.append((found[0].strip(NOTE_MARK), at + found.start()))
        yield content.cut(begin, found.start())
        begin = found.end()
    yield content.cut(begin, len(content))


def _mark(paragraph: WordParagraph, walk: _Walk) -> None:
    """The end of a paragraph, which may have been inserted or deleted itself."""
    if paragraph.mark_inserted and paragraph.mark_deleted:
        return
    if paragraph.mark_inserted:
        walk.change(styled(PARAGRAPH), paragraph.mark_inserted, inserted=True)
    elif paragraph.mark_deleted:
        walk.change(styled(PARAGRAPH), paragraph.mark_deleted, inserted=False)
    else:
        walk.keep(styled(PARAGRAPH))
