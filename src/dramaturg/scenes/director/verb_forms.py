"""Verbs whose forms no ending explains: "stiehlt" and "gestohlen", "lit" and "lu", "pone" and "puse"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from dramaturg.scenes.director.tables import lexicon

_NONE: frozenset[str] = frozenset()
_ENDINGS = {
    "de": ("e", "t", "et", "st", "te", "end"),
    "es": ("í", "é", "ió", "ó", "iré", "eré", "aré"),
    "pt": ("i", "ei", "ou", "eu", "iu"),
}
"""What a verb of a language has behind its root in forms that are no row's own."""
_GENDERED = ("it", "es", "pt")


@lru_cache(maxsize=8192)
def verbs_of(word: str) -> frozenset[str]:
    """The verbs that a word is a form of, with what it is joined with: "durchgeschnitten" is of "durch-schneiden"."""
    found = _table().get(word, _NONE)
    for particle in lexicon("verbs")["joined"]:
        rest = word.removeprefix(particle)
        if rest != word and (verbs := _bare(rest)):
            found |= {f"{particle}-{verb}" for verb in verbs}
    return found


def _bare(word: str) -> frozenset[str]:
    """The verbs of what follows a particle: "zuschneiden" and "schrieben" are of "schneiden" and "schreiben"."""
    forms = (word, f"ge{word}", word.removeprefix("zu"), word.removeprefix("ge"))
    return frozenset(verb for form in forms for verb in _joinable().get(form, _NONE))


@cache
def _table() -> Mapping[str, frozenset[str]]:
    return _forms(*(language for language in lexicon("verbs") if language != "joined"))


@cache
def _joinable() -> Mapping[str, frozenset[str]]:
    return _forms("de", "nl")


def _forms(*languages: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for language in languages:
        for row in lexicon("verbs")[language]:
            forms = row.casefold().split()
            for form in (*forms, *_regular(language, forms)):
                found[form] = found.get(form, _NONE) | {f"{language} {forms[0]}"}
    return found


def _regular(language: str, forms: Sequence[str]) -> Iterator[str]:
    """The forms of a verb that its row need not have: those with an ending of their own, and "corsa" beside "corso"."""
    yield from (f"{forms[0][:-2]}{ending}" for ending in _ENDINGS.get(language, ()))
    yield from (f"{form[:-1]}a" for form in forms if language in _GENDERED and form.endswith("o"))
