"""Messages that speak of self-harm or abuse: noticed by rules, answered outside the story with a way to get help.

Figures of speech, plots and denials are left alone where the rules can tell. When they cannot, a kind line too many
does less harm than one too few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from dramaturg.episodes.language import ENGLISH, likely_languages, tongues
from dramaturg.episodes.stance import Sentence, sentences_of
from dramaturg.kernel.settings import CareSettings
from dramaturg.kernel.text.tables import table
from dramaturg.kernel.text.words import words

ConcernKind = Literal["self_harm", "abuse"]
KINDS: tuple[ConcernKind, ...] = ("self_harm", "abuse")
AHEAD = 60


@dataclass(frozen=True, slots=True)
class Concern:
    """What a message speaks of, in which language, and the sentence."""

    kind: ConcernKind
    language: str
    quote: str


@dataclass(frozen=True, slots=True)
class _Rules:
    kinds: Mapping[ConcernKind, re.Pattern[str]]
    unless: re.Pattern[str] | None
    denied: re.Pattern[str] | None
    holds: re.Pattern[str] | None


def _table() -> Mapping[str, Mapping[str, object]]:
    return table(__package__, "care.toml")


@cache
def _rules() -> Mapping[str, _Rules]:
    def joined(rows: object) -> re.Pattern[str] | None:
        return re.compile("|".join(rows)) if isinstance(rows, list) and rows else None

    return {
        language: _Rules(
            {kind: found for kind in KINDS if (found := joined(part[kind])) is not None},
            *(joined(part[name]) for name in ("unless", "denied", "holds")),
        )
        for language, part in _table().items()
        if language != "text"
    }


@lru_cache(maxsize=2048)
def concern_in(text: str) -> Concern | None:
    """What a message speaks of, if it does. Words that somebody else is quoted with do not count."""
    for sentence in _own(text):
        found = [(kind, language) for language, rules in _rules().items() for kind in _kinds(sentence, language, rules)]
        if found:
            # "Me corto" is said in Spanish and Portuguese: the rest of the message tells which.
            likely = likely_languages(sentence.raw) or likely_languages(text)
            kind, language = next((one for one in found if one[1] in likely), found[0])
            return Concern(kind, language, sentence.raw)
    return None


def _kinds(sentence: Sentence, language: str, rules: _Rules) -> Iterator[ConcernKind]:
    for kind, pattern in rules.kinds.items():
        hits = (found for found in pattern.finditer(sentence.text) if not _never(found[0], kind, language))
        if any(_is_meant(sentence, found, rules) for found in hits):
            yield kind


def _own(text: str) -> Iterator[Sentence]:
    """The player's own sentences; after "he wrote:" comes somebody else's."""
    theirs = False
    for sentence in sentences_of(text):
        told, _, rest = sentence.text.rpartition(":")
        theirs = bool(re.search(r"\b(?!i\b)\w+ (?:wrote|writes|said|says|reads?|screamed|whispered)$", told.strip()))
        if sentence.own and not theirs:
            yield sentence
        elif theirs and sentence.own and told and not rest:
            yield Sentence(told, sentence.raw, sentence.asks)


def _never(found: str, kind: ConcernKind, language: str) -> bool:
    """Whether what was found says that it does not happen: "my father never hit me"."""
    return kind == "abuse" and not tongues()[language].denies.isdisjoint(words(found))


def _is_meant(sentence: Sentence, found: re.Match[str], rules: _Rules) -> bool:
    if rules.unless is not None and rules.unless.search(sentence.text):
        return False
    ahead = sentence.text[max(0, found.start() - AHEAD) : found.start()]
    if rules.holds is not None and rules.holds.search(ahead):
        return True
    return rules.denied is None or not rules.denied.search(ahead)


def care_text(concern: Concern, settings: CareSettings, episode_language: str = "") -> str:
    """The line for a concern: the host's in its language, else ours; else in the episode's, else in English."""
    own: Mapping[str, str] = getattr(settings, concern.kind)
    texts = _table()["text"]
    for language in (concern.language, episode_language, ENGLISH):
        part = texts.get(language)
        ours = part.get(concern.kind) if isinstance(part, dict) else None
        if text := own.get(language) or ours:
            return str(text)
    raise AssertionError("there is a text in English")
