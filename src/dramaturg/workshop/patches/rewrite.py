"""A new text for a file, taken apart into patches that a writer can accept one by one."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.workshop.book.pages import read_page
from dramaturg.workshop.book.plain_text import flattened, plain_text
from dramaturg.workshop.patches.patch import Patch, patch_at
from dramaturg.workshop.patches.splice import Splice
from dramaturg.workshop.patches.word_diff import changes

NEAR_WORDS = 3
"""Changes with fewer words between them are one patch."""


def rewrite_patches(path: str, exact: str, text: str) -> tuple[Patch, ...]:
    """The patches that make a new text of a file's. Other marks and spaces for the same words are no change."""
    now = plain_text(exact).plain
    new = plain_text(text).plain.strip()
    head = "" if new.startswith("---\n") else read_page(path, now).head
    body = now.removeprefix(head).lstrip("\ufeff")
    lead = len(now) - len(body) + len(body) - len(body.lstrip())
    old = body.strip()
    return tuple(
        patch_at(path, now, lead + one.start, lead + one.start + len(one.old), one.new)
        for one in _grouped(old, [one for one in changes(old, new) if not _is_same(one)])
    )


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
