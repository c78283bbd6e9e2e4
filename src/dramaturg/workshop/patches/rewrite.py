"""A new text for a file, taken apart into patches that a writer can accept one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from dramaturg.workshop.book.pages import read_page
from dramaturg.workshop.book.plain_text import flattened, plain_text
from dramaturg.workshop.patches.patch import Patch, patch_at
from dramaturg.workshop.patches.splice import Splice
from dramaturg.workshop.patches.word_diff import Span, changes, differences

_PARAGRAPH = re.compile(r"\S(?:[^\n]|\n(?![ \t]*\n))*")
NEAR_WORDS = 3
"""Changes with fewer words between them are one patch."""
MOST_PARAGRAPHS = 300
"""Of two texts that are compared in every order; of longer ones, between paragraphs that stand once in each."""


def rewrite_patches(path: str, exact: str, text: str) -> tuple[Patch, ...]:
    """The patches that make a new text of a file's. Other marks and spaces for the same words are no change."""
    now, lead, old, new = _compared(path, exact, text)
    return tuple(
        patch_at(path, now, lead + one.start, lead + one.start + len(one.old), one.new)
        for one in _grouped(old, [one for one in changes(old, new) if not _is_same(one)])
    )


def paragraph_patches(path: str, exact: str, text: str) -> tuple[Patch, ...]:
    """The same in whole paragraphs, for a text that was written anew: those that stay are left alone."""
    now, lead, old, new = _compared(path, exact, text)
    left = [(found.start(), found.end()) for found in _PARAGRAPH.finditer(old)]
    right = [found[0] for found in _PARAGRAPH.finditer(new)]
    if not left:
        return (patch_at(path, now, lead, lead, f"{_gap_after(now[:lead])}{new}"),) if new else ()
    spans = [_span(left, right, span) for span in _differing([old[start:end] for start, end in left], right)]
    return tuple(patch_at(path, now, lead + start, lead + end, put) for start, end, put in spans)


def _differing(left: Sequence[str], right: Sequence[str]) -> Iterator[Span]:
    """Where two rows of paragraphs differ; where too many do, all of them together."""
    whole = (0, len(left), 0, len(right))
    for span in [whole] if max(len(left), len(right)) <= MOST_PARAGRAPHS else differences(left, right):
        a, b, c, d = span
        if max(b - a, d - c) > MOST_PARAGRAPHS:
            yield span
            continue
        for kind, *inner in SequenceMatcher(None, left[a:b], right[c:d], autojunk=False).get_opcodes():
            if kind != "equal":
                yield a + inner[0], a + inner[1], c + inner[2], c + inner[3]


def _gap_after(head: str) -> str:
    """The line breaks between what stands before the prose and the first prose there is."""
    bare = head.rstrip("\n")
    return "\n" * max(0, 2 - (len(head) - len(bare))) if bare.strip("\ufeff \t") else ""


def _span(left: Sequence[tuple[int, int]], right: Sequence[str], span: Span) -> tuple[int, int, str]:
    """What of the old text goes, and what comes instead, with the blank lines around it."""
    first, last, begin, end = span
    put = "\n\n".join(right[begin:end])
    if first < last and put:
        return left[first][0], left[last - 1][1], put
    if first < last:  # paragraphs go, with the gap after them, or before the last ones
        return (left[first][0], left[last][0], "") if last < len(left) else (left[first - 1][1], left[-1][1], "")
    if first < len(left):
        return left[first][0], left[first][0], f"{put}\n\n"
    return left[-1][1], left[-1][1], f"\n\n{put}"


def _compared(path: str, exact: str, text: str) -> tuple[str, int, str, str]:
    """The plain text of a file, where its prose begins, that prose, and the new one."""
    now = plain_text(exact).plain
    new = plain_text(text).plain.strip()
    head = "" if new.startswith("---\n") else read_page(path, now).head
    body = now.removeprefix(head).lstrip("\ufeff")
    lead = len(now) - len(body) + len(body) - len(body.lstrip())
    return now, lead, body.strip(), new


def _is_same(change: Splice) -> bool:
    """Whether only marks and spaces are typed otherwise, and no paragraph begins or ends."""
    breaks = change.old.count("\n\n") == change.new.count("\n\n")
    return breaks and flattened(change.old).strip() == flattened(change.new).strip()


def _grouped(text: str, found: Sequence[Splice]) -> list[Splice]:
    groups: list[Splice] = []
    for one in found:
        last = groups[-1] if groups else None
        gap = text[last.start + len(last.old) : one.start] if last else ""
        if last is not None and len(gap.split()) < NEAR_WORDS and "\n\n" not in gap:
            groups[-1] = Splice(start=last.start, old=last.old + gap + one.old, new=last.new + gap + one.new)
        else:
            groups.append(one)
    return groups
