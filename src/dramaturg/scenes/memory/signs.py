"""The signs in a line: the feeling of its tone, and its speech acts. From a lexicon, not guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from pydantic import Field

from dramaturg.kernel.text.tables import table
from dramaturg.kernel.text.words import stem, words
from dramaturg.kernel.values import Value
from dramaturg.scenes.memories import MemoryKind

_CLAUSE = re.compile(r"[^.!?;,:…—–\n]+[.!?;,:…—–\n]?")
_BEFORE, _NEAR = 4, 2


class Imprint(Value):
    """What an act does to the mood of somebody, and to their bond with the other."""

    valence: float = 0.0
    arousal: float = 0.0
    trust: float = 0.0
    affection: float = 0.0
    tension: float = 0.0

    def plus(self, other: Imprint) -> Imprint:
        return Imprint(**{name: getattr(self, name) + getattr(other, name) for name in Imprint.model_fields})

    @property
    def on_bond(self) -> bool:
        return bool(self.trust or self.affection or self.tension)


class SpeechAct(Value):
    """Something that is done by saying it: an apology, a promise, an accusation."""

    name: str
    importance: float = Field(ge=0, le=1)
    kind: MemoryKind
    mine: str
    theirs: str
    cause: str
    phrases: tuple[tuple[str, ...], ...]
    asked: bool = False
    literal: bool = False
    verbs: tuple[str, ...] = ()
    hearer: Imprint = Imprint()
    speaker: Imprint = Imprint()


class Feeling(Value):
    """What a tone says of its speaker, and how it treats the one it is said to."""

    valence: float = 0.0
    arousal: float = 0.0
    regard: float = 0.0
    known: bool = False


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """`acts` by the first word of each of their phrases."""

    tones: Mapping[str, Feeling]
    acts: Mapping[str, tuple[tuple[tuple[str, ...], SpeechAct], ...]]
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
    found: dict[str, SpeechAct] = {}
    for clause in _CLAUSE.findall(text):
        asked = clause.rstrip().endswith("?")
        for act, before in _done_in(words(clause)):
            if (act.asked or not asked) and (act.literal or not _denied(before)):
                found[act.name] = act
    return tuple(sorted(found.values(), key=lambda act: (-act.importance, act.name)))


@lru_cache(maxsize=1024)
def acts_named(goal: str, speaker: str) -> tuple[SpeechAct, ...]:
    """The acts that a sub-goal asks of a speaker by name: "Bob finally promises to pay"."""
    spoken, name = words(goal), words(speaker)
    for place in range(len(spoken) - len(name) + 1):
        if name and spoken[place : place + len(name)] == name:
            verbs = {stem(word) for word in spoken[place + len(name) :][:_NEAR]}
            return tuple(act for act in _all_acts() if verbs & {stem(verb) for verb in act.verbs})
    return ()


@cache
def _all_acts() -> tuple[SpeechAct, ...]:
    acts = {act.name: act for found in _lexicon().acts.values() for _, act in found}
    return tuple(sorted(acts.values(), key=lambda act: (-act.importance, act.name)))


def _done_in(spoken: tuple[str, ...]) -> Iterator[tuple[SpeechAct, tuple[str, ...]]]:
    """Acts whose phrase is in the clause, each with the words before it."""
    acts = _lexicon().acts
    for place, word in enumerate(spoken):
        for phrase, act in acts.get(word, ()):
            if spoken[place : place + len(phrase)] == phrase:
                yield act, spoken[:place]


def _denied(before: tuple[str, ...]) -> bool:
    return any(word in _lexicon().denials for word in before[-_BEFORE:])


@cache
def _lexicon() -> _Lexicon:
    raw = table(__package__, "lexicon.toml")
    tones = {
        stem(word): Feeling(valence=tone["valence"], arousal=tone["arousal"], regard=tone["regard"], known=True)
        for tone in raw["tones"].values()
        for word in tone["words"].split()
    }
    acts: dict[str, list[tuple[tuple[str, ...], SpeechAct]]] = {}
    for name, fields in raw["acts"].items():
        act = SpeechAct(name=name, **{**fields, "phrases": tuple(words(phrase) for phrase in fields["phrases"])})
        for phrase in act.phrases:
            acts.setdefault(phrase[0], []).append((phrase, act))
    by_first = {word: tuple(found) for word, found in acts.items()}
    return _Lexicon(tones=tones, acts=by_first, denials=frozenset(raw["denials"]["words"].split()))
