"""English verbs: what is a past tense, and -ing forms, for the vocabulary of questions."""

from __future__ import annotations

import re
from functools import cache

from dramaturg.kernel.models.rehearsal.sheet import load_sheet

_CVC = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$")
_UNCLEAR = frozenset(
    ("let", "set", "put", "cut", "hit", "cost", "hurt", "shut", "quit", "read", "bet", "split", "spread")
)


@cache
def _pasts() -> dict[str, str]:
    return {base: past for base, past, _ in (row.split() for row in load_sheet(__package__, "verbs.txt")["irregular"])}


@cache
def _bases() -> dict[str, str]:
    return {past: base for base, past in _pasts().items()} | {"were": "be"}


@cache
def _words(heading: str) -> frozenset[str]:
    return frozenset(word for row in load_sheet(__package__, "verbs.txt")[heading] for word in row.split())


def gerund_of(base: str) -> str:
    """'miss' → 'missing', 'lie' → 'lying', 'leave' → 'leaving'."""
    if base in ("be", "see", "agree", "flee", "free", "guarantee"):
        return base + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e"):
        return base[:-1] + "ing"
    return (base + base[-1] if _doubles(base) else base) + "ing"


def is_past(word: str) -> bool:
    """Whether the word can only be a past tense, as far as this small list can tell."""
    if word in _bases():
        return word not in _UNCLEAR
    return word.endswith("ed") and len(word) > 4 and not word.endswith("eed")


def _doubles(base: str) -> bool:
    return base in _words("doubles") or (len(base) <= 5 and bool(_CVC.match(base)))
