"""Proposes where a manuscript is cut: chapters, scenes, and what is left out, each with its reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dramaturg.workshop.manuscripts.division.front_pages import prose_start
from dramaturg.workshop.manuscripts.division.headings import heading_in, is_title_line
from dramaturg.workshop.manuscripts.division.shifts import dateline_in, shift_in
from dramaturg.workshop.manuscripts.division.title_lines import title_lines
from dramaturg.workshop.manuscripts.readers.source_text import SourceBlock, SourceText

CutKind = Literal["chapter", "scene", "keep", "drop"]
SHORTEST_SCENE = 250
"""How many words a scene must have before a shift of time or place alone begins the next."""
MOST_FRONT = 400
"""How many words before the first chapter may be a title page."""
RARE_GAP = 300
"""A wider gap is a break if there are at least so many words for each."""
SHORTEST_PART = 80
"""A gap that sets off fewer words than this sets off a letter or a verse, not a scene."""
TITLE_PAGE = "title page"
_PART = "part: "
_LICENCE = re.compile(r"\W*(?:START|END) OF (?:THE |THIS )?PROJECT GUTENBERG", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cut:
    """A place where a text may be cut: before the block `at`. `skip` blocks of it are heading or break, not prose."""

    at: int
    kind: CutKind
    why: str
    title: str = ""
    skip: int = 0
    where: str = ""


def cuts_in(source: SourceText) -> tuple[Cut, ...]:
    """The cuts of one text, in order. The first is always at its first block."""
    if not source.blocks:
        return ()
    found = list(_headings(source.blocks))
    found = _without_contents(found, source.blocks)
    found = [*found, *_breaks(source.blocks, {one.at for one in found})]
    found = _with_shifts(sorted(found, key=lambda one: one.at), source.blocks)
    found = _settled(_licence(found, source.blocks), source.blocks)
    return tuple(_opening(found, source))


# Headings.


@dataclass(frozen=True, slots=True)
class _Signs:
    """What tells headings in one text: the level of chapters, the heading that is the book's title, numbers that stand
    alone, and lines that are titles by their shape."""

    level: int
    title: int
    bare: frozenset[int]
    shaped: Mapping[int, str]


def _signs(blocks: Sequence[SourceBlock]) -> _Signs:
    level, title = _chapter_level(blocks), _book_title(blocks)
    chapters = (found for one in blocks if (found := heading_in(one)) is not None and found.kind == "chapter")
    if any(not found.is_bare and not found.is_alone for found in chapters):
        return _Signs(level, title, frozenset(), {})
    bare = _bare_headings(blocks)
    is_styled = sum(one.kind == "heading" for one in blocks) > 1
    shaped: Mapping[int, str] = {} if is_styled else title_lines(blocks)
    return _Signs(level, title, bare, shaped if len(shaped) > len(bare) else {})


def _book_title(blocks: Sequence[SourceBlock]) -> int:
    """Where the book's title stands: the first heading, if no other of its level could be the title of a part."""
    plain = [(at, one) for at, one in enumerate(blocks) if one.kind == "heading" and heading_in(one) is None]
    if not plain or any(one.kind == "heading" for one in blocks[: plain[0][0]]):
        return -1
    at, first = plain[0]
    return at if all(one.level != first.level for _, one in plain[1:]) else -1


def _headings(blocks: Sequence[SourceBlock]) -> Iterator[Cut]:
    signs = _signs(blocks)
    taken = -1
    for at, block in enumerate(blocks):
        if at > taken and block.kind != "break" and (cut := _heading(at, blocks, signs)) is not None:
            taken = at + cut.skip - 1
            yield cut


def _heading(at: int, blocks: Sequence[SourceBlock], signs: _Signs) -> Cut | None:
    if at in signs.shaped:
        return Cut(at, "chapter", f"title “{signs.shaped[at][:60]}”", signs.shaped[at], 1)
    kind, why, title = _kind_of(blocks[at], signs, use_bare=at in signs.bare)
    if kind == "part" and at == signs.title:
        return Cut(at, "drop", TITLE_PAGE, skip=1)
    if not kind:
        return None
    skip = 1
    following = blocks[at + 1] if at + 1 < len(blocks) and at + 1 not in signs.shaped else None
    if kind == "part" and following is not None and following.kind == "heading":
        following = None  # the title of its first chapter
    if kind != "scene" and following is not None and _needs_title(title) and _is_title(following):
        title, skip = f"{title.rstrip('.:')}: {following.plain.strip()}", 2
    if kind == "part":
        return Cut(at, "drop", f"{_PART}{why}", title, skip)
    return Cut(at, kind, why, title, skip)


