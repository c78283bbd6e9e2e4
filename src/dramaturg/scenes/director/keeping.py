"""Secrets that a sub-goal wants kept, and the line in which one was told after all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from dramaturg.kernel.text.words import content, stem, stems, words
from dramaturg.scenes.director.deed import small_words
from dramaturg.scenes.director.evidence import QuotableLine, subject_of
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.leaks import PrivateFact, suspect_leaks
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.negation import UNSPACED
from dramaturg.scenes.director.tables import lexicon

_TELLING = 4


class Secret(NamedTuple):
    """What only one character knows."""

    holder: str
    text: str


class Confidence(NamedTuple):
    """The secrets of a scene, and what everybody has been told of it: its prompt, its goal, the cast."""

    secrets: tuple[Secret, ...] = ()
    known: tuple[str, ...] = ()


NO_SECRETS = Confidence()


def told_in(goal: Goal, lines: Sequence[QuotableLine], confidence: Confidence, cast: CastNames) -> QuotableLine | None:
    """The line in which a character tells a secret that a sub-goal wants kept; what others said tells nothing."""
    if not confidence.secrets or not _is_about_telling(goal):
        return None
    subject = subject_of(goal, cast)
    for secret in _meant(goal, confidence.secrets, subject, cast):
        teller = subject if subject is not None and not _learns(goal) else secret.holder
        if (line := _telling(secret, teller, lines, confidence.known)) is not None:
            return line
    return None


def _telling(secret: Secret, teller: str, lines: Sequence[QuotableLine], known: tuple[str, ...]) -> QuotableLine | None:
    fact = PrivateFact(id="secret", text=secret.text, source=f"secret of {secret.holder}")
    marks = set(content(secret.text))
    heard = list(known)
    for line in lines:
        if line.speaker != teller:
            heard.append(line.text)
        elif not line.deed and marks & stems(line.text) and _tells(line.text, heard, fact):
            return line
    return None


def _tells(text: str, heard: Sequence[str], fact: PrivateFact) -> bool:
    """Whether a line has the secret's own words; small words, which the audit knows in English alone, are none."""
    shared = {word for leak in suspect_leaks(text, heard, (fact,)) for word in leak.words}
    telling = {word for word in shared if word.isdigit() or (len(word) >= _TELLING and word not in small_words())}
    return (
        len(telling) > 1
        or any(word.isdigit() for word in telling)
        or (UNSPACED.search(text) is not None and bool(shared))
    )


def _meant(goal: Goal, secrets: Sequence[Secret], subject: str | None, cast: CastNames) -> Sequence[Secret]:
    """The secrets a goal speaks of: those that share a word with it, else those of its subject, else all."""
    names = {stem(word) for name in cast.names for word in words(name)}
    asked = {stem(word) for word in words(goal.text) if word not in small_words()} - names - _stems("tells")
    own = [secret for secret in secrets if secret.holder == subject] or secrets
    return [secret for secret in own if asked & set(content(secret.text))] or own


def _is_about_telling(goal: Goal) -> bool:
    said = {stem(word) for word in words(goal.text)}
    return bool(said & (_stems("tells") | _stems("learns"))) or any(
        sign in goal.text for sign in lexicon("telling")["telling_signs"]
    )


def _learns(goal: Goal) -> bool:
    return bool({stem(word) for word in words(goal.text)} & _stems("learns"))


@cache
def _stems(row: str) -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon("telling")[row])
