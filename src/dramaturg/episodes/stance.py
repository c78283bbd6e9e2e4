"""How a speaker means what they say, read from English by rules: asserted, asked, denied, supposed or reported.

The words around a phrase decide: "it was you" is asserted, "I don't believe it was you" is denied, "was it you?" is
asked, "if it was you" is supposed, and "they say it was you" is somebody else's. If in doubt, it is not asserted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from dramaturg.kernel.text.tables import table

Stance = Literal["asserted", "asked", "denied", "supposed", "reported"]
LONGEST = 500
"""Longer sentences are cut here: nobody reads them as one statement, and the rules stay quick."""

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'"})
_SENTENCE = re.compile(r"[^.!?…\n*。！？]+[.!?…。！？]*")
_TITLE = re.compile(r"\b(Mr|Mrs|Ms|Dr|St)\.", re.IGNORECASE)
QUOTED = re.compile(r"[\"“«„]([^\"“”«»„]*)[\"”»“]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message in lower case, with plain apostrophes; `raw` as it was typed.

    It is not the speaker's `own` if it quotes somebody else.
    """

    text: str
    raw: str
    asks: bool
    own: bool = True


@cache
def english(section: str) -> Mapping[str, str]:
    """The patterns of a section of `english.toml`, each as one group."""
    raw = table(__package__, "english.toml")[section]
    return {name: f"(?:{'|'.join(rows)})" if isinstance(rows, list) else rows for name, rows in raw.items()}


@cache
def _rule(name: str) -> re.Pattern[str]:
    return re.compile(english("stance")[name])


@cache
def _others() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What before or after a quotation shows that somebody else said it."""
    says = english("stance")["says"]
    before = (
        rf"(?:\b(?!i\b|we\b)\w{{1,30}}(?:'s)? (?:just |once |also )?{says}(?: (?:me|us|to me|the words))?"
        r"|\b(?:note|letter|line|words|message|paper|diary|sign)(?: (?:reads?|says|said))?)\W{0,4}$"
    )
    after = rf"^\W{{0,4}}(?!i\b|we\b)(?:{says} (?!i\b)\w|(?:the )?\w{{1,30}}(?: \w{{1,30}})? {says}\b)"
    return re.compile(before, re.IGNORECASE), re.compile(after, re.IGNORECASE)


@lru_cache(maxsize=2048)
def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of a message; gestures between asterisks count as sentences."""
    return tuple(_sentences(text.translate(_APOSTROPHES)))


def _sentences(text: str) -> Iterator[Sentence]:
    before_it, after_it = _others()
    place = 0
    for found in QUOTED.finditer(text):
        before, after = text[place : found.start()], text[found.end() : found.end() + LONGEST]
        yield from _split(before)
        theirs = before_it.search(" ".join(before[-LONGEST:].split())) or after_it.match(" ".join(after.split()))
        yield from _split(found[1], own=not theirs)
        place = found.end()
    yield from _split(text[place:])


def _split(text: str, *, own: bool = True) -> Iterator[Sentence]:
    for found in _SENTENCE.finditer(_TITLE.sub(r"\1", text)):
        raw = " ".join(found[0].split())
        if any(mark.isalnum() for mark in raw):
            yield Sentence(raw.casefold()[:LONGEST], raw, any(mark in raw[-4:] for mark in "?？"), own)


def is_ironic(message: str) -> bool:
    """Whether a message says openly that it is not meant."""
    return any(_rule("ironic").search(sentence.text) for sentence in sentences_of(message))


def stance_at(sentence: Sentence, start: int, end: int) -> Stance:
    """How the words from `start` to `end` of a sentence are meant."""
    if not sentence.own:
        return "reported"
    text = _rule("firm").sub(lambda found: " " * len(found[0]), sentence.text)
    bounds = [found.span() for found in _rule("boundary").finditer(text)]
    begin = max((stop for _, stop in bounds if stop <= start), default=0)
    ahead, behind = text[begin:start], text[end:]
    opens = text[: bounds[0][0]] if bounds and bounds[0][0] < start else ""
    if _is_asked(sentence, text, (begin, start, end), bounds):
        return "asked"
    if _rule("reports").search(ahead) or (_rule("reports").search(opens) and not _rule("own").search(ahead)):
        return "asserted" if _rule("agrees").search(behind) else "reported"
    if _rule("denies").search(ahead):
        return "denied"
    if _rule("supposes").search(ahead) or _rule("sets_a_case").search(opens) or _rule("takes_back").search(behind):
        return "supposed"
    return "asserted"


def _is_asked(sentence: Sentence, text: str, place: tuple[int, int, int], bounds: list[tuple[int, int]]) -> bool:
    begin, start, end = place
    if _rule("ends_with_tag").search(text[end:]) or _rule("inverted").search(text[begin:end]):
        return True
    if _rule("told").search(text[begin:start]) and not _rule("urged").search(text[begin:start]):
        return True
    if not sentence.asks:
        return False
    # "You took it, why?" says more than it asks.
    last = max((stop for at, stop in bounds if at >= end), default=-1)
    return last < 0 or bool(_rule("tag").search(text[last:])) or not _rule("wonders").search(text[last:])


def is_unsaid(sentence: Sentence, start: int, end: int) -> bool:
    """Whether these words are asked or denied, and not told; what is said of "the two keys" takes them for granted."""
    text = _rule("firm").sub(lambda found: " " * len(found[0]), sentence.text)
    if _rule("denies").search(text[start:end]):
        return False  # the denial is the author's: "You think I took a book I can't read?" tells it
    if sentence.asks and not ("n't" in text[end:] and _rule("ends_with_tag").search(text[end:])):
        return True
    if _rule("unsays").search(text[end:]):
        return True
    begin = max(
        (stop for _, stop in (one.span() for one in _rule("boundary").finditer(text)) if stop <= start), default=0
    )
    ahead = text[begin:start]
    if is_definite(sentence, start, end):
        return False
    denials = [found.end() for found in _rule("denies").finditer(ahead) if found[0] != "without"]
    return bool(denials) and not _rule("granted").search(ahead[denials[-1] :])


def is_definite(sentence: Sentence, start: int, end: int) -> bool:
    """Whether these words are spoken of as something known: "the two keys"."""
    first = sentence.text[start:end].partition(" ")[0]
    return any(_rule("definite").search(text) is not None for text in (sentence.text[:start], first))


def denied_clauses(sentence: Sentence) -> Iterator[tuple[str, bool]]:
    """What stands between the boundaries of a sentence, and whether it says no."""
    text = _rule("firm").sub(lambda found: " " * len(found[0]), sentence.text)
    text = _rule("owned").sub(lambda found: " " * len(found[0]), text)
    for part in _rule("boundary").split(text):
        if any(mark.isalnum() for mark in part):
            yield part, _rule("says_no").search(part) is not None
