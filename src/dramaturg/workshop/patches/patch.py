"""A patch: words of a file, and the words that should stand there instead.

It is anchored by its words and a little of what stands before and after them, never by a position: so it finds its
place in a file that has changed, and says so if its words are gone or stand there twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import Value
from dramaturg.workshop.book.plain_text import PlainText, plain_text, typographic_spans

CONTEXT = 48
"""How many characters are kept before and after the words; more where these alone stand twice."""
WIDEST = 384
NARROWER = (CONTEXT, 24, 12)
"""The widths of context that are tried in a file that has changed."""
NARROWEST_GAP = 24
"""An insertion has no words of its own, so that it needs this much on both sides, or twice as much on one."""
DISTINCT_WORDS = 4
"""So many words that stand once in a file are found there without any of their context."""
MOST_COUNTED = 100

Reason = Literal["gone", "twice"]


class PatchSource(Value):
    """Who proposes a change: a model at some work, or a person."""

    by: Literal["model", "person"] = "model"
    name: str = Field("", description="of the model or the person")
    purpose: str = Field("", description="the work it comes from, such as 'prose pass'")


class Patch(Value):
    """A change of words. Texts have plain line breaks; the file keeps its own."""

    number: int = Field(0, description="in its book; 0 until it is proposed")
    path: str = Field(description="the file, below the project")
    before: str = Field("", description="what stands before the words")
    old: str = Field("", description="the words as they stand; empty for an insertion")
    after: str = Field("", description="what stands after the words")
    new: str = Field("", description="the words instead; empty for a deletion")
    reason: str = ""
    issue: str = Field("", description="what is wrong, in a word or two")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the words of a patch stand in the exact text of a file."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unplaced:
    """The words of a patch have no place: they are `gone`, or stand there `twice` or more often."""

    reason: Reason
    times: int = 0

    def __str__(self) -> str:
        if self.reason == "gone":
            return "Its words no longer stand there."
        often = f"{self.times} times" if self.times < MOST_COUNTED else f"at least {MOST_COUNTED} times"
        return f"Its words stand there {often}, and nothing around them tells which are meant."


def patch_at(
    path: str, text: str, start: int, end: int, new: str, *, reason: str = "", issue: str = "", number: int = 0
) -> Patch:
    """A patch for a span of a text with plain line breaks, with as much context as tells it from its likes."""
    old, width = text[start:end], CONTEXT
    while width < WIDEST and len(_places(text, text[max(0, start - width) : end + width], most=2)) > 1:
        width *= 2
    before, after = text[max(0, start - width) : start], text[end : end + width]
    return Patch(number=number, path=path, before=before, old=old, after=after, new=new, reason=reason, issue=issue)


def quoted_patch(path: str, text: str, quote: str, new: str, *, reason: str = "", issue: str = "") -> Patch:
    """A patch for words as somebody else quotes them: marks and spaces may be typed otherwise than in the file.

    Words at either end that old and new share are left out of it. If the quotation has no single place, the patch has
    no context, and `locate` says what is wrong.
    """
    plain = plain_text(text).plain
    spans = typographic_spans(plain, quote, most=2)
    if len(spans) != 1:
        old = plain[slice(*spans[0])] if spans else quote
        return Patch(path=path, old=old, new=new, reason=reason, issue=issue)
    start, end = spans[0]
    lead, tail = shared_edges(plain[start:end], new)
    kept = new[lead : len(new) - tail]
    return patch_at(path, plain, start + lead, end - tail, kept, reason=reason, issue=issue)


def locate(patch: Patch, text: str) -> Place | Unplaced:
    """Where a patch belongs in the exact text of a file, whatever its line breaks."""
    found = plain_text(text)
    at = _located(patch, found.plain)
    if isinstance(at, Unplaced):
        return at
    return Place(found.exact(at), found.exact(at + len(patch.old)))


def places(patch: Patch, text: str) -> tuple[Place, ...]:
    """Every place where the words of a patch stand, in order, up to a limit."""
    found = plain_text(text)
    starts = _places(found.plain, patch.old, most=MOST_COUNTED) if patch.old else _insertions(patch, found)
    return tuple(Place(found.exact(start), found.exact(start + len(patch.old))) for start in starts)


def shared_edges(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts share at their beginnings and at their ends, in whole words."""
    most = min(len(old), len(new))
    lead = next((at for at in range(most) if old[at] != new[at]), most)
    lead = _word_start(old, new, lead)
    most -= lead
    tail = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    while tail and not (_parted(old, len(old) - tail) and _parted(new, len(new) - tail)):
        tail -= 1
    return lead, tail


