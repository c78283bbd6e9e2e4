"""Personality drift: whether a line sounds like its card, as far as words can show it.

A card says how somebody talks ("short sentences", "never raises the voice"); the measurable part of it becomes the
character's manner. Traits that hold only at times ("rambles when nervous"), are denied ("not formal") or contradicted
elsewhere in the card are left out, and so is everything that no count of words can show: humour, courage, charm. If
nothing is left to measure, or a line has fewer than four words, it goes unscored.

Measured on nine cards that bring lines of their own: seven have a manner, none of their 67 own lines has drifted, and
one in nine of the others' lines would be flagged if a formal character said it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean

from pydantic import Field

from dramaturg.kernel.text.tables import table
from dramaturg.kernel.text.words import stem, words
from dramaturg.kernel.values import Value, construct
from dramaturg.scenes.templates import note_text

DRIFTED = 0.5

_FEWEST_WORDS = 4
_HEADING = re.compile(
    r"personalit|communicat|style|speech|speak|voice|manner|behavio|trait|temper|language|tone|character|description|^$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;.:()]|\s[-–—]\s|\bbut\b")
_AT_TIMES = re.compile(
    r"\b(?:when|once|until|unless|if|sometimes|often|can be|except|after|before she|before he)\b", re.I
)
_ALWAYS = re.compile(r"^\s*default(?: state)?\s*:", re.IGNORECASE)
_WHEN = re.compile(r"^\s*when\b[^:]*:", re.IGNORECASE)
_DENIED = frozenset({"not", "never", "no", "without", "isnt", "nor", "hardly", "nothing", "neither", "doesnt"})
_SENTENCE = re.compile(r"[^.!?…]+")
_CONTRACTION = re.compile(r"\b\w+['’](?:s|t|re|ve|ll|d|m)\b", re.IGNORECASE)
_SHOUTED = re.compile(r"\b[A-Z]{3,}\b")


class Trait(Value):
    """One measurable trait of how a character talks, and the words of the card that say so."""

    name: str
    said: str


class Manner(Value):
    """How a character talks, as far as its card describes it in measurable terms."""

    name: str = ""
    traits: tuple[Trait, ...] = ()


class Departure(Value):
    """Where a line leaves its character's manner: the trait, the words that show it, and how far, 0 to 1."""

    trait: str
    evidence: str
    distance: float = Field(ge=0, le=1)


class Drift(Value):
    """How far a line is from its card, 0 to 1; None means unscored, which is neither good nor bad."""

    score: float | None = Field(None, ge=0, le=1)
    reasons: tuple[Departure, ...] = ()

    @property
    def drifted(self) -> bool:
        return self.score is not None and self.score >= DRIFTED


@dataclass(frozen=True, slots=True)
class _Kind:
    """A row of the lexicon."""

    opposite: str
    card: tuple[tuple[str, ...], ...]
    against: tuple[tuple[str, ...], ...]
    does: str
    was: str
    fix: str


@cache
def _kinds() -> Mapping[str, _Kind]:
    return {
        name: _Kind(
            opposite=row["opposite"],
            card=tuple(_stemmed(phrase) for phrase in row["card"]),
            against=tuple(words(phrase) for phrase in row.get("against", ())),
            does=row["does"],
            was=row["was"],
            fix=row["fix"],
        )
        for name, row in table(__package__, "lexicon/manners.toml").items()
    }


def read_manner(sections: Sequence[tuple[str, Sequence[str]]], name: str = "") -> Manner:
    """The manner in a card's sections, each a heading and its lines; `name` is for the director's note."""
    always: dict[str, str] = {}
    at_times: set[str] = set()
    for heading, lines in sections:
        if _HEADING.search(heading):
            for kind, said, is_always in _readings(lines):
                if is_always:
                    always.setdefault(kind, said)
                else:
                    at_times.add(kind)
    kinds = _kinds()
    contradicted = {kinds[kind].opposite for kind in (*always, *at_times)}
    return Manner(
        name=name,
        traits=tuple(Trait(name=kind, said=said) for kind, said in always.items() if kind not in contradicted),
    )


