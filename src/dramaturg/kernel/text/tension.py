"""Tension, estimated from tone, words, punctuation and interruptions, and compared with a target curve.

A line starts at the level of its tone (0.35 if the lexicon does not have it). Each sharp word adds 0.08 and each soft
one subtracts 0.06, up to three of each; an exclamation mark adds 0.06, up to three; a shouted word 0.1, an
interruption 0.12.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from statistics import fmean
from typing import Final, Literal, NamedTuple

from dramaturg.kernel.text.tables import table
from dramaturg.kernel.text.words import stem, words

UNKNOWN_TONE = 0.35
PATIENCE = 3
LAG, OVERSHOOT = 0.25, 0.3
CRISIS = 0.5
PaceChange = Literal["tighten", "loosen"]
TIGHTEN: Final = "tighten"
LOOSEN: Final = "loosen"

_MOST_WORDS = 3
_SHARP, _SOFT, _MARK, _SHOUT, _CUT = 0.08, 0.06, 0.06, 0.1, 0.12
_SHOUTED = re.compile(r"\b[A-Z]{3,}\b")
_OPENING, _PEAK, _PEAK_AT, _CLOSE = 0.3, 0.7, 0.65, 0.25


class TonedLine(NamedTuple):
    """A line as far as its tension is concerned: beat, text, tone, and whether it interrupts another."""

    beat: int
    text: str
    tone: str = ""
    cuts_in: bool = False


@dataclass(frozen=True, slots=True)
class _Lexicon:
    tones: Mapping[str, float]
    sharp: frozenset[str]
    soft: frozenset[str]


@cache
def _lexicon() -> _Lexicon:
    raw = table(__package__, "lexicon/tension.toml")
    tones = {stem(word): float(level) for level, row in raw["tones"].items() for word in words(row)}
    sharp, soft = (frozenset(stem(word) for word in words(raw["words"][side])) for side in ("sharp", "soft"))
    return _Lexicon(tones, sharp, soft)


@lru_cache(maxsize=4096)
def tension_of(text: str, tone: str = "", cuts_in: bool = False) -> float:
    """The tension of one line, 0 to 1."""
    lexicon = _lexicon()
    levels = [lexicon.tones[root] for word in words(tone) if (root := stem(word)) in lexicon.tones]
    spoken = [stem(word) for word in words(text)]
    sharp = min(_MOST_WORDS, sum(word in lexicon.sharp for word in spoken))
    soft = min(_MOST_WORDS, sum(word in lexicon.soft for word in spoken))
    marks = min(_MOST_WORDS, text.count("!"))
    level = fmean(levels) if levels else UNKNOWN_TONE
    level += _SHARP * sharp - _SOFT * soft + _MARK * marks + _CUT * cuts_in + _SHOUT * bool(_SHOUTED.search(text))
    return min(1.0, max(0.0, level))


def tension_curve(lines: Sequence[TonedLine], smoothing: float = 0.5) -> tuple[float, ...]:
    """The tension of every beat up to the last line's, smoothed over time; a silent beat keeps the level."""
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing must be at least 0 and less than 1")
    beats: dict[int, list[float]] = {}
    for line in lines:
        beats.setdefault(line.beat, []).append(tension_of(line.text, line.tone, line.cuts_in))
    curve: list[float] = []
    for beat in range(max(beats, default=-1) + 1):
        before = curve[-1] if curve else None
        heard = fmean(beats[beat]) if beat in beats else before if before is not None else UNKNOWN_TONE
        curve.append(heard if before is None else smoothing * before + (1 - smoothing) * heard)
    return tuple(round(min(1.0, max(0.0, level)), 3) for level in curve)


@lru_cache(maxsize=64)
def target_curve(beats_expected: int) -> tuple[float, ...]:
    """The tension of a scene that rises to its crisis two thirds of the way in and then comes to rest."""
    last = beats_expected - 1
    return tuple(round(_target(beat / last if last else 0.0), 3) for beat in range(beats_expected))


def _target(place: float) -> float:
    if place <= _PEAK_AT:
        return _OPENING + (_PEAK - _OPENING) * place / _PEAK_AT
    return _PEAK + (_CLOSE - _PEAK) * (place - _PEAK_AT) / (1 - _PEAK_AT)


def pace_change(curve: Sequence[float], target: Sequence[float]) -> PaceChange | None:
    """What the tension needs when it has lagged or overshot for three beats, and again every three; mostly None.

    A scene that has had its crisis may rest, and one that runs longer than its target gets no notes.
    """
    if not curve or len(curve) > len(target):
        return None
    gaps = [wanted - level for level, wanted in zip(curve, target, strict=False)]
    if _is_due([gap > LAG for gap in gaps]) and max(curve) < CRISIS:
        return TIGHTEN
    return LOOSEN if _is_due([-gap > OVERSHOOT for gap in gaps]) else None


def _is_due(marks: Sequence[bool]) -> bool:
    """Whether the unbroken run of marks at the end is three, six, nine … long."""
    streak = len(list(takewhile(bool, reversed(marks))))
    return streak > 0 and streak % PATIENCE == 0
