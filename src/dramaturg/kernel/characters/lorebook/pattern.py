"""Regular expressions as keys, without their danger.

A key may be `/pattern/flags` as JavaScript has it. It is not given to Python's engine, which can be kept busy for
hours by twenty characters; it becomes an automaton that reads a text once, from left to right, whatever the
pattern. What an automaton cannot do (looking around, repeating what a group held) is refused by name.
The work is counted, so that a thousand patterns have an end as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

MAX_STATES = 800
MAX_LENGTH = 2000
MAX_GROUPS = 50
MAX_TIMES = 200
WORK = 1_500_000
"""Steps that all patterns of one scan may take together: some two seconds at the very worst."""

_MOVES_KEPT = 2000
_KEY = re.compile(r"/((?:[^/\\]|\\.)+)/([a-z]*)", re.DOTALL)
_FLAGS = frozenset("gimsuy")
_COUNTS = re.compile(r"\{(\d{1,4})(,(\d{0,4}))?\}")
_DIGITS = {
    "u": re.compile(r"\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4})"),
    "x": re.compile(r"(?!)()|([0-9a-fA-F]{2})"),
}
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "0": "\0"}


class UnusablePatternError(ValueError):
    """A pattern that is none, or asks for what is not done here. Never leaves the lorebooks."""


@dataclass(slots=True)
class Work:
    """The steps that are left to a scan."""

    left: int = WORK

    @property
    def is_spent(self) -> bool:
        return self.left <= 0


_Test: TypeAlias = Callable[[str], bool]


@dataclass(slots=True)
class _State:
    """One state of the automaton: it reads a letter, holds a condition, or just leads on."""

    test: _Test | None = None
    condition: str = ""
    out: list[int] = field(default_factory=list)


def pattern_of(key: str) -> tuple[str, str] | None:
    """Pattern and flags of a key of the form `/pattern/flags`; None for any other key."""
    found = _KEY.fullmatch(key.strip())
    if found is None or not set(found[2]) <= _FLAGS:
        return None
    return found[1].replace("\\/", "/"), found[2]


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: str = "") -> Pattern:
    """The automaton of a pattern. Raises UnusablePatternError."""
    return Pattern(pattern, flags)


class Pattern:
    """A pattern that looks for itself in a text in one pass."""

    def __init__(self, pattern: str, flags: str = "") -> None:
        if len(pattern) > MAX_LENGTH:
            raise UnusablePatternError(f"it is over {MAX_LENGTH} characters")
        builder = _Builder(pattern, flags)
        self._states = builder.states
        self._start, self._end = builder.whole()
        self._lines = "m" in flags
        self._moves: dict[tuple[frozenset[int], str, str], frozenset[int] | None] = {}

    def found_in(self, text: str, work: Work) -> bool:
        """Whether it matches anywhere. False, too, once the work is spent."""
        current: frozenset[int] = frozenset((self._start,))
        before = ""
        for letter in text:
            work.left -= 1
            if work.left <= 0:
                return False
            following = self._moved(current, before, letter, work)
            if following is None:
                return True
            current, before = following, letter
        return self._end in self._reached(current, before, "", work)

    def _moved(self, current: frozenset[int], before: str, letter: str, work: Work) -> frozenset[int] | None:
        """Where a letter leads from here; None where a match is complete before it."""
        move = (current, _sort(before), letter)
        if move not in self._moves:
            if len(self._moves) >= _MOVES_KEPT:
                self._moves.clear()
            reached = self._reached(current, before, letter, work)
            if self._end in reached:
                self._moves[move] = None
            else:
                states = (self._states[one] for one in reached)
                after = {out for state in states if state.test and state.test(letter) for out in state.out}
                self._moves[move] = frozenset(after | {self._start})
        return self._moves[move]

    def _reached(self, current: Iterable[int], before: str, after: str, work: Work) -> set[int]:
        """All states that can be reached without reading, between these two letters."""
        reached: set[int] = set()
        waiting = list(current)
        while waiting:
            one = waiting.pop()
            if one in reached:
                continue
            reached.add(one)
            state = self._states[one]
            if state.test is None and _holds(state.condition, before, after, self._lines):
                waiting.extend(state.out)
        work.left -= len(reached)
        return reached


def _sort(letter: str) -> str:
    """All that a condition can ask of the letter before."""
    return "" if not letter else "\n" if letter == "\n" else "w" if _is_word(letter) else "."


def _holds(condition: str, before: str, after: str, lines: bool) -> bool:
    if not condition:
        return True
    if condition == "^":
        return not before or (lines and before == "\n")
    if condition == "$":
        return not after or (lines and after == "\n")
    return (_is_word(before) != _is_word(after)) == (condition == "b")


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


class _Builder:
    """Reads a pattern and builds its states, each part as an entry and an exit."""

    def __init__(self, pattern: str, flags: str) -> None:
        self.states: list[_State] = []
        self._pattern, self._place, self._groups = pattern, 0, 0
        self._any_case, self._dot_all = "i" in flags, "s" in flags

    def whole(self) -> tuple[int, int]:
        part = self._either()
        if self._place < len(self._pattern):
            raise UnusablePatternError(f"')' at {self._place + 1} closes nothing")
        return part

    def _either(self) -> tuple[int, int]:
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        if len(branches) == 1:
            return branches[0]
        end = self._state()
        for _, last in branches:
            self.states[last].out.append(end)
        return self._state(out=[first for first, _ in branches]), end

    def _sequence(self) -> tuple[int, int]:
        first = last = self._state()
        while self._place < len(self._pattern) and self._pattern[self._place] not in "|)":
            start, end = self._repeated()
            self.states[last].out.append(start)
            last = end
        return first, last

    def _repeated(self) -> tuple[int, int]:
        start = self._place
        part = self._atom()
        after, groups = self._place, self._groups
        least, most = self._times()
        if (least, most) == (1, 1):
            return part
        rest = self._place
        first = last = self._state()
        copies = max(least, 1 if most is None else most)
        for copy in range(copies):
            if copy:
                self._place = start
                part = self._atom()
                self._groups = groups
            entry, leaving = part
            self.states[last].out.append(entry)
            end = self._state()
            self.states[leaving].out.append(end)
            if copy >= least:
                self.states[last].out.append(end)
            if most is None and copy == copies - 1:
                self.states[leaving].out.append(entry)
            last = end
        if copies == 0:
            last = self._state()
            self.states[first].out.append(last)
        self._place = max(rest, after)
        return first, last

    def _times(self) -> tuple[int, int | None]:
        """How often the part before is meant, and the mark of thrift after it, which changes no match."""
        counts = _COUNTS.match(self._pattern, self._place)
        times: tuple[int, int | None] = (1, 1)
        if counts:
            self._place = counts.end()
            least = int(counts[1])
            times = (least, least if not counts[2] else int(counts[3]) if counts[3] else None)
            if max(least, times[1] or 0) > MAX_TIMES or (times[1] is not None and times[1] < least):
                raise UnusablePatternError(f"{counts[0]} cannot be counted")
        else:
            mark = self._pattern[self._place : self._place + 1]
            known: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
            if mark not in known:
                return times
            self._place += 1
            times = known[mark]
        self._take("?")
        if self._pattern[self._place : self._place + 1] in ("*", "+", "?"):
            raise UnusablePatternError(f"nothing to repeat at {self._place + 1}")
        return times

    def _atom(self) -> tuple[int, int]:
        letter = self._pattern[self._place]
        self._place += 1
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._reading(self._set())
        if letter == "\\":
            return self._escaped()
        if letter in "^$":
            return self._condition(letter)
        if letter == ".":
            return self._reading((lambda _: True) if self._dot_all else (lambda one: one not in "\n\r\u2028\u2029"))
        if letter in "*+?":
            raise UnusablePatternError(f"nothing to repeat at {self._place}")
        return self._reading(self._letter(letter))

    def _group(self) -> tuple[int, int]:
        self._groups += 1
        if self._groups > MAX_GROUPS:
            raise UnusablePatternError(f"it has over {MAX_GROUPS} groups")
        if self._take("?"):
            named = re.compile(r"<[A-Za-z_]\w*>").match(self._pattern, self._place)
            if named:
                self._place = named.end()
            elif not self._take(":"):
                raise UnusablePatternError("it looks ahead or behind, which is not done here")
        part = self._either()
        if not self._take(")"):
            raise UnusablePatternError("a group is never closed")
        return part

    def _escaped(self) -> tuple[int, int]:
        letter = self._next()
        if letter in "bB":
            return self._condition(letter)
        if letter in "123456789k":
            raise UnusablePatternError("it repeats what a group held, which is not done here")
        return self._reading(self._class(letter) or self._letter(self._literal(letter)))

    def _literal(self, letter: str) -> str:
        if letter in "ux":
            digits = _DIGITS[letter].match(self._pattern, self._place)
            if digits:
                self._place = digits.end()
                code = int(digits[1] or digits[2], 16)
                return chr(code) if code < 0x110000 else "\ufffd"
        if letter in "pP":
            raise UnusablePatternError(f"\\{letter} is not done here")
        return _SIMPLE.get(letter, letter)

    def _class(self, letter: str) -> _Test | None:
        tests: dict[str, _Test] = {"d": lambda one: one in "0123456789", "w": _is_word, "s": str.isspace}
        test = tests.get(letter.lower()) if letter in "dDwWsS" else None
        return (lambda one: not test(one)) if test and letter.isupper() else test

    def _letter(self, letter: str) -> _Test:
        if self._any_case:
            forms = {letter, letter.lower(), letter.upper()}
            return lambda one: one in forms
        return lambda one: one == letter

    def _set(self) -> _Test:
        negated = self._take("^")
        tests: list[_Test] = []
        ranges: list[tuple[str, str]] = []
        while not self._take("]"):
            first = self._set_letter(tests)
            if first is None:
                continue
            last: str | None = first
            if self._pattern[self._place : self._place + 1] == "-" and self._pattern[self._place + 1 :][:1] not in (
                "]",
                "",
            ):
                self._place += 1
                last = self._set_letter(tests)
            if last is None or last < first:
                raise UnusablePatternError(f"a range in the set before {self._place + 1} makes no sense")
            ranges.append((first, last))
        return self._in_set(tuple(tests), tuple(ranges), negated)

    def _set_letter(self, tests: list[_Test]) -> str | None:
        """The next letter of a set; None where it was a class, which goes to the tests."""
        letter = self._next()
        if letter != "\\":
            return letter
        letter = self._next()
        if letter == "b":
            return "\b"
        test = self._class(letter)
        if test is None:
            return self._literal(letter)
        tests.append(test)
        return None

    def _in_set(self, tests: tuple[_Test, ...], ranges: tuple[tuple[str, str], ...], negated: bool) -> _Test:
        def within(letter: str) -> bool:
            return any(first <= letter <= last for first, last in ranges) or any(test(letter) for test in tests)

        if not self._any_case:
            return lambda one: within(one) != negated
        return lambda one: (within(one) or within(one.lower()) or within(one.upper())) != negated

    def _reading(self, test: _Test) -> tuple[int, int]:
        end = self._state()
        return self._state(test=test, out=[end]), end

    def _condition(self, condition: str) -> tuple[int, int]:
        end = self._state()
        return self._state(condition=condition, out=[end]), end

    def _state(self, test: _Test | None = None, condition: str = "", out: list[int] | None = None) -> int:
        if len(self.states) >= MAX_STATES:
            raise UnusablePatternError("it is too large")
        self.states.append(_State(test, condition, out or []))
        return len(self.states) - 1

    def _next(self) -> str:
        if self._place >= len(self._pattern):
            raise UnusablePatternError("it breaks off")
        self._place += 1
        return self._pattern[self._place - 1]

    def _take(self, mark: str) -> bool:
        taken = self._pattern.startswith(mark, self._place)
        self._place += len(mark) if taken else 0
        return taken