def _kind_of(
    block: SourceBlock, signs: _Signs, *, use_bare: bool
) -> tuple[Literal["part", "chapter", "scene", ""], str, str]:
    worded = heading_in(block)
    title = " ".join(block.plain.split())
    if worded is not None and (not worded.is_bare or use_bare or block.kind == "heading"):
        kind = worded.kind
        if worded.is_bare and block.kind == "heading" and block.level > signs.level:
            kind = "scene"
        return kind, f"heading “{title[:60]}”", worded.title
    if block.kind != "heading":
        return "", "", ""
    if block.level < signs.level:
        return "part", f"heading of level {block.level}", title
    return ("chapter" if block.level == signs.level else "scene"), f"heading of level {block.level}", title


def _chapter_level(blocks: Sequence[SourceBlock]) -> int:
    """The level of the headings that are chapters: that of most worded ones, else the highest with several."""
    headings = [one for one in blocks if one.kind == "heading"]
    worded = Counter(
        one.level for one in headings if (found := heading_in(one)) is not None and found.kind == "chapter"
    )
    if worded:
        return worded.most_common(1)[0][0]
    count = Counter(one.level for one in headings)
    parts = Counter(one.level for one in headings if (found := heading_in(one)) is not None and found.kind == "part")
    deeper = max(count, default=0)
    several = [one for one in sorted(count) if count[one] > 1 and (parts[one] * 2 <= count[one] or one == deeper)]
    return several[0] if several else min(count, default=1)


def _bare_headings(blocks: Sequence[SourceBlock]) -> frozenset[int]:
    """Numbers that stand alone on a line: chapters without the word."""
    found = [at for at, one in enumerate(blocks) if (worded := heading_in(one)) is not None and worded.is_bare]
    return frozenset(found) if len(found) >= 2 else frozenset()


def _is_title(block: SourceBlock) -> bool:
    return is_title_line(block) and heading_in(block) is None


def _needs_title(title: str) -> bool:
    return len(title.split()) <= 3


def _without_contents(cuts: list[Cut], blocks: Sequence[SourceBlock]) -> list[Cut]:
    """Without a table of contents: headings of chapters in a row with nothing between them."""
    ends = [*(one.at for one in cuts[1:]), len(blocks)][: len(cuts)]
    empty = [one.kind == "chapter" and one.at + one.skip >= end for one, end in zip(cuts, ends, strict=True)]
    kept: list[Cut] = []
    for number, cut in enumerate(cuts):
        in_row = empty[number] and (empty[number - 1 : number] == [True] or empty[number + 1 : number + 2] == [True])
        kept.append(replace(cut, kind="drop", why="table of contents") if in_row else cut)
    return kept


# Breaks and shifts.


def _breaks(blocks: Sequence[SourceBlock], headed: set[int]) -> Iterator[Cut]:
    usual = Counter(one.gap for one in blocks[1:]).most_common(1)[0][0] if len(blocks) > 1 else 0
    words = sum(len(one.plain.split()) for one in blocks)
    wide = [at for at, one in enumerate(blocks) if at and one.gap > usual and one.kind == "paragraph"]
    rare = [at for at in wide if blocks[at].gap > usual + 1] if len(wide) * RARE_GAP > words else wide
    for at, block in enumerate(blocks):
        if at in headed or (at - 1 in headed):
            continue
        if block.kind == "break":
            yield Cut(at, "scene", f"break “{block.plain.strip() or '* * *'}”", skip=1)
        elif at and blocks[at - 1].kind == "break":
            continue
        elif block.kind == "paragraph" and (where := dateline_in(block.plain)) and _stands_apart(blocks, at):
            yield Cut(at, "scene", f"line of place or time “{where}”", where=where)
        elif at in rare and not _is_beside_heading(blocks, at):
            yield Cut(at, "scene", f"{block.gap} blank lines, where {usual} are usual")


def _stands_apart(blocks: Sequence[SourceBlock], at: int) -> bool:
    return at + 1 < len(blocks) and len(blocks[at + 1].plain.split()) > 15


def _is_beside_heading(blocks: Sequence[SourceBlock], at: int) -> bool:
    return blocks[at - 1].kind != "paragraph"


def _with_shifts(cuts: list[Cut], blocks: Sequence[SourceBlock]) -> list[Cut]:
    """Cuts at shifts of place or time too; where breaks are marked, such a shift is only pointed out."""
    marked = any(one.kind == "scene" and one.why.startswith("break") for one in cuts)
    at_cut = {one.at for one in cuts} | {one.at + 1 for one in cuts if one.skip}
    found = list(cuts)
    since = 0
    for at, block in enumerate(blocks):
        if at in at_cut:
            since = 0
        shift = shift_in(block.plain) if block.kind == "paragraph" and at not in at_cut else ""
        if shift and since >= SHORTEST_SCENE:
            found.append(Cut(at, "keep" if marked else "scene", f"shift “{shift}”"))
            since = 0 if not marked else since
        since += len(block.plain.split())
    return sorted(found, key=lambda one: one.at)


