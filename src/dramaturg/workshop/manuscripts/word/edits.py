"""What an editor did to one scene, tracked or not, in terms of the words that went out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dramaturg.workshop.manuscripts.differences import Difference, differences
from dramaturg.workshop.manuscripts.styled import Styled, joined
from dramaturg.workshop.manuscripts.word.carried import OpenPatch
from dramaturg.workshop.manuscripts.word.sections import TrackedChange, TrackedText

EditKind = Literal["tracked", "untracked", "accepted"]


@dataclass(frozen=True, slots=True)
class SceneEdit:
    """Characters of the text that went out, and what stands in their place now."""

    start: int
    end: int
    new: Styled
    kind: EditKind
    author: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class _Span:
    """A changed part: of the text that went out, and of the text before the tracked changes."""

    start: int
    end: int
    begin: int
    finish: int


def edits_of(base: Styled, text: TrackedText, patches: Sequence[OpenPatch]) -> tuple[SceneEdit, ...]:
    """The edits in order, without the changes that we proposed ourselves and that still wait in the document."""
    silent = differences(base, text.before)
    open_ = {(one.start, one.end, one.new) for one in patches}
    if not silent:
        return tuple(
            _tracked(one, one.start, one.end) for one in text.changes if (one.start, one.end, one.new.text) not in open_
        )
    spans, free = _joined_spans(silent, text.changes)
    found = [_untracked(base, text, span, patches) for span in spans]
    for one in free:
        shift = _shift(silent, one.start)
        edit = _tracked(one, one.start + shift, one.end + shift)
        if (edit.start, edit.end, edit.new.text) not in open_:
            found.append(edit)
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def _tracked(one: TrackedChange, start: int, end: int) -> SceneEdit:
    return SceneEdit(start, end, one.new, "tracked", one.change.author, one.change.at)


def _joined_spans(
    silent: Sequence[Difference], changes: Sequence[TrackedChange]
) -> tuple[list[_Span], list[TrackedChange]]:
    """Untracked changes, each with the tracked ones that reach into it; and the tracked ones that reach into none."""
    spans = [_Span(one.start, one.end, one.new_start, one.new_end) for one in silent]
    free: list[TrackedChange] = []
    for change in changes:
        if change.start == change.end:
            touched = [one for one in spans if one.begin < change.start < one.finish]
        else:
            touched = [one for one in spans if change.start < one.finish and one.begin < change.end]
        if not touched:
            free.append(change)
            continue
        begin, finish = min(touched[0].begin, change.start), max(touched[-1].finish, change.end)
        start = touched[0].start - (touched[0].begin - begin)
        end = touched[-1].end + (finish - touched[-1].finish)
        merged = _Span(start, end, begin, finish)
        spans = sorted([*(one for one in spans if one not in touched), merged], key=lambda one: one.start)
    return spans, free


def _untracked(base: Styled, text: TrackedText, span: _Span, patches: Sequence[OpenPatch]) -> SceneEdit:
    inner = [one for one in text.changes if span.begin <= one.start and one.end <= span.finish]
    parts: list[Styled] = []
    at = span.begin
    for one in inner:
        if one.start == one.end and not span.begin < one.start < span.finish:
            continue
        parts += (text.before.cut(at, one.start), one.new)
        at = one.end
    new = joined((*parts, text.before.cut(at, span.finish)))
    is_ours = any(_same(base, span.start, span.end, new.text, one) for one in patches)
    authors = dict.fromkeys(one.change.author for one in inner if one.change.author)
    return SceneEdit(span.start, span.end, new, "accepted" if is_ours else "untracked", ", ".join(authors))


def _same(base: Styled, start: int, end: int, new: str, patch: OpenPatch) -> bool:
    """Whether an edit does what a patch proposed, or a part of it."""
    low, high = min(start, patch.start), max(end, patch.end)
    if start < patch.start or end > patch.end:
        return False
    edited = base.text[low:start] + new + base.text[end:high]
    return edited == patch.new or new in patch.new


def _shift(silent: Sequence[Difference], at: int) -> int:
    """How much further on a place stands in the text that went out."""
    shift = 0
    for one in silent:
        if one.new_end <= at:
            shift = one.end - one.new_end
    return shift
