"""Whether a text tells what its words say: "the letter said that she was dead" does not, and "dead tired" is no death.

A quotation can be cut so that its frame is gone. What stands around it decides, by rule; where it leaves a doubt, the
claim is no fact of the story.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from dramaturg.kernel.text.sentences import sentence_ends
from dramaturg.kernel.text.tables import table
from dramaturg.workshop.consolidation.comparison import COLOURS
from dramaturg.workshop.consolidation.speech import spoken_spans

MOST_BETWEEN = 4
"""How many words may stand between a verb of telling and its "that"."""
MOST_IDIOM = 60
_SHOWN = ("age", "is_dead")
_STOPS = re.compile(r"[;:]")
_CLAUSE = re.compile(r"[,;:—–]")
_WHO = re.compile(r"\s*(?:who|whom|whose|which|der|die|das|qui|que|quien)\b")
_NOT_TELLING = r"(?:and|but|or|who|which|und|aber|der|die|das|et|mais|qui|y|pero|que)"


def is_told(predicate: str, text: str, start: int, end: int) -> bool:
    """Whether a passage of a text tells its claim as true, by the words around it."""
    low, high = sentence_of(text, start, end)
    told = _without_speech(text, low, start) + text[start:end] + _without_speech(text, end, high)
    before, quote, after = (
        part.casefold() for part in (told[: start - low], told[start - low : end - low], told[end - low :])
    )
    paragraph = _lines(text, start, end)
    around = _without_speech(text, *paragraph)
    if predicate == "present_at":  # a letter or a tape may speak
        return around == text[slice(*paragraph)] or _has(around, "pictured") is None
    if _is_framed(_STOPS.split(before)[-1], quote, after):
        return False
    if predicate in (*COLOURS, *_SHOWN) and _has(told, "pictured") is not None:
        return False
    if predicate == "is_dead":
        return _is_death(before, quote, after)
    if predicate in COLOURS and _has(f"{before}{quote}{_CLAUSE.split(after)[0]}", "light") is not None:
        return False
    doubtful = "put_on" if predicate in COLOURS else "handed_on" if predicate == "owns" else ""
    return not doubtful or _has(around, doubtful) is None


def is_earlier(predicate: str, text: str, start: int, end: int) -> bool:
    """Whether a passage tells of an earlier time: its sentence says so, or for who is present, its paragraph."""
    low, high = (_lines if predicate == "present_at" else sentence_of)(text, start, end)
    return _has(_without_speech(text, low, high), "earlier") is not None


def _is_framed(before: str, quote: str, after: str) -> bool:
    if _has(before, "supposed") is not None or after.lstrip(" ,").startswith(("?", "or ", "oder ", "ou ", "o ")):
        return True
    between = quote.split(",")[1:-1]
    if any(_has(one, "reports") is not None and _WHO.match(one) is None for one in between):
        return True  # "Ilse, they joked, had green eyes"
    found = _that().search(before)
    if found is not None and _has(found[0], "facts") is None:
        return True
    return any(pattern.search(before) for pattern in _before()) or _after().match(after) is not None


def _is_death(before: str, quote: str, after: str) -> bool:
    if _has(f"{' '.join(before.split()[-3:])} {quote}", "nearly") is not None:
        return False
    follows = re.match(r"\s+([^\W\d_]+(?:['’][^\W\d_]+)?|\d+)", after)
    if follows is not None and not follows[1].isdecimal() and follows[1] not in _words()["after_death"]:
        return False
    return _has(after[:MOST_IDIOM], "no_death") is None


def _without_speech(text: str, low: int, high: int) -> str:
    """The part of a text from `low` to `high`, with spaces in the place of what somebody says there."""
    part = text[low:high]
    for first, last in spoken_spans(text):
        if first < high and last > low:
            begin, end = max(first, low) - low, min(last, high) - low
            part = part[:begin] + " " * (end - begin) + part[end:]
    return part


def _has(text: str, name: str) -> re.Match[str] | None:
    return _pattern(name).search(text.casefold())


def sentence_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentences of a passage begin and end, inside their paragraph."""
    low, high = _lines(text, start, end)
    ends = [low + one for one in sentence_ends(text[low:high])]
    return max((one for one in ends if one <= start), default=low), min(
        (one for one in ends if one >= end), default=high
    )


def _lines(text: str, start: int, end: int) -> tuple[int, int]:
    high = text.find("\n\n", end)
    low = text.rfind("\n\n", 0, start)
    return low + 2 if low >= 0 else 0, high if high >= 0 else len(text)


@cache
def _words() -> dict[str, tuple[str, ...]]:
    raw = table(__package__, "lexicon/framing.toml")
    return {name: tuple(held) for name, held in raw.items()}


def _any(phrases: Iterable[str]) -> str:
    return "|".join(re.escape(one) for one in sorted(phrases, key=len, reverse=True))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{_any(_words()[name])})(?![^\W_])")


@cache
def _before() -> tuple[re.Pattern[str], ...]:
    reports, that = _any(_words()["reports"]), _any(_words()["that"])
    between = rf"(?:\s+[^\s,;.]+){{0,{MOST_BETWEEN}}}"
    return (
        re.compile(rf"(?<![^\W_])(?:{reports}){between}\s+(?:{that})(?![^\W_])"),
        re.compile(rf"(?<![^\W_])(?:{reports}){between},\s*$"),
        re.compile(rf"(?<![^\W_])(?:{_any(_words()['of'])})\s*$"),
    )


@cache
def _that() -> re.Pattern[str]:
    """A clause that ends with "that" right before the claim, with the words that decide whether it is so."""
    return re.compile(rf"(?:[^\s,;]+\s+){{0,{MOST_BETWEEN}}}(?:{_any(_words()['that'])})\s*$")


@cache
def _after() -> re.Pattern[str]:
    reports = _any(_words()["reports"])
    return re.compile(rf"\s*,\s+(?:or so\b|(?!{_NOT_TELLING}\b)(?:[^\W\d_]+\s+){{0,3}}?(?:{reports})(?![^\W_]))")
