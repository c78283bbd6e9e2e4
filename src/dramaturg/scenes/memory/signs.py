"""What a line gives away: the tone it is said in, and the acts that its words are. Looked up, not guessed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

from pydantic import Field

from dramaturg.kernel.director.words import stem, words
from dramaturg.kernel.values import Value
from dramaturg.scenes.memory.values import Kind

_CLAUSE = re.compile(r"[^.!?;,:…—–\n]+[.!?;,:…—–\n]?")
_BEFORE = 4


class Effect(Value):
    """What an act does to the mood of somebody, and to their bond with the other."""

    valence: float = 0.0
    arousal: float = 0.0
    trust: float = 0.0
    affection: float = 0.0
    tension: float = 0.0

    def plus(self, other: Effect) -> Effect:
        return Effect(**{name: getattr(self, name) + getattr(other, name) for name in Effect.model_fields})

    @property
    def on_bond(self) -> bool:
        return bool(self.trust or self.affection or self.tension)


class SpeechAct(Value):
    """Something that is done by saying it: an apology, a promise, an accusation."""

    name: str
    importance: float = Field(ge=0, le=1)
    kind: Kind
    mine: str
    theirs: str
    cause: str
    phrases: tuple[tuple[str, ...], ...]
    asked: bool = False
    literal: bool = False
    hearer: Effect = Effect()
    speaker: Effect = Effect()


class Feeling(Value):
    """What a tone says of its speaker, and how it treats the one it is said to."""

    valence: float = 0.0
    arousal: float = 0.0
    regard: float = 0.0
    known: bool = False


class _Lexicon(Value):
    tones: Mapping[str, Feeling]
    acts: tuple[SpeechAct, ...]
    denials: frozenset[str]


@lru_cache(maxsize=1024)
def feeling_of(tone: str) -> Feeling:
    """The feeling of a tone in free words ("quietly furious"); nothing is felt in one that nobody knows."""
    tones = _lexicon().tones
    found = [tones[root] for word in words(tone) if (root := stem(word)) in tones]
    if not found:
        return Feeling()
    mean = {name: sum(getattr(one, name) for one in found) / len(found) for name in ("valence", "arousal", "regard")}
    return Feeling(**mean, known=True)


@lru_cache(maxsize=4096)
def acts_in(text: str) -> tuple[SpeechAct, ...]:
    """The acts in a line, what matters most first. What is denied, supposed or asked is not done."""
    clauses = [(words(clause), clause.rstrip().endswith("?")) for clause in _CLAUSE.findall(text)]
    found = [act for act in _lexicon().acts if any(_does(act, spoken, asked) for spoken, asked in clauses)]
    return tuple(sorted(found, key=lambda act: -act.importance))


def _does(act: SpeechAct, spoken: tuple[str, ...], asked: bool) -> bool:
    if asked and not act.asked:
        return False
    return any(act.literal or not _denied(spoken[:place]) for place in _places(act, spoken))


def _places(act: SpeechAct, spoken: tuple[str, ...]) -> Iterator[int]:
    for phrase in act.phrases:
        for place in range(len(spoken) - len(phrase) + 1):
            if spoken[place : place + len(phrase)] == phrase:
                yield place


def _denied(before: tuple[str, ...]) -> bool:
    return any(word in _lexicon().denials for word in before[-_BEFORE:])


@cache
def _lexicon() -> _Lexicon:
    raw = tomllib.loads((files(__package__) / "lexicon.toml").read_text(encoding="utf-8"))
    tones = {
        stem(word): Feeling(valence=tone["valence"], arousal=tone["arousal"], regard=tone["regard"], known=True)
        for tone in raw["tones"].values()
        for word in tone["words"].split()
    }
    acts = tuple(
        SpeechAct(name=name, **{**act, "phrases": tuple(words(phrase) for phrase in act["phrases"])})
        for name, act in raw["acts"].items()
    )
    return _Lexicon(tones=tones, acts=acts, denials=frozenset(raw["denials"]["words"].split()))
