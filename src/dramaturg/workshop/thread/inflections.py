"""Words in another form: "der Brücken" of "die Brücke", "brass keys" of "brass key". Conservative: when in doubt, no.

German words lose the endings of case and number, and a noun its umlaut ("Türme" of "Turm"); English nouns only their
plural. A capital stays one: "Schön" and "schon" are never taken for each other.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache

SHORTEST, SHORTEST_ENGLISH = 4, 3
"""A shorter word has no other form here."""
MOST_PLACES = 200
_TOKEN = re.compile(r"[^\W_]+")
_ARTICLES = frozenset(
    "the a an der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner".split()
)
_GERMAN = frozenset("und der das dem den des ist war nicht ein eine einen sie er es von mit auf im zu sich ich".split())
_ENGLISH = frozenset("and the of was is not an it she he to with on in had her his that they i".split())
_ENDINGS = ("ern", "en", "em", "er", "es", "e", "n", "s")
_PLURALS = ("ies", "y"), ("es", ""), ("s", "")
_UMLAUTS = str.maketrans("äöüÄÖÜ", "aouAOU")


@lru_cache(maxsize=512)
def is_german(text: str) -> bool:
    """Whether a text has more of the German function words than of the English ones."""
    found = [one.casefold() for one in _TOKEN.findall(text)]
    return sum(one in _GERMAN for one in found) > sum(one in _ENGLISH for one in found)


def forms_in(text: str, phrase: str, *, german: bool) -> list[tuple[int, int]]:
    """Where a phrase stands in a text with its words in any form. An article before it does not count."""
    wanted = _TOKEN.findall(phrase)
    while len(wanted) > 1 and wanted[0].casefold() in _ARTICLES:
        wanted = wanted[1:]
    if not wanted or all(len(one) < SHORTEST_ENGLISH for one in wanted):
        return []
    tokens = list(_TOKEN.finditer(text))
    found: list[tuple[int, int]] = []
    for at in range(len(tokens) - len(wanted) + 1):
        here = tokens[at : at + len(wanted)]
        if all(is_form(one[0], word, german=german) for one, word in zip(here, wanted, strict=True)) and not _is_parted(
            text, here
        ):
            found.append((here[0].start(), here[-1].end()))
            if len(found) == MOST_PLACES:
                break
    return found


def is_form(written: str, wanted: str, *, german: bool) -> bool:
    """Whether a word is another one in any form."""
    if written.casefold() == wanted.casefold():
        return True
    shortest = SHORTEST if german else SHORTEST_ENGLISH
    if min(len(written), len(wanted)) < shortest or (wanted[0].isupper() and not written[0].isupper()):
        return False
    if german:
        return _german_stem(written, wanted[0].isupper()) == _german_stem(wanted, wanted[0].isupper())
    return _singular(written.casefold()) == _singular(wanted.casefold())


def _german_stem(word: str, is_noun: bool) -> str:
    stem = (word.translate(_UMLAUTS) if is_noun else word).casefold()
    for ending in _ENDINGS:
        if stem.endswith(ending) and len(stem) - len(ending) >= SHORTEST:
            return stem[: -len(ending)]
    return stem


def _singular(word: str) -> str:
    if word.endswith(("ss", "us", "is")):
        return word
    for ending, instead in _PLURALS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_ENGLISH:
            root = word[: -len(ending)] + instead
            return root if ending != "es" or root.endswith(("s", "x", "z", "ch", "sh")) else f"{root}e"
    return word


def _is_parted(text: str, tokens: list[re.Match[str]]) -> bool:
    """Whether something else than a space or a hyphen stands between the words of a phrase."""
    gaps = [text[one.end() : other.start()] for one, other in itertools.pairwise(tokens)]
    return any(len(gap) > 3 or gap.strip(" \t\n-") for gap in gaps)
