"""What lies where in an answer: its tags, what of it is quotation or comment, and which parts are reasoning.

Everything is found in one pass over the tags. `boundaries` are the closing tags of reasoning that nothing opened:
whatever stands before one of them is reasoning.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping

from dramaturg.workshop.foreman.answer_parts import KnownActions
from dramaturg.workshop.foreman.examples import examples_in
from dramaturg.workshop.foreman.tags import MESSAGE, THINKING, UPDATE, Tag, same_reasoning, tags_of

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.S)
COMMENT = ("<!--", "-->")
_FAR = 1 << 62


class AnswerLayout:
    """The tags of an answer that count, in order, and what belongs together."""

    def __init__(self, text: str, known: KnownActions) -> None:
        self.text = text
        found = list(tags_of(text))
        self.examples = examples_in(text, found, known)
        pairs = _reasoning_pairs(tag for tag in found if not _holds(self.examples, tag.start))
        comments, self.open_comment = _comments(text, _outermost(pairs))
        self.comments = _merged(comments, self.examples)
        self.tags = [tag for tag in found if not _holds(self.comments, tag.start)]
        self.starts = [tag.start for tag in self.tags]
        self.quoted: set[int] = set()
        self.thoughts: dict[int, Tag] = {}
        self.boundaries: list[Tag] = []
        self._ends: dict[str, list[int]] = {}
        self._find_quotations(pairs)
        for place, tag in enumerate(self.tags):
            if tag.close and tag.start not in self.quoted:
                self._ends.setdefault(tag.name, []).append(place)
        self._prose_ends = sorted(one for name in UPDATE for one in self._ends.get(name, []))
        self._thought_ends = sorted(one for name in THINKING for one in self._ends.get(name, []))
        self._openings = [at for at, tag in enumerate(self.tags) if tag.opens and tag.name in MESSAGE | UPDATE]
        self._messages = [tag.start for tag in self.tags if tag.opens and tag.name in MESSAGE]
        self._find_reasoning()

    def index_at(self, at: int) -> int:
        """The place in `tags` of the first one that begins there or later."""
        return bisect_left(self.starts, at)

    def closing(self, names: Collection[str], at: int, limit: int) -> Tag | None:
        """The next tag that closes one of these names, before a limit."""
        here = self.index_at(at)
        places = []
        for name in set(names):
            ends = self._ends.get(name, [])
            if (next_one := bisect_left(ends, here)) < len(ends):
                places.append(ends[next_one])
        found = self.tags[min(places)] if places else None
        return found if found is not None and found.start < limit else None

    def message_after(self, at: int) -> int:
        """Where the next message begins; the end of the text if none does."""
        place = bisect_left(self._messages, at)
        return self._messages[place] if place < len(self._messages) else len(self.text)

    def comment_at(self, start: int, end: int) -> tuple[int, int] | None:
        """The first comment, or example, that begins between two places."""
        place = bisect_left(self.comments, (start, 0))
        found = self.comments[place] if place < len(self.comments) else None
        return found if found is not None and found[0] < end else None

    def _find_quotations(self, pairs: Mapping[int, Tag]) -> None:
        """The tags inside code: in a message all of them, elsewhere those that stand alone between backticks.

        Inside closed reasoning (`pairs`) nothing is quoted.
        """
        text, coded = self.text, 0
        ends = [tag.start for tag in self.tags if tag.close and tag.name in MESSAGE and not self._is_ticked(tag)]
        in_message, spans, thought = False, list[tuple[int, int]](), 0
        for tag in self.tags:
            if tag.start < thought:
                continue
            if self._is_ticked(tag) or (in_message and _holds(spans, tag.start)):
                self.quoted.add(tag.start)
            elif tag.start in pairs:
                thought = pairs[tag.start].end
            elif tag.name in MESSAGE and not tag.empty:
                in_message = not tag.close
                if in_message and tag.end >= coded:
                    place = bisect_left(ends, tag.end)
                    coded = ends[place] if place < len(ends) else len(text)
                    spans = [code.span() for code in _CODE.finditer(text, tag.end, coded)]

    def _is_ticked(self, tag: Tag) -> bool:
        before = self.text[max(0, tag.start - 2) : tag.start]
        return before.endswith("`") and before != "``" and self.text[tag.end : tag.end + 1] == "`"

    def _find_reasoning(self) -> None:
        pairs = _reasoning_pairs(tag for tag in self.tags if tag.start not in self.quoted)
        place = 0
        while place < len(self.tags):
            tag = self.tags[place]
            place += 1
            if tag.start in self.quoted or tag.empty:
                continue
            if tag.start in pairs:
                self.thoughts[tag.start] = pairs[tag.start]
                place = max(place, self.index_at(pairs[tag.start].end))
            elif tag.name in THINKING and tag.close:
                self.boundaries.append(tag)
            elif tag.name in UPDATE and tag.opens:
                place = self._after_prose(place)

    def _after_prose(self, place: int) -> int:
        """Where to continue after the opening tag of a file's prose: tags inside closed prose are its words.

        Not so where reasoning ends inside it and the answer begins: then the prose was only weighed.
        """
        end = _next(self._prose_ends, place)
        if end is None:
            return place
        stop = _next(self._thought_ends, place)
        answer = _next(self._openings, stop) if stop is not None and stop < end else None
        return place if answer is not None and answer < end else end + 1


def _reasoning_pairs(tags: Iterable[Tag]) -> dict[int, Tag]:
    """The ends of closed reasoning, by where it begins, as `OpenThoughts` has them."""
    pairs: dict[int, Tag] = {}
    opened: dict[frozenset[str], list[Tag]] = {}
    for tag in tags:
        if tag.name not in THINKING or tag.empty:
            continue
        same = opened.setdefault(same_reasoning(tag.name), [])
        inside = next((place for place, one in enumerate(same) if one.name == tag.name), None)
        if not tag.close:
            same.extend([tag] if inside is None else [])
        elif same:
            pairs[same[inside or 0].start] = tag
            del same[inside or 0 :]
    return pairs


def _outermost(pairs: Mapping[int, Tag]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, tag in sorted(pairs.items(), key=lambda pair: pair[0]):
        if not spans or start >= spans[-1][1]:
            spans.append((start, tag.end))
    return spans


def _comments(text: str, reasoning: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], int | None]:
    """The comments outside reasoning, and where one begins that is never closed."""
    found: list[tuple[int, int]] = []
    at = 0
    while (start := text.find(COMMENT[0], at)) >= 0:
        place = bisect_right(reasoning, (start, len(text))) - 1
        if place >= 0 and start < reasoning[place][1]:
            at = reasoning[place][1]
            continue
        if text[start - 1 : start] == "`":
            at = start + len(COMMENT[0])
            continue
        end = text.find(COMMENT[1], start + len(COMMENT[0]))
        if end < 0:
            return found, start
        found.append((start, end + len(COMMENT[1])))
        at = end + len(COMMENT[1])
    return found, None


def _merged(comments: list[tuple[int, int]], examples: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Both in order; what begins in another is part of it."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted((*comments, *examples)) if examples else comments:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _next(places: list[int], at: int) -> int | None:
    """The first of the places, which are in order, that is not before another."""
    found = bisect_left(places, at)
    return places[found] if found < len(places) else None


def _holds(spans: list[tuple[int, int]], at: int) -> bool:
    """Whether one of the spans, which are in order, contains a place."""
    place = bisect_right(spans, (at, _FAR)) - 1
    return place >= 0 and at < spans[place][1]
