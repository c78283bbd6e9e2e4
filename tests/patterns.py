"""Regular expressions whose work grows faster than the text: found by reading them, not by timing them.

A pattern becomes an automaton whose states are its characters. Two unbounded parts can divide the same text between
them in more than one way if some word leads the first back to itself, the second back to itself, and the first to the
second; a failing match then tries every division. A search is a match behind an unbounded part that takes anything.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as grammar  # type: ignore[attr-defined]
from typing import Any

SEARCHES = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
UNBOUNDED = 1000
"""A repeat with a higher limit counts as unbounded."""
MANY = 12
"""A repeat with a limit from here on is too long to be read in two ways at each of its characters."""
MOST_NODES = 60_000
_SAMPLES = "\0\t\n\r\x1c !\"'()*+,-./0:;<=>?@A[\\]^_`a{|}~\x85é–—…“”‘’「」字🙂"
_CATEGORIES: dict[object, Callable[[str], bool]] = {
    code.CATEGORY_DIGIT: str.isdecimal,
    code.CATEGORY_SPACE: str.isspace,
    code.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    code.CATEGORY_NOT_DIGIT: lambda char: not char.isdecimal(),
    code.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    code.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}
_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)


@dataclass(frozen=True, slots=True)
class _Edge:
    """A way from one state to another without a character: which one must come before it, and which after it."""

    to: int
    before: int
    after: int
    is_end: bool = False


@dataclass(slots=True)
class _Automaton:
    flags: int
    chars: str
    edges: list[list[_Edge]] = field(default_factory=list)
    reads: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The states that read a character: which ones, as bits, and the state behind."""
    atomic: dict[int, frozenset[int]] = field(default_factory=dict)
    """The groups around a reading state that give nothing back once they have matched."""
    within: tuple[int, ...] = ()
    most: int = UNBOUNDED

    @property
    def every(self) -> int:
        return (1 << len(self.chars)) - 1

    def state(self) -> int:
        self.edges.append([])
        return len(self.edges) - 1

    def link(self, source: int, to: int, before: int = -1, after: int = -1, is_end: bool = False) -> None:
        self.edges[source].append(_Edge(to, before, after, is_end))

    def mask(self, accepts: Callable[[str], bool]) -> int:
        fold = bool(self.flags & re.IGNORECASE)
        return sum(
            1 << place
            for place, char in enumerate(self.chars)
            if accepts(char) or (fold and (accepts(char.lower()[:1]) or accepts(char.upper()[:1])))
        )

    def read(self, source: int, mask: int) -> int:
        reader, behind = self.state(), self.state()
        self.link(source, reader)
        self.reads[reader] = (mask, behind)
        self.atomic[reader] = frozenset(self.within)
        return behind

    def sequence(self, items: Iterable[Any], start: int) -> int:
        for kind, value in items:
            start = self.part(kind, value, start)
        return start

    def part(self, kind: object, value: Any, start: int) -> int:
        if kind in _REPEATS:
            return self.repeat(kind, value, start)
        if kind is code.BRANCH:
            return self.choice(value[1], start)
        if kind is code.SUBPATTERN:
            return self.sequence(value[3], start)
        if kind is code.ATOMIC_GROUP:
            return self.closed(lambda: self.sequence(value, start))
        if kind is code.AT:
            return self.position(value, start)
        if kind in (code.ASSERT, code.ASSERT_NOT):
            return self.assertion(kind is code.ASSERT_NOT, value, start)
        if kind is code.GROUPREF_EXISTS:
            return self.choice([value[1], value[2] or []], start)
        return self.read(start, self.characters(kind, value))

    def characters(self, kind: object, value: Any) -> int:
        if kind is code.LITERAL:
            return self.mask(lambda char: ord(char) == value if char else False)
        if kind is code.NOT_LITERAL:
            return self.every & ~self.mask(lambda char: ord(char) == value if char else False)
        if kind is code.ANY:
            return self.every if self.flags & re.DOTALL else self.mask(lambda char: char != "\n")
        if kind is code.IN:
            found = self.mask(lambda char: bool(char) and any(_holds(one, char) for one in value))
            return self.every & ~found if value[0][0] is code.NEGATE else found
        return self.every

    def repeat(self, kind: object, value: tuple[int, int, Any], start: int) -> int:
        least, most, items = value
        if kind is code.POSSESSIVE_REPEAT:
            return self.closed(lambda: self.repeat(code.MAX_REPEAT, value, start))
        for _ in range(min(least, 2)):
            start = self.sequence(items, start)
        if most is code.MAXREPEAT or most > self.most:
            head, out = self.state(), self.state()
            self.link(start, head)
            self.link(head, out)
            self.link(self.sequence(items, head), head)
            return out
        out = self.state()
        for _ in range(min(most - least, 2)):
            self.link(start, out)
            start = self.sequence(items, start)
        self.link(start, out)
        return out

    def choice(self, branches: Iterable[Any], start: int) -> int:
        out = self.state()
        for branch in branches:
            self.link(self.sequence(branch, start), out)
        return out

    def closed(self, build: Callable[[], int]) -> int:
        before = self.within
        self.within = (*before, len(self.edges))
        end = build()
        self.within = before
        return end

    def position(self, value: object, start: int) -> int:
        out, newline = self.state(), self.mask(lambda char: char == "\n")
        word = self.mask(_CATEGORIES[code.CATEGORY_WORD])
        other = self.every & ~word
        multiline = bool(self.flags & re.MULTILINE)
        if value is code.AT_BOUNDARY:
            self.link(start, out, word, other)
            self.link(start, out, other, word)
        elif value is code.AT_NON_BOUNDARY:
            self.link(start, out, word, word)
            self.link(start, out, other, other)
        elif value is code.AT_END:
            self.link(start, out, after=newline, is_end=True)
        elif value is code.AT_END_STRING:
            self.link(start, out, after=0, is_end=True)
        else:
            self.link(start, out, before=newline if value is code.AT_BEGINNING and multiline else 0)
        return out

    def assertion(self, negative: bool, value: tuple[int, Any], start: int) -> int:
        direction, items = value
        single = self.characters(*items[0]) if len(items) == 1 and _is_character(items[0]) else None
        if single is not None and negative:
            single = self.every & ~single
        out = self.state()
        if single is None:
            if direction > 0:
                self.sequence(items, start)  # Its own work counts, from every place where it is tried.
            self.link(start, out)
        elif direction < 0:
            self.link(start, out, before=single)
        else:
            self.link(start, out, after=single, is_end=negative)
        return out