def _word_start(old: str, new: str, at: int) -> int:
    while at and not (_parted(old, at) and _parted(new, at)):
        at -= 1
    return at


def _parted(text: str, at: int) -> bool:
    """Whether no word goes on over a place of a text."""
    return at in (0, len(text)) or not (text[at - 1].isalnum() and text[at].isalnum())


def _located(patch: Patch, text: str) -> int | Unplaced:
    """With all the context, then with less of it, then with one side of it, then by the words alone."""
    for width in _widths(patch, NARROWEST_GAP):
        before, after = _last(patch.before, width), patch.after[:width]
        found = [at + len(before) for at in _places(text, before + patch.old + after, most=MOST_COUNTED)]
        if len(found) > 1:
            found = _at_an_edge(patch, text, found)
        if len(found) == 1 and (before or after or not _has_context(patch)):
            return found[0]
        if found:
            break
    return _by_one_side(patch, text)


def _at_an_edge(patch: Patch, text: str, found: list[int]) -> list[int]:
    """The places at the beginning or end of the file, if the patch was made there; all of them if it was not."""
    if not _has_context(patch):
        return found
    size = len(patch.old)
    first = [at for at in found if at == len(patch.before) and len(patch.before) < max(CONTEXT, len(patch.after))]
    ends = len(text) - len(patch.after)
    last = [at for at in found if at + size == ends and len(patch.after) < max(CONTEXT, len(patch.before))]
    chosen = [at for at in first if at in last] if first and last else first or last
    return chosen or found


def _by_one_side(patch: Patch, text: str) -> int | Unplaced:
    """The place where the words stand with what is before or what is after them, or where they alone stand once."""
    least = NARROWER[-1] if patch.old else 2 * NARROWEST_GAP
    for width in _widths(patch, 2 * NARROWEST_GAP):
        before, after = _last(patch.before, width), patch.after[:width]
        left = _places(text, before + patch.old, most=2) if len(before) >= least else []
        right = _places(text, patch.old + after, most=2) if len(after) >= least else []
        sides = {at + len(before) for at in left if len(left) == 1} | {at for at in right if len(right) == 1}
        if len(sides) == 1:
            return sides.pop()
        if sides:
            break
    found = _places(text, patch.old, most=MOST_COUNTED)
    if len(found) == 1 and _is_distinct(patch.old):
        return found[0]
    if not patch.old and not _has_context(patch) and not text:
        return 0
    return Unplaced("twice", len(found)) if len(found) > 1 else Unplaced("gone")


def _widths(patch: Patch, narrowest_gap: int) -> list[int]:
    """The widths of context to try, all of it first."""
    whole = max(len(patch.before), len(patch.after))
    return [whole, *(width for width in NARROWER if width < whole and (patch.old or width >= narrowest_gap))]


def _last(text: str, width: int) -> str:
    return text[-width:] if width else ""


def _insertions(patch: Patch, text: PlainText) -> list[int]:
    at = _located(patch, text.plain)
    return [] if isinstance(at, Unplaced) else [at]


def _has_context(patch: Patch) -> bool:
    return bool(patch.before or patch.after)


def _is_distinct(old: str) -> bool:
    return len(old.split()) >= DISTINCT_WORDS


def _places(text: str, wanted: str, *, most: int) -> list[int]:
    """Where a string stands in a text, overlapping ones included, up to a limit."""
    found: list[int] = []
    at = text.find(wanted) if wanted else -1
    while at >= 0 and len(found) < most:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found