def _readings(lines: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """Each trait a card names, the clause that names it, and whether it always holds."""
    for line in lines:
        plain = _WHEN.sub("", _ALWAYS.sub("", line))
        bound = _WHEN.match(line) is not None
        for clause in _CLAUSE.split(plain):
            spoken = _stemmed(clause)
            for kind, row in _kinds().items():
                if any(_has(spoken, phrase) for phrase in row.card):
                    yield kind, " ".join(clause.split()), not bound and not _AT_TIMES.search(clause)


def _has(spoken: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    """Whether the clause contains the phrase and does not deny it."""
    for place in range(len(spoken) - len(phrase) + 1):
        if spoken[place : place + len(phrase)] == phrase:
            return not _DENIED.intersection(spoken[max(0, place - 3) : place])
    return False


def _stemmed(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words(text))


def drift_of(manner: Manner, line: str) -> Drift:
    """How far one line is from the manner, mostly by its worst departure, and why."""
    spoken = words(line)
    if len(spoken) < _FEWEST_WORDS:
        return Drift()
    found = [(trait, _distance(trait.name, line, spoken)) for trait in manner.traits]
    scored = [(trait, departure) for trait, departure in found if departure is not None]
    if not scored:
        return Drift()
    distances = [departure.distance for _, departure in scored]
    reasons = sorted((one for _, one in scored if one.distance > 0), key=lambda one: -one.distance)
    mean = sum(distances) / len(distances)
    return construct(Drift, {"score": round(0.8 * max(distances) + 0.2 * mean, 3), "reasons": tuple(reasons)})


def _distance(kind: str, line: str, spoken: tuple[str, ...]) -> Departure | None:
    """The departure from one trait, 0 if there is none; None if this line cannot show it."""
    measure = _MEASURES.get(kind, _by_words)
    found = measure(kind, line, spoken)
    if found is None:
        return None
    distance, evidence = found
    return construct(Departure, {"trait": kind, "evidence": evidence, "distance": round(_ramp(distance, 0, 1), 3)})


_Found = tuple[float, str] | None


def _is_terse(kind: str, line: str, spoken: tuple[str, ...]) -> _Found:
    parts = _SENTENCE.findall(line)
    longest = len(spoken) if len(parts) == 1 else max((len(words(part)) for part in parts), default=0)
    distance = 0.7 * _ramp(longest, 16, 32) + 0.5 * _ramp(len(spoken), 32, 70)
    return distance, f"{len(spoken)} words, {longest} in one sentence"


def _is_wordy(kind: str, line: str, spoken: tuple[str, ...]) -> _Found:
    return 0.7 * (1 - _ramp(len(spoken), 4, 10)), f"{len(spoken)} words"


def _is_quiet(kind: str, line: str, spoken: tuple[str, ...]) -> _Found:
    shouted = _SHOUTED.findall(line) if not line.isupper() else [line]
    marks = line.count("!")
    return 0.3 * marks + 0.4 * len(shouted), f"{marks} exclamation marks" if marks else ", ".join(shouted)


def _is_loud(kind: str, line: str, spoken: tuple[str, ...]) -> _Found:
    """One quiet line of a loud person proves nothing."""
    return (0.0, "") if "!" in line else None


def _is_asking(kind: str, line: str, spoken: tuple[str, ...]) -> _Found:
    return (0.0, "") if "?" in line else None


def _is_telling(kind: str, line: str, spoken: tuple[str, ...]) -> _Found:
    return 0.6 * line.count("?"), "a question"


def _is_formal(kind: str, line: str, spoken: tuple[str, ...]) -> _Found:
    loose = [*_CONTRACTION.findall(line), *_against(kind, spoken)]
    return _share(loose, spoken, 4.0), ", ".join(loose)


def _by_words(kind: str, line: str, spoken: tuple[str, ...]) -> _Found:
    found = _against(kind, spoken)
    if kind == "hedging" and _against("assertive", spoken):
        found = []
    if kind == "casual" and _CONTRACTION.search(line):
        found = []
    return _share(found, spoken, 3.0 if kind == "assertive" else 4.0), ", ".join(found)


_MEASURES: Mapping[str, Callable[[str, str, tuple[str, ...]], _Found]] = {
    "terse": _is_terse,
    "wordy": _is_wordy,
    "quiet": _is_quiet,
    "loud": _is_loud,
    "asking": _is_asking,
    "telling": _is_telling,
    "formal": _is_formal,
}


def _share(found: Sequence[str], spoken: Sequence[str], weight: float) -> float:
    """The share of such words in a line; a single one is never enough by itself."""
    if not found:
        return 0.0
    return min(weight * len(found) / max(len(spoken), 8), 0.3 if len(found) == 1 else 1.0)


def _against(kind: str, spoken: tuple[str, ...]) -> list[str]:
    """The phrases of a list that occur in a line, in the order of the list, each as often as it occurs."""
    phrases = _by_first_word(kind)
    said = [
        phrase
        for place, word in enumerate(spoken)
        for phrase in phrases.get(word, ())
        if spoken[place : place + len(phrase)] == phrase
    ]
    if not said:
        return []
    return [" ".join(phrase) for phrase in _kinds()[kind].against for _ in range(said.count(phrase))]


@cache
def _by_first_word(kind: str) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Indexed by first word, because a line is compared with many lists and matches few of their phrases."""
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for phrase in dict.fromkeys(_kinds()[kind].against):
        found[phrase[0]] = (*found.get(phrase[0], ()), phrase)
    return found


def _ramp(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))


def correction(manner: Manner, drift: Drift) -> str:
    """The director's corrective note; empty if there is nothing to correct."""
    if not drift.reasons:
        return ""
    kinds = _kinds()
    worst = drift.reasons[0].trait
    others = [trait.name for trait in manner.traits if trait.name != worst]
    habits = " and ".join(kinds[kind].does for kind in (worst, *others[:1]))
    return note_text("correction", name=manner.name, habits=habits, was=kinds[worst].was, fix=kinds[worst].fix)


def effect(before: Sequence[Drift], after: Sequence[Drift]) -> float | None:
    """How much closer to the card the lines came: above 0, the note helped. None if either side went unscored."""
    earlier = [drift.score for drift in before if drift.score is not None]
    later = [drift.score for drift in after if drift.score is not None]
    if not earlier or not later:
        return None
    return round(fmean(earlier) - fmean(later), 3)
