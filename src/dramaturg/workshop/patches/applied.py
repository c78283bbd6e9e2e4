"""Where the accepted patches of a file stand in it now, so that each can be undone alone, in any order.

Every change of ours moves the others by what it adds or removes; nothing is searched for. A patch over the words of
another one covers it until it is undone itself. An edit of the writer's is followed by comparing the two texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from dramaturg.workshop.patches.splice import Splice
from dramaturg.workshop.patches.word_diff import changes

MASK = "\uffff"
"""A character that stands in no text."""


@dataclass(frozen=True, slots=True)
class AppliedPatch:
    """An accepted patch at its place. `covers` are the ones it lies over, with places relative to its own."""

    number: int
    start: int
    old: str
    new: str
    covers: Applied = ()

    @property
    def end(self) -> int:
        return self.start + len(self.new)

    @property
    def undoing(self) -> Splice:
        return Splice(start=self.start, old=self.new, new=self.old)

    def moved(self, by: int) -> AppliedPatch:
        return replace(self, start=self.start + by)


Applied: TypeAlias = tuple[AppliedPatch, ...]
"""The accepted patches of one file, in the order of their places."""


def with_patch(applied: Applied, number: int, splice: Splice) -> Applied:
    """The patches with one more, made by this change."""
    end, by = splice.start + len(splice.old), len(splice.new) - len(splice.old)
    first, covered, last = [], [], []
    for one in applied:
        if one.end <= splice.start and (one.start < end or one.number < number):
            first.append(one)
        elif one.start >= end:
            last.append(one.moved(by))
        else:
            covered.append(one.moved(-splice.start))
    made = AppliedPatch(number, splice.start, splice.old, splice.new, tuple(covered))
    return (*first, made, *last)


def without_patch(applied: Applied, number: int) -> Applied:
    """The patches after one of them was undone. Raises KeyError if it is not there, or covered by another."""
    at = next((at for at, one in enumerate(applied) if one.number == number), None)
    if at is None:
        raise KeyError(number)
    gone, by = applied[at], len(applied[at].old) - len(applied[at].new)
    uncovered = (one.moved(gone.start) for one in gone.covers)
    return (*applied[:at], *uncovered, *(one.moved(by) for one in applied[at + 1 :]))


def applied_patch(applied: Applied, number: int) -> AppliedPatch | None:
    """An accepted patch that can be undone, or None."""
    return next((one for one in applied if one.number == number), None)


def covering(applied: Applied, number: int) -> int | None:
    """The patch that has to be undone before this one; None if nothing lies over it."""
    return next((one.number for one in applied if number in _covered(one)), None)


def numbers_of(applied: Applied) -> frozenset[int]:
    """The numbers of all, covered ones included."""
    return frozenset(number for one in applied for number in (one.number, *_covered(one)))


def _covered(over: AppliedPatch) -> frozenset[int]:
    found: set[int] = set()
    waiting = list(over.covers)
    while waiting:
        one = waiting.pop()
        found.add(one.number)
        waiting += one.covers
    return frozenset(found)


def followed(applied: Applied, before: str, now: str) -> Applied:
    """The patches after the writer edited the file; those whose words were touched are no longer among them."""
    if before == now or not applied:
        return applied
    edits = changes(before, now)
    moved = (_followed(one, edits) for one in applied)
    return tuple(one for one in moved if one is not None)


def _followed(one: AppliedPatch, edits: Sequence[Splice]) -> AppliedPatch | None:
    by = 0
    for edit in edits:
        end = edit.start + len(edit.old)
        if edit.start >= one.end:
            break
        if end > one.start:
            return None
        by += len(edit.new) - len(edit.old)
    return one.moved(by)


def masked(text: str, applied: Applied, numbers: frozenset[int]) -> str:
    """A text in which the words of some accepted patches cannot be found, at the same length.

    A patch does not belong into words that another one of its set brought.
    """
    parts: list[str] = []
    at = 0
    for one in applied:
        if one.number in numbers and at <= one.start < one.end <= len(text):
            parts += [text[at : one.start], MASK * (one.end - one.start)]
            at = one.end
    return "".join([*parts, text[at:]]) if parts else text