def _holds(one: tuple[object, Any], char: str) -> bool:
    kind, value = one
    if kind is code.LITERAL:
        return ord(char) == value
    if kind is code.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    return kind is code.CATEGORY and _CATEGORIES[value](char)


def _is_character(item: tuple[object, Any]) -> bool:
    return item[0] in (code.LITERAL, code.NOT_LITERAL, code.IN, code.ANY)


def _alphabet(items: Iterable[Any]) -> Iterator[int]:
    """The characters on both sides of every border that a pattern draws."""
    for item in items:
        if isinstance(item, tuple) and len(item) == 2 and item[0] in (code.LITERAL, code.NOT_LITERAL):
            yield from (item[1] - 1, item[1], item[1] + 1)
        elif isinstance(item, tuple) and len(item) == 2 and item[0] is code.RANGE:
            yield from (item[1][0] - 1, item[1][0], item[1][1], item[1][1] + 1)
        elif isinstance(item, tuple | list | grammar.SubPattern):
            yield from _alphabet(item)


class _Ways:
    """What may follow each character of a pattern: (next, what must be read here, what must be read there)."""

    def __init__(self, automaton: _Automaton, start: int, accept: int) -> None:
        self._automaton, self._accept = automaton, accept
        self.states = sorted(automaton.reads)
        self.masks = {state: automaton.reads[state][0] for state in self.states}
        self.following: dict[int, list[tuple[int, int, int]]] = {}
        self.accepts: dict[int, bool] = {}
        """Whether the pattern is satisfied once this character is read."""
        self.doubled: list[tuple[int, int]] = []
        for state in self.states:
            ways: list[tuple[int, int, int]] = []
            self.accepts[state] = self._follow(automaton.reads[state][1], -1, -1, frozenset(), ways, state)
            self.following[state] = ways
            once = {way[0] for way in ways}
            self.doubled += [(state, to) for to in once if _ambiguous([way for way in ways if way[0] == to])]

    def _follow(
        self, at: int, before: int, after: int, seen: frozenset[int], ways: list[tuple[int, int, int]], origin: int
    ) -> bool:
        accepted = False
        if at == self._accept:
            return True
        if at in self._automaton.reads:
            if before & self.masks[origin] and after & self.masks[at]:
                ways.append((at, before & self.masks[origin], after & self.masks[at]))
            return False
        for edge in self._automaton.edges[at]:
            if edge.to in seen or len(ways) > 400:
                continue
            satisfied = self._follow(edge.to, before & edge.before, after & edge.after, seen | {at}, ways, origin)
            free = edge.before == -1 and edge.after == -1
            everything = edge.is_end and edge.before == -1 and self.masks[origin] == self._automaton.every
            accepted |= satisfied and (free or everything)
        return accepted

    def reachable(self, start: int) -> set[int]:
        found: set[int] = set()
        new = [start]
        while new:
            for to, _, _ in self.following[new.pop()]:
                if to not in found:
                    found.add(to)
                    new.append(to)
        return found


