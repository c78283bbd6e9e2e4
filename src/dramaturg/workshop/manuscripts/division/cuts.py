"""Proposes where a manuscript is cut: chapters, scenes, and what is left out, each with its reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dramaturg.workshop.manuscripts.division.headings import heading_in, is_title_line
from dramaturg.workshop.manuscripts.division.shifts import dateline_in, shift_in
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
    part: str = ""
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


def _headings(blocks: Sequence[SourceBlock]) -> Iterator[Cut]:
    level = _chapter_level(blocks)
    bare = _bare_headings(blocks)
    has_words = any((found := heading_in(one)) and found.kind == "chapter" and not found.is_bare for one in blocks)
    part = ""
    taken = -1
    for at, block in enumerate(blocks):
        if at <= taken or block.kind == "break":
            continue
        kind, why, title = _kind_of(block, level, use_bare=at in bare and not has_words)
        if kind == "part":
            part = title
            yield Cut(at, "drop", f"{_PART}{why}", title, 1)
        elif kind:
            skip = 1
            if kind == "chapter" and _needs_title(title) and at + 1 < len(blocks) and _is_title(blocks[at + 1]):
                title, skip = f"{title.rstrip('.:')}: {blocks[at + 1].plain.strip()}", 2
            taken = at + skip - 1
            yield Cut(at, kind, why, title, skip, part)
            part = "" if kind == "chapter" else part


def _kind_of(
    block: SourceBlock, level: int, *, use_bare: bool
) -> tuple[Literal["part", "chapter", "scene", ""], str, str]:
    worded = heading_in(block)
    title = " ".join(block.plain.split())
    if worded is not None and (not worded.is_bare or use_bare or block.kind == "heading"):
        kind = worded.kind
        if worded.is_bare and block.kind == "heading" and block.level > level:
            kind = "scene"
        return kind, f"heading “{title[:60]}”", worded.title
    if block.kind != "heading":
        return "", "", ""
    if block.level < level:
        return "part", f"heading of level {block.level}", title
    return ("chapter" if block.level == level else "scene"), f"heading of level {block.level}", title


def _chapter_level(blocks: Sequence[SourceBlock]) -> int:
    """The level of the headings that are chapters: that of most worded ones, else the highest with several."""
    headings = [one for one in blocks if one.kind == "heading"]
    worded = Counter(
        one.level for one in headings if (found := heading_in(one)) is not None and found.kind == "chapter"
    )
    if worded:
        return worded.most_common(1)[0][0]
    count = Counter(one.level for one in headings)
    several = [level for level in sorted(count) if count[level] > 1]
    return several[0] if several else min(count, default=1)


def _bare_headings(blocks: Sequence[SourceBlock]) -> set[int]:
    """Numbers that stand alone on a line and count upwards: chapters without the word."""
    found = [at for at, one in enumerate(blocks) if (worded := heading_in(one)) is not None and worded.is_bare]
    return set(found) if len(found) >= 2 else set()


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
        if cut.why.startswith(_PART) and (not has_chapters or words > SHORTEST_PART):
            cut = replace(cut, kind="chapter")
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
    early = [one for one in cuts if one.at < first]
    left = sum(one.skip for one in early if one.kind == "drop" and one.at == 0)
    words = sum(len(one.plain.split()) for one in source.blocks[left:first])
    if first and words <= MOST_FRONT:
        yield Cut(0, "drop", "title page")
    elif first:
        if not early or early[0].at > 0:
            yield Cut(0, "chapter", "text before the first chapter")
        yield from early
    yield from (one for one in cuts if one.at >= first)
