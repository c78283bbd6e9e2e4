"""Whether two values can both be true of one thing. Words are compared as words, never as parts of words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.text.words import content, lexicon, words
from dramaturg.workshop.graph.predicates import DATES
from dramaturg.workshop.graph.story_time import compared

COLOURS = frozenset({"eye_colour", "hair_colour"})
SHARED = 0.5
"""The share of the shorter text's words that must be in the longer one for both to say the same."""
_NUMBER = re.compile(r"\d{1,4}")


def differs(predicate: str, one: str, other: str) -> bool:
    """Whether two values of a predicate cannot both be true; what cannot be told does not differ."""
    if " ".join(words(one)) == " ".join(words(other)):
        return False
    if predicate in COLOURS:
        return _colours_differ(one, other)
    if predicate in DATES:
        return bool(compared(one, other))
    if predicate == "age":
        return age_of(one) is not None and age_of(other) is not None and age_of(one) != age_of(other)
    return _texts_differ(one, other)


def age_of(value: str) -> int | None:
    """The years that an age names in digits; None if it names none, or several."""
    found = _NUMBER.findall(value)
    return whole_number(found[0]) if len(found) == 1 else None


def _colours_differ(one: str, other: str) -> bool:
    """Two colours differ if both are known and no row has a word of each: 'grey-blue' is not other than 'blue'."""
    mine, theirs = colours_in(one), colours_in(other)
    return bool(mine) and bool(theirs) and not mine & theirs


def colours_in(text: str) -> frozenset[int]:
    """The colours that a text names, as rows of the word list."""
    known = _colours()
    return frozenset(row for word in words(text) for row in known.get(word, ()))


@cache
def _colours() -> Mapping[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for number, row in enumerate(lexicon("colours", __package__)):
        for word in dict.fromkeys(row):
            found[word] = (*found.get(word, ()), number)
    return found


def _texts_differ(one: str, other: str) -> bool:
    mine, theirs = set(content(one)) or set(words(one)), set(content(other)) or set(words(other))
    fewer = min(len(mine), len(theirs))
    return fewer > 0 and len(mine & theirs) < SHARED * fewer


def same_content(one: str, other: str) -> bool:
    """Whether two texts say the same thing: nearly all words that bear meaning are those of the other."""
    mine, theirs = set(content(one)), set(content(other))
    return bool(mine and theirs) and len(mine & theirs) >= 0.75 * max(len(mine), len(theirs))