def _ambiguous(ways: list[tuple[int, int, int]]) -> bool:
    return any(one[1] & two[1] and one[2] & two[2] for place, one in enumerate(ways) for two in ways[place + 1 :])


def grows(pattern: str, flags: int = 0, use: str = "search") -> bool:
    """Whether a failing `use` of the pattern can cost more than a constant for each character of the text."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        return _grows(pattern, flags, use) or _grows(pattern, flags, use, bounded=True)
    finally:
        sys.setrecursionlimit(limit)


def _grows(pattern: str, flags: int, use: str, *, bounded: bool = False) -> bool:
    """Whether it grows; with `bounded`, whether repeats that have an end double their work with each character."""
    tree = grammar.parse(pattern, flags)
    flags = tree.state.flags
    points = {point for point in _alphabet(tree) if 0 <= point < sys.maxunicode}
    chars = "".join(sorted(set(_SAMPLES) | set(map(chr, points))))
    automaton = _Automaton(flags, chars, most=MANY if bounded else UNBOUNDED)
    start = automaton.state()
    search = None
    if use in SEARCHES:
        head = automaton.state()
        automaton.link(start, head)
        automaton.link(automaton.read(head, automaton.every), head)
        search = max(automaton.reads)
        start = head
    accept = automaton.sequence(tree, start)
    if use == "fullmatch":
        accept = automaton.position(code.AT_END_STRING, accept)
    ways = _Ways(automaton, start, accept)
    _merge_characters(automaton, ways)
    near = {state: ways.reachable(state) for state in ways.states}
    loops = [state for state in ways.states if state in near[state]]
    for state, to in ways.doubled:
        if state in near[to] and not ways.accepts[state]:
            return True
    for first in loops:
        for second in loops:
            if first == second or second not in near[first] or ways.accepts[second] or second == search:
                continue
            if automaton.atomic[first] - automaton.atomic[second] or (bounded and first not in near[second]):
                continue
            if _shares(ways, near, first, second):
                return True
    return False


def _merge_characters(automaton: _Automaton, ways: _Ways) -> None:
    """Keeps one of the characters that the pattern does not tell apart."""
    masks = {mask for each in ways.following.values() for way in each for mask in way[1:]} | set(ways.masks.values())
    kept, known = 0, set()
    for place in range(len(automaton.chars)):
        kind = tuple(mask >> place & 1 for mask in masks)
        if kind not in known:
            known.add(kind)
            kept |= 1 << place
    ways.masks = {state: mask & kept for state, mask in ways.masks.items()}
    ways.following = {
        state: [(to, before & kept, after & kept) for to, before, after in each]
        for state, each in ways.following.items()
    }


def _shares(ways: _Ways, near: dict[int, set[int]], first: int, second: int) -> bool:
    """Whether a word leads `first` to itself, `second` to itself and `first` to `second`, and satisfies nothing."""
    both = ways.masks[first] & ways.masks[second]
    for last in _bits(both):
        goal = (first, second, second)
        begin = (first, first, second, last, frozenset({second}))
        seen, new = {begin}, [begin]
        while new:
            one, two, three, char, reached = new.pop()
            for node in _steps(ways, near, (one, two, three), char, reached, (first, second)):
                if node[:3] == goal and node[3] == last:
                    return True
                if node not in seen:
                    seen.add(node)
                    new.append(node)
            if len(seen) > MOST_NODES:
                return True
    return False


_Node = tuple[int, int, int, int, frozenset[int]]


def _steps(
    ways: _Ways,
    near: dict[int, set[int]],
    places: tuple[int, int, int],
    char: int,
    reached: frozenset[int],
    pair: tuple[int, int],
) -> Iterator[_Node]:
    first, second = pair
    here = 1 << char

    def onward(state: int, goal: int) -> list[tuple[int, int]]:
        return [
            (to, after)
            for to, before, after in ways.following[state]
            if before & here and (to == goal or goal in near[to])
        ]

    for one, mask_one in onward(places[0], first):
        for three, mask_three in onward(places[2], second):
            if not mask_one & mask_three:
                continue
            for two, mask_two in onward(places[1], second):
                for char_next in _bits(mask_one & mask_two & mask_three):
                    onto = frozenset(
                        to
                        for state in reached
                        for to, before, after in ways.following[state]
                        if before & here and after >> char_next & 1
                    )
                    if not any(ways.accepts[state] for state in onto):
                        yield one, two, three, char_next, onto


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
