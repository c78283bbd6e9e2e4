"""The language of a goal or a line, as far as its small words and its verb tell it, and deeds in other languages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from dramaturg.scenes.director.deed import fold
from dramaturg.scenes.director.negation import split_words
from dramaturg.scenes.director.tables import lexicon

_SCRIPTS = {
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "zh": re.compile(r"[\u3400-\u9fff]"),
}
_KIN = frozenset(("sv", "nb"))
_TELLING = 2
"""A line says in so many words what language it is in; one may be borrowed."""
_LEAD = 4
"""The verb of a goal stands among so many words."""


def are_foreign(goal: str, line: str) -> bool:
    """Whether a line is in another language than a goal. Where one of them tells nothing, it is not."""
    one, other = languages_of(goal, 1), languages_of(line)
    return bool(one and other) and not one & other and not one | other <= _KIN


def abroad(goal: str) -> frozenset[str]:
    """The words by which the deed that a goal names is done in other languages."""
    rows = lexicon("deeds_abroad").items()
    said = set(split_words(fold(goal))[:_LEAD])
    asked = {key.partition(".")[0] for key, row in rows if said & set(row)}
    return frozenset(word for key, row in rows if key.partition(".")[0] in asked for word in row)


@lru_cache(maxsize=1024)
def languages_of(text: str, fewest: int = _TELLING) -> frozenset[str]:
    """The languages that most words of a text speak for; none if they are fewer than that."""
    script = next((name for name, signs in _SCRIPTS.items() if signs.search(text)), "")
    if script:
        return frozenset([script])
    said = split_words(fold(text))
    counts = Counter(language for word in said for language in _small().get(word, ()))
    for word in said[:_LEAD]:
        counts.update(_verbs().get(word, ()))
    most = max(counts.values(), default=0)
    return frozenset(language for language, count in counts.items() if count == most >= fewest)


@cache
def _small() -> Mapping[str, tuple[str, ...]]:
    return _by_word((language, row) for language, row in lexicon("tongues").items())


@cache
def _verbs() -> Mapping[str, tuple[str, ...]]:
    return _by_word((key.partition(".")[2], row) for key, row in lexicon("deeds_abroad").items())


def _by_word(rows: Iterable[tuple[str, Sequence[str]]]) -> Mapping[str, tuple[str, ...]]:
    """The languages that have a word."""
    found: dict[str, tuple[str, ...]] = {}
    for language, row in rows:
        for word in row:
            found[word] = (*found.get(word, ()), language)
    return found
