"""Talk that goes in circles: how much of what is being said was said before.

Each of the last lines is compared with the earlier ones, by the runs of words and the content words they share; lines
of mere courtesy (goodbyes, thanks, yes and no) by the courtesies themselves. A line with new words counts less, a later
line more.

Measured: seventeen looping dialogues of many kinds end between 0.46 and 0.92 (median 0.70). At its highest point none
of seventeen healthy ones passes 0.25, two pages of Wilde 0.31, and 36 rehearsed scenes 0.14. CIRCULAR lies between.
A circle of paraphrases that share at most one word is not detected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import sqrt

from pydantic import Field

from dramaturg.kernel.text.words import function_words, runs, stem, words
from dramaturg.kernel.values import Value
from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.director.tables import lexicon

CIRCULAR = 0.4

_LOOK_BACK = 48
_ECHO = 0.35
_FULL_ECHO = 0.7
_RITE_ANSWERED = 0.5
_SHORT, _SHORT_ECHO = 3, 0.7
_LONGEST_RITE = 12
_FEWEST_LINES = 4
_FEWEST_WEIGHED = 5


class Echo(Value):
    """Two very similar lines. `earlier` and `later` are their positions in the talk, from 0."""

    earlier: int
    later: int
    said: str
    again: str
    likeness: float = Field(ge=0, le=1)


class CircleScore(Value):
    """How much a talk goes in circles, 0 to 1, and the lines that show it, the latest first."""

    score: float = Field(ge=0, le=1)
    evidence: tuple[Echo, ...] = ()


@dataclass(frozen=True, slots=True)
class _PreparedLine:
    """A line prepared for comparison."""

    speaker: str
    words: tuple[str, ...]
    matter: frozenset[str]
    pairs: frozenset[str]
    threes: frozenset[str]
    rites: frozenset[str]


def circle_score(lines: Sequence[QuotableLine], window: int = 6) -> CircleScore:
    """How much the last `window` lines repeat what came before them, in the same window or earlier."""
    if window < 1:
        raise ValueError("a window holds at least one line")
    start = max(0, len(lines) - window - _LOOK_BACK)
    speakers = {line.speaker for line in lines[start:]}
    names = frozenset(word for speaker in speakers for word in words(speaker))
    heard = [_prepare(line.speaker, line.text, names) for line in lines[start:]]
    if len(heard) < _FEWEST_LINES:
        return CircleScore(score=0.0)
    first = max(1, len(heard) - window)
    echoes = [_nearest(heard, place) for place in range(first, len(heard))]
    weights = [1 + rank / window for rank in range(window - len(echoes), window)]
    strength = sum(weight * _strength(likeness) for weight, (_, likeness) in zip(weights, echoes, strict=True))
    whole = sum(weights) + max(0, min(window, _FEWEST_WEIGHED) - len(echoes))
    evidence = [
        Echo(
            earlier=start + before,
            later=start + place,
            said=lines[start + before].text,
            again=lines[start + place].text,
            likeness=round(likeness, 3),
        )
        for place, (before, likeness) in enumerate(echoes, start=first)
        if likeness > _ECHO
    ]
    return CircleScore(score=round(strength / whole, 3), evidence=tuple(reversed(evidence)))


def _strength(likeness: float) -> float:
    return min(1.0, max(0.0, (likeness - _ECHO) / (_FULL_ECHO - _ECHO)))


def _nearest(heard: Sequence[_PreparedLine], place: int) -> tuple[int, float]:
    """The earlier line most like this one; the latest of equals."""
    line = heard[place]
    best, likeness = place - 1, 0.0
    for before in range(place - 1, -1, -1):
        if (found := _likeness(heard[before], line)) > likeness:
            best, likeness = before, found
    return best, likeness and likeness * _staleness(heard, place)


def _staleness(heard: Sequence[_PreparedLine], place: int) -> float:
    """A factor, down to one half for a line whose content words are all new."""
    matter = heard[place].matter
    if not matter or heard[place].rites:
        return 1.0
    new = matter
    for line in heard[:place]:
        if not new.isdisjoint(line.matter):
            new -= line.matter
    return 1.0 - 0.5 * len(new) / max(len(matter), 3)


def _likeness(earlier: _PreparedLine, later: _PreparedLine) -> float:
    if earlier.rites and later.rites:
        if not earlier.rites & later.rites:
            return 0.0
        return _SHORT_ECHO if earlier.speaker == later.speaker else _RITE_ANSWERED
    if earlier.words == later.words:
        return 1.0 if len(later.words) >= _SHORT else _SHORT_ECHO
    threes = pairs = matter = 0.0
    if not earlier.pairs.isdisjoint(later.pairs):  # three words in common are two pairs in common
        threes = len(earlier.threes & later.threes) / max(len(later.threes), 1) if len(later.words) > _SHORT else 0.0
        pairs = len(earlier.pairs & later.pairs) / sqrt(len(earlier.pairs) * len(later.pairs))
    if (shared := len(earlier.matter & later.matter)) > 1:
        matter = shared / sqrt(len(earlier.matter) * len(later.matter))
    return min(1.0, max(threes, pairs, matter * (0.8 + 0.2 * threes)))


@lru_cache(maxsize=4096)
def _prepare(speaker: str, text: str, names: frozenset[str]) -> _PreparedLine:
    spoken = tuple(word for word in words(text) if word not in names)
    empty = function_words()
    matter = frozenset([stem(word) for word in spoken if word not in empty])
    # Joined into strings: a thousand lines of small tuples would keep the garbage collector busy.
    pairs, threes = (frozenset(map(" ".join, runs(spoken, size))) for size in (2, 3))
    return _PreparedLine(speaker, spoken, matter, pairs, threes, _rites(spoken))


@cache
def _manners() -> Mapping[tuple[str, ...], str]:
    return {words(phrase): rite for rite, phrases in lexicon("rites").items() for phrase in phrases}


def _rites(spoken: tuple[str, ...]) -> frozenset[str]:
    """The courtesies in a line, if it consists of nothing else."""
    found: set[str] = set()
    left, place = 0, 0
    if not 0 < len(spoken) <= _LONGEST_RITE:
        return frozenset()
    while place < len(spoken):
        size = next((size for size in range(5, 0, -1) if spoken[place : place + size] in _manners()), 0)
        if size:
            found.add(_manners()[spoken[place : place + size]])
        left += not size
        place += size or 1
    return frozenset(found - {"filler"}) if left * 4 <= len(spoken) else frozenset()
