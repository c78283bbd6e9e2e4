"""Regular expressions as keys, without their danger.

A key may be `/pattern/flags` as JavaScript writes it. Python's engine never sees it: twenty characters can keep that
engine busy for hours. RE2 searches instead, in time proportional to the text, whatever the pattern. What RE2 cannot do
(lookaround, backreferences) is refused by name. Its steps are counted, so that a thousand patterns come to an end.

For RE2 only ASCII makes words: its `\\b` finds a boundary inside "Café". So a text is marked before it is searched. A
word character beyond ASCII is put between two underscores, any other character beyond ASCII is put after `_OTHER`, and
an underscore becomes `_UNDERSCORE` between two underscores. RE2's `\\b` then sees words exactly where Python's `\\w`
sees them, and whatever a pattern reads is translated into its marked form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from dramaturg.characters.lorebook.work import StepBudget

if TYPE_CHECKING:
    import re2

MAX_LENGTH = 2000
MAX_GROUPS = 50
MAX_TIMES = 200
MAX_SIZE = 5000
"""Instructions of a compiled pattern. At worst, a search takes time proportional to their number."""
MAX_MEMORY = 1 << 19

_KEY = re.compile(r"/((?:[^/\\]|\\.)+)/([a-z]*)", re.DOTALL)
_FLAGS = frozenset("gimsuy")
_COUNTS = re.compile(r"\{(\d{1,4})(,(\d{0,4}))?\}")
_GROUP = re.compile(r"\?(?::|<[A-Za-z_]\w*>)")
_CODE = {"u": re.compile(r"\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4})"), "x": re.compile(r"()([0-9a-fA-F]{2})")}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "0": "\0"}

_UNDERSCORE, _OTHER = "\uffff", "\ufffe"
_WORD_LETTERS = re.compile(rf"(?:[^\W\x00-\x7f]|{_UNDERSCORE})+")
_OTHER_LETTERS = re.compile(r"[^\w\x00-\x7f]+")
_RESERVED = re.compile(f"[{_UNDERSCORE}{_OTHER}\ud800-\udfff]")
_NOTHING = r"[^\x00-\x{10ffff}]"
_ASCII = tuple(map(chr, range(128)))
_ALL = r"\x{80}-\x{10ffff}"
_SPACES = r"\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
_NO_SPACES = (
    r"\x{80}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}"
    r"\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}"
)


class UnusablePatternError(ValueError):
    """A pattern that is not one, or that asks for what is not supported. Never leaves the lorebooks."""


def pattern_of(key: str) -> tuple[str, str] | None:
    """Pattern and flags of a key of the form `/pattern/flags`; None for any other key."""
    found = _KEY.fullmatch(key.strip())
    if found is None or not set(found[2]) <= _FLAGS:
        return None
    return found[1].replace("\\/", "/"), found[2]


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: str = "") -> KeyPattern:
    """The pattern, ready to search. Raises UnusablePatternError."""
    return KeyPattern(pattern, flags)


class KeyPattern:
    """A JavaScript pattern, compiled for RE2."""

    def __init__(self, pattern: str, flags: str = "") -> None:
        if len(pattern) > MAX_LENGTH:
            raise UnusablePatternError(f"it is over {MAX_LENGTH} characters")
        self._engine = _engine(_Translation(pattern, flags).whole())

    def found_in(self, marked: bytes, steps: StepBudget) -> bool:
        """Whether it matches anywhere in a marked text. False, too, if the steps left are not enough.

        A search is charged one step for each instruction and byte, which RE2 seldom needs. A set of 600 ranges is
        at least 600 instructions.
        """
        return steps.take((len(marked) + 1) * self._engine.programsize) and self._engine.search(marked) is not None

    def count_in(self, marked: bytes, steps: StepBudget) -> int:
        """How often it matches in a marked text, without overlap; charged as `found_in` is, once for each match.

        Keep the text short: a search for the next match may read all that is left of it.
        """
        count, cost = 0, (len(marked) + 1) * self._engine.programsize
        for _ in self._engine.finditer(marked) if steps.take(cost) else ():
            count += 1
            if not steps.take(cost):
                break
        return count


def _engine(translated: str) -> re2._Regexp:
    import re2

    options = re2.Options()
    options.log_errors, options.never_capture, options.max_mem = False, True, MAX_MEMORY
    try:
        engine = re2.compile(translated.encode(), options)
    except re2.error as error:
        raise UnusablePatternError("it is too large") from error
    if engine.programsize > MAX_SIZE:
        raise UnusablePatternError("it is too large")
    return engine


def marked(text: str) -> bytes:
    """The marked form of a text, as patterns are searched in it."""
    if not text.isascii():
        text = _RESERVED.sub("\ufffd", text)
        text = _OTHER_LETTERS.sub(lambda run: _OTHER + _OTHER.join(run[0]), text)
    return _WORD_LETTERS.sub(lambda run: f"_{'__'.join(run[0])}_", text.replace("_", _UNDERSCORE)).encode()


@dataclass(slots=True)
class _Letters:
    """The characters that one atom of a pattern matches: ASCII, word characters beyond ASCII, others beyond ASCII.

    The last two are written as ranges, as inside the brackets of an RE2 set.
    """

    ascii: set[str] = field(default_factory=set)
    word: str = ""
    other: str = ""

    def add(self, more: _Letters) -> None:
        self.ascii |= more.ascii
        self.word += more.word
        self.other += more.other

    def add_range(self, first: str, last: str) -> None:
        self.ascii.update(map(chr, range(ord(first), min(ord(last), 0x7F) + 1)))
        for low, high in ((0x80, 0xD7FF), (0xE000, ord(_OTHER) - 1), (0x10000, 0x10FFFF)):
            low, high = max(low, ord(first)), min(high, ord(last))
            if low <= high:
                span = rf"\x{{{low:x}}}-\x{{{high:x}}}"
                self.word += span
                self.other += span

    def translated(self, any_case: bool, negated: bool = False) -> str:
        """The RE2 expression that matches one of these letters in a marked text."""
        plain = set(self.ascii)
        if any_case:
            plain |= {form for letter in self.ascii for form in (letter.lower(), letter.upper())}
        word = self.word + (rf"\x{{{ord(_UNDERSCORE):x}}}" if "_" in plain else "")
        plain = (set(_ASCII) - plain if negated else plain) - {"_"}
        codes = "".join(rf"\x{{{ord(letter):x}}}" for letter in sorted(plain))
        options = [f"[{codes}]"] if codes else []
        options += [f"_{beyond}_" for beyond in _beyond(word, any_case, negated)]
        options += [rf"\x{{{ord(_OTHER):x}}}{beyond}" for beyond in _beyond(self.other, any_case, negated)]
        return f"(?:{'|'.join(options or [_NOTHING])})"


def _beyond(ranges: str, any_case: bool, negated: bool) -> Iterator[str]:
    if negated:
        yield rf"(?i:[^{ranges}\x00-\x7f])" if any_case and ranges else rf"[^{ranges}\x00-\x7f]"
    elif ranges:
        yield f"(?i:[{ranges}])" if any_case else f"[{ranges}]"


def _letters(test: Callable[[str], bool], word: str = "", other: str = "") -> _Letters:
    return _Letters({letter for letter in _ASCII if test(letter)}, word, other)


_CLASSES = {
    "d": _letters(str.isdigit),
    "D": _letters(lambda one: not one.isdigit(), _ALL, _ALL),
    "w": _letters(lambda one: one.isalnum() or one == "_", _ALL),
    "W": _letters(lambda one: not (one.isalnum() or one == "_"), "", _ALL),
    "s": _letters(str.isspace, "", _SPACES),
    "S": _letters(lambda one: not one.isspace(), _ALL, _NO_SPACES),
}
_DOT = _letters(lambda one: one not in "\n\r", _ALL, r"\x{80}-\x{2027}\x{202a}-\x{10ffff}")
_DOT_ALL = _letters(lambda _: True, _ALL, _ALL)


class _Translation:
    """A JavaScript pattern, parsed from left to right and written for RE2."""

    def __init__(self, pattern: str, flags: str) -> None:
        self._pattern, self._place, self._groups = pattern, 0, 0
        self._any_case, self._dot = "i" in flags, _DOT_ALL if "s" in flags else _DOT
        self._anchor = "(?m:{})" if "m" in flags else "(?:{})"

    def whole(self) -> str:
        translated = self._alternatives()
        if self._place < len(self._pattern):
            raise UnusablePatternError(f"')' at {self._place + 1} closes nothing")
        return translated

    def _alternatives(self) -> str:
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        return "|".join(branches)

    def _sequence(self) -> str:
        parts: list[str] = []
        while self._place < len(self._pattern) and self._pattern[self._place] not in "|)":
            parts.append(self._atom() + self._times())
        return "".join(parts)

    def _times(self) -> str:
        """The quantifier of the atom before, if it has one. A lazy one finds the same texts; its mark is dropped."""
        counts = _COUNTS.match(self._pattern, self._place)
        if counts:
            self._place = counts.end()
            least, most = int(counts[1]), int(counts[3] or counts[1])
            if max(least, most) > MAX_TIMES or most < least:
                raise UnusablePatternError(f"{counts[0]} cannot be counted")
            times = counts[0]
        else:
            times = self._pattern[self._place : self._place + 1]
            if times not in ("*", "+", "?"):
                return ""
            self._place += 1
        self._take("?")
        if self._pattern[self._place : self._place + 1] in ("*", "+", "?"):
            raise UnusablePatternError(f"nothing to repeat at {self._place + 1}")
        return times

    def _atom(self) -> str:
        letter = self._next()
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._set()
        if letter == "\\":
            return self._escaped()
        if letter in "^$":
            return self._anchor.format(letter)
        if letter == ".":
            return self._dot.translated(any_case=False)
        if letter in "*+?":
            raise UnusablePatternError(f"nothing to repeat at {self._place}")
        return self._reading(letter)

    def _group(self) -> str:
        self._groups += 1
        if self._groups > MAX_GROUPS:
            raise UnusablePatternError(f"it has over {MAX_GROUPS} groups")
        mark = _GROUP.match(self._pattern, self._place)
        if mark:
            self._place = mark.end()
        elif self._take("?"):
            raise UnusablePatternError("it looks ahead or behind, which is not supported")
        within = self._alternatives()
        if not self._take(")"):
            raise UnusablePatternError("a group is never closed")
        return f"(?:{within})"

    def _escaped(self) -> str:
        letter = self._next()
        if letter in "bB":
            return rf"(?:\{letter})"
        if letter in "123456789k":
            raise UnusablePatternError("it repeats what a group matched, which is not supported")
        if letter in _CLASSES:
            return _CLASSES[letter].translated(any_case=False)
        return self._reading(self._literal(letter))

    def _literal(self, letter: str) -> str:
        """The character that an escape stands for."""
        code = _CODE[letter].match(self._pattern, self._place) if letter in _CODE else None
        if code:
            self._place = code.end()
            number = int(code[1] or code[2], 16)
            return chr(number) if number < 0x110000 else "\ufffd"
        if letter in "pP":
            raise UnusablePatternError(f"\\{letter} is not supported")
        return _CONTROLS.get(letter, letter)

    def _reading(self, letter: str) -> str:
        if letter.isascii():
            forms = {letter, letter.lower(), letter.upper()} if self._any_case else {letter}
            return _Letters(forms).translated(any_case=False)
        letters = _Letters()
        letters.add_range(letter, letter)
        if letter.isalnum():
            letters.other = ""
        else:
            letters.word = ""
        return letters.translated(self._any_case)

    def _set(self) -> str:
        negated = self._take("^")
        letters = _Letters()
        while not self._take("]"):
            first = self._member(letters)
            if first is None:
                continue
            last: str | None = first
            if self._pattern[self._place : self._place + 1] == "-" and self._pattern[self._place + 1 :][:1] not in "]":
                self._place += 1
                last = self._member(letters)
            if last is None or last < first:
                raise UnusablePatternError(f"a range in the set before {self._place + 1} makes no sense")
            letters.add_range(first, last)
        return letters.translated(self._any_case, negated)

    def _member(self, letters: _Letters) -> str | None:
        """The next character of a set; None if it was a class, which joins the letters."""
        letter = self._next()
        if letter != "\\":
            return letter
        letter = self._next()
        if letter == "b":
            return "\b"
        if letter not in _CLASSES:
            return self._literal(letter)
        letters.add(_CLASSES[letter])
        return None

    def _next(self) -> str:
        if self._place >= len(self._pattern):
            raise UnusablePatternError("it breaks off")
        self._place += 1
        return self._pattern[self._place - 1]

    def _take(self, mark: str) -> bool:
        taken = self._pattern.startswith(mark, self._place)
        self._place += len(mark) if taken else 0
        return taken