def _licence(cuts: list[Cut], blocks: Sequence[SourceBlock]) -> list[Cut]:
    """Leaves out what a library put before and after the text."""
    marks = [at for at, one in enumerate(blocks) if _LICENCE.match(one.plain)]
    if not marks:
        return cuts
    first = marks[0] if marks[0] < len(blocks) // 2 else -1
    last = next((at for at in marks if at >= len(blocks) // 2), len(blocks))
    kept = [one for one in cuts if first < one.at < last]
    if first >= 0:
        kept.insert(0, Cut(0, "drop", "licence of a library", skip=first + 1))
        if not any(one.at == first + 1 for one in kept):
            kept.insert(1, Cut(first + 1, "drop", "title page"))
    if last < len(blocks):
        kept.append(Cut(last, "drop", "licence of a library"))
    return kept


def _settled(cuts: list[Cut], blocks: Sequence[SourceBlock]) -> list[Cut]:
    """The cuts without those that set off nothing, and with parts that have prose of their own as chapters."""
    found: list[Cut] = []
    has_chapters = any(one.kind == "chapter" for one in cuts)
    for number, cut in enumerate(cuts):
        words = _words(blocks, cut, cuts[number + 1].at if number + 1 < len(cuts) else len(blocks))
        before = found[-1] if found else None
        if cut.kind == "scene" and words == 0 and cut.skip:
            continue
        if (
            before is not None
            and cut.kind == "scene"
            and before.kind == "chapter"
            and before.at + before.skip == cut.at
        ):
            found[-1] = replace(before, skip=before.skip + cut.skip, where=cut.where)
            continue
        if cut.why.startswith(_PART) and (not has_chapters or words):
            cut = replace(cut, kind="chapter")  # a motto behind its title is part of the book too
        elif "blank lines" in cut.why and words < SHORTEST_PART:
            cut = replace(cut, kind="keep")
        found.append(replace(cut, why=cut.why.removeprefix(_PART)))
    return found


def _words(blocks: Sequence[SourceBlock], cut: Cut, end: int) -> int:
    return sum(len(one.plain.split()) for one in blocks[cut.at + cut.skip : end] if one.kind != "break")


def _opening(cuts: list[Cut], source: SourceText) -> Iterator[Cut]:
    """What stands before the first chapter: a title page is left out, prose is a chapter of its own."""
    first = next((one.at for one in cuts if one.kind == "chapter"), None)
    if first is None:
        start = next((one.at for one in cuts if one.kind != "drop"), 0) if cuts and cuts[0].at == 0 else 0
        yield from (one for one in cuts if one.at < start)
        opening = next((one for one in cuts if one.at == start), Cut(start, "chapter", "beginning of the text"))
        yield replace(opening, kind="chapter", title=opening.title or source.title)
        yield from (one for one in cuts if one.at > start)
        return
    yield from _front([one for one in cuts if one.at < first], source.blocks[:first])
    yield from (one for one in cuts if one.at >= first)


def _front(early: Sequence[Cut], blocks: Sequence[SourceBlock]) -> Iterator[Cut]:
    """A title page, then what is left of the text before the first chapter: prose, and the title of a part."""
    if not blocks:
        return
    left = sum(one.skip for one in early if one.kind == "drop" and one.at == 0)
    start = prose_start(blocks)
    if start is None and sum(len(one.plain.split()) for one in blocks[left:]) > MOST_FRONT:
        start = 0
    part = next((one for one in early if is_part(one)), None)
    if start is None:
        if part is None or part.at:
            yield Cut(0, "drop", TITLE_PAGE)
        if part is not None:
            yield part
        return
    if start and (not early or early[0].at):
        yield Cut(0, "drop", TITLE_PAGE)
    yield from (one for one in early if one.at < start and one.kind == "drop")
    opening = next((one for one in early if one.at == start), Cut(start, "chapter", "text before the first chapter"))
    yield opening if opening.kind == "drop" else replace(opening, kind="chapter")
    yield from (one for one in early if one.at > start)


def is_part(cut: Cut) -> bool:
    """Whether a cut is the heading of a part, which has no prose of its own."""
    return cut.kind == "drop" and bool(cut.title) and cut.why.startswith("heading")
