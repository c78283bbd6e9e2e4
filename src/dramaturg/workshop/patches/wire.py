"""Patches and versions as the faces show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.workshop.patches.patch import Patch, PatchSource
from dramaturg.workshop.patches.word_diff import word_diff


class DiffWords(WireValue):
    """A run of words: in both texts, only in the old one, or only in the new one."""

    kind: Literal["same", "old", "new"]
    text: str


class PatchView(WireValue):
    """A patch, what became of it, and whether it has its place in the file as it is now."""

    number: int
    set: int
    title: str = Field(description="of its set")
    file: str
    state: Literal["waiting", "accepted", "rejected", "undone"]
    problem: str = Field("", description="why it cannot be placed, or cannot be undone; empty if nothing is in the way")
    before: str
    old: str
    new: str
    after: str
    words: tuple[DiffWords, ...] = Field(description="old and new, word by word")
    reason: str = ""
    issue: str = ""
    source: PatchSource


class PatchList(WireValue):
    """The patches of a book, in the order in which they were proposed."""

    patches: tuple[PatchView, ...]


class PatchProblem(WireValue):
    """A patch that was not done, and why."""

    number: int
    why: str


class PatchesAcceptedView(WireValue):
    """What was accepted, and what waits because it has no place."""

    accepted: tuple[int, ...]
    waiting: tuple[PatchProblem, ...] = ()
    files: tuple[str, ...] = ()
    said: str


class PatchesRejectedView(WireValue):
    """What was rejected."""

    rejected: tuple[int, ...]
    said: str


class VersionRow(WireValue):
    """A version of a scene."""

    number: int
    at: float = Field(description="when it was kept, in seconds since 1970")
    said: str
    words: int = Field(description="without the front matter")
    patches: tuple[int, ...] = Field((), description="the accepted patches that stand in it")
    is_current: bool = Field(description="whether the file has this text now")


class VersionList(WireValue):
    """The versions of a scene, oldest first. `edited` says that the file has a text that is no version yet."""

    file: str
    versions: tuple[VersionRow, ...]
    edited: bool


class VersionText(WireValue):
    """The whole text of a version."""

    file: str
    number: int
    text: str


class VersionComparison(WireValue):
    """Two versions of a scene, word by word; `second` is 0 for the file as it is now."""

    file: str
    first: int
    second: int
    words: tuple[DiffWords, ...]
    added: int = Field(description="words that are only in the second")
    removed: int = Field(description="words that are only in the first")


class VersionRestored(WireValue):
    """A version that was restored, which is a version itself."""

    file: str
    version: int
    restored: int
    said: str


def diff_words(old: str, new: str) -> tuple[DiffWords, ...]:
    return tuple(DiffWords(kind=one.kind, text=one.text) for one in word_diff(old, new))


def words_in(parts: Iterable[DiffWords], kind: str) -> int:
    return sum(len(one.text.split()) for one in parts if one.kind == kind)


def patch_view(
    patch: Patch,
    *,
    set_number: int,
    title: str,
    source: PatchSource,
    state: Literal["waiting", "accepted", "rejected", "undone"],
    file: str,
    problem: str,
) -> PatchView:
    return PatchView(
        number=patch.number,
        set=set_number,
        title=title,
        file=file,
        state=state,
        problem=problem,
        before=patch.before,
        old=patch.old,
        new=patch.new,
        after=patch.after,
        words=diff_words(patch.old, patch.new),
        reason=patch.reason,
        issue=patch.issue,
        source=source,
    )
