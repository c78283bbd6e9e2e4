"""Whether a sentence can say that two people are kin, married, in love or enemies: it has a word for such a bond."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from dramaturg.kernel.text.tables import table
from dramaturg.kernel.text.words import words

_ROWS: Mapping[str, str] = {
    **dict.fromkeys(("parent_of", "child_of", "mother_of", "father_of"), "parents"),
    "sibling_of": "siblings",
    "married_to": "marriage",
    "loves": "love",
    "hates": "hatred",
}
SHORTEST = 3
"""Shorter beginnings are whole words."""


def names_bond(predicate: str, sentence: str) -> bool:
    """Whether a sentence has a word for what is claimed. What is no bond needs none, nor does an unknown language."""
    row, said = _ROWS.get(predicate), words(sentence)
    if row is None or _lexicon()["known"].isdisjoint(said):
        return True
    whole = _lexicon()[row]
    begins = tuple(one for one in whole if len(one) >= SHORTEST)
    return any(word in whole or word.startswith(begins) for word in said)


@cache
def _lexicon() -> Mapping[str, frozenset[str]]:
    found = table(__package__, "lexicon/relations.toml")
    return {name: frozenset(rows) for name, rows in found.items()}
