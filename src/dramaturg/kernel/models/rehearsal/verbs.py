"""English verbs: base, past and -ing forms, for the vocabulary of scene prompts and questions."""

from __future__ import annotations

import re
from functools import cache

from dramaturg.kernel.models.rehearsal.sheet import load_sheet

_THIRD = {"is": "be", "has": "have", "does": "do", "goes": "go", "dies": "die", "lies": "lie", "ties": "tie"}
_VOWELS = "aeiou"
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


def base_of_third(verb: str) -> str:
    """'misses' → 'miss', 'tries' → 'try', 'has' → 'have'."""
    if verb in _THIRD:
        return _THIRD[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def base_of_gerund(verb: str) -> str:
    """'missing' → 'miss', 'lying' → 'lie', 'leaving' → 'leave', 'forgetting' → 'forget'."""
    stem = verb.removesuffix("ing")
    if stem + "e" in _words("silent e") or stem + "e" in _pasts():
        return stem + "e"
    if stem == "ly":
        return "lie"
    if stem in _pasts():
        return stem
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsfz":
        return stem[:-1]
    if stem[-1:] in "vcu" or stem.endswith(("ang", "eng", "at", "iz", "uc")):
        return stem + "e"
    return stem


def base_of_past(verb: str) -> str:
    """'missed' → 'miss', 'stole' → 'steal'."""
    if verb in _bases():
        return _bases()[verb]
    if verb.endswith("ied"):
        return verb[:-3] + "y"
    return base_of_gerund(verb.removesuffix("ed") + "ing")


def past_of(base: str) -> str:
    """'miss' → 'missed', 'stop' → 'stopped', 'steal' → 'stole'."""
    if base in _pasts():
        return _pasts()[base]
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ied"
    return (base + base[-1] if _doubles(base) else base) + "ed"


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
