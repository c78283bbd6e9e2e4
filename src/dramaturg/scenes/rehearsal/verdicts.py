"""The company's judge: which sub-goals are met, each by words that are really in the transcript."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dramaturg.scenes.rehearsal.cast_names import CastNames
from dramaturg.scenes.rehearsal.deeds import Deed, deeds_of
from dramaturg.scenes.rehearsal.inventions import discloses, invention_of
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.rehearsal.portraits import portraits_of
from dramaturg.scenes.rehearsal.speech_acts import (
    assents,
    content_words,
    overlap,
    proposes,
    sentences,
    shows,
)

_ANSWERS = {
    "accept": ("apologise", "confess", "realise"),
    "forgive": ("apologise", "confess", "realise"),
    "refuse": ("offer", "ask", "order"),
    "yield": ("offer", "ask", "refuse", "order", "bet", "invite", "price"),
    "catch": ("lie",),
    "agree": (),
    "reconcile": ("apologise",),
}
_ON_THE_WAY = frozenset({"confront", "argue", "mediate", "present", "fact"})
_NEED = {"promise": 0.5, "decide": 0.6, "order": 0.3, "give": 0.5, "ask": 0.3, "warn": 0.3, "invite": 0.3}
# A deed is not done by saying that it should be.
_WISHED = re.compile(
    r"\b(?:wants?|wanted|needs?|asks?|asking|expects?|told|tell|telling|you'd like) (?:me|you|him|her|us|them) to\b"
    r"|\b(?:if|should|before|unless|whether|why would|why should) (?:I|we|you)\b|\bwould you\b|\bgoing to ask\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class GoalFinding:
    """A sub-goal that is met: the words, the speaker, and the line of the transcript."""

    goal: int
    quote: str
    speaker: str
    line: int


@lru_cache(maxsize=512)
def findings(book: Playbook, lines: tuple[HeardLine, ...]) -> tuple[GoalFinding, ...]:
    """Every sub-goal that the transcript meets, in order of the goals."""
    judge = _Judge(book, lines)
    met: dict[int, GoalFinding] = {}
    deeds = deeds_of(book)
    for place, deed in enumerate(deeds):
        found = judge.find(deed, _after(deed, deeds[:place], met))
        if found is not None:
            met[deed.number] = found
    return tuple(met.values())


# What somebody refuses, after "I won't"; a mere "do it" or "have that" refers to what was asked.
_WONT = re.compile(
    r"\bI(?:'m| am)? (?:won't|will not|can't|cannot|not) "
    r"(?!(?:do|doing|have|having|take|taking|hear of) (?:it|this|that)\b)(.+)",
    re.IGNORECASE,
)


def _after(deed: Deed, before: Sequence[Deed], met: dict[int, GoalFinding]) -> int | None:
    """The earliest line for this deed; None if the deed it answers has not been done."""
    if deed.kind in ("agree", "reconcile"):
        done = all(other.number in met for other in before if other.kind not in _ON_THE_WAY)
        return max((found.line for found in met.values()), default=-1) if done else None
    answered = answers(deed, before)
    if answered is None:
        return -1
    found = met.get(answered.number)
    return found.line if found else None


def answers(deed: Deed, before: Sequence[Deed]) -> Deed | None:
    """The earlier deed that this one replies to: no pardon without an apology."""
    return next((other for other in reversed(before) if other.kind in _ANSWERS.get(deed.kind, ())), None)


def _refuses_another_thing(wanted: frozenset[str], sentence: str) -> bool:
    """'I won't mind the order' does not refuse to carry a crate; 'I won't' and 'I won't do it' may."""
    own = _WONT.search(sentence)
    return bool(wanted and own and content_words(own[1]) and not overlap(wanted, sentence))


class _Judge:
    def __init__(self, book: Playbook, lines: tuple[HeardLine, ...]) -> None:
        self._book = book
        self._lines = [(place, line) for place, line in enumerate(lines) if line.kind == "line" and line.content]
        self._company = CastNames(tuple(part.name for part in book.cast))
        self._own = {
            name: frozenset(portrait.own.get("revealing", ())) for name, portrait in portraits_of(book).items()
        }

    def find(self, deed: Deed, after: int | None) -> GoalFinding | None:
        if after is None:
            return None
        if deed.kind == "agree" or (deed.mutual and deed.kind in ("reconcile", "part")):
            return self._mutual(deed, after)
        if deed.kind == "argue":
            return self._argument(deed)
        for place, line in self._lines:
            if place <= after or (deed.actors and line.speaker not in deed.actors):
                continue
            if deed.kind == "argue" and line.action != "interrupt":
                continue
            quote = self._quote(deed, place, line)
            if quote:
                return GoalFinding(deed.number, quote, line.speaker, place)
        return None

    def _quote(self, deed: Deed, place: int, line: HeardLine) -> str:
        said = sentences(line.content, line.cut)
        if deed.kind == "present":
            return said[0] if said else ""
        for sentence in said:
            if self._does(deed, sentence, place, line):
                return sentence
        return ""

    def _does(self, deed: Deed, sentence: str, place: int, line: HeardLine) -> bool:
        kind = "accept" if deed.kind == "forgive" else deed.kind
        if kind == "reveal":
            return self._reveals(deed, sentence, line)
        if kind == "lie":
            return self._lies(deed, sentence, line)
        if kind == "do" and _WISHED.search(sentence):
            return False
        if kind in ("do", "fact"):
            return self._says(deed, sentence, 0.5 if kind == "do" else 0.6)
        if kind in ("confess", "apologise", "accuse") and self._tells(deed, sentence):
            return True
        if not shows(kind, sentence):
            commanded = bool(deed.do) and sentence.lower().startswith(deed.do.split()[0])
            return kind == "order" and commanded and self._says(deed, sentence, 0.5)
        return self._fits(deed, sentence, place, line)

    def _fits(self, deed: Deed, sentence: str, place: int, line: HeardLine) -> bool:
        """Whether the deed has the right subject: in the same line, or in the line that a short answer replies to."""
        wanted, need = self._wanted(deed), _NEED.get(deed.kind, 0.0)
        if deed.kind == "refuse" and _refuses_another_thing(wanted, sentence):
            return False
        if not wanted or not need:
            return True
        said = sentences(line.content)
        spot = said.index(sentence) if sentence in said else 0
        if overlap(wanted, " ".join(said[max(0, spot - 1) : spot + 2])) >= need:
            return True
        before = [other.content for at, other in self._lines if at < place][-4:]
        return len(line.content.split()) <= 12 and overlap(wanted, " ".join(before)) >= 0.6

    def _wanted(self, deed: Deed) -> frozenset[str]:
        text = deed.do or deed.thing or deed.what
        names = frozenset(word.lower() for name in self._company.names for word in name.split())
        return content_words(text) - names

    def _tells(self, deed: Deed, sentence: str) -> bool:
        """'I stole the ring' confesses the theft of the ring; 'You stole it' accuses."""
        if deed.kind == "apologise" or not deed.did or sentence.endswith("?"):
            return False
        head = "I " if deed.kind == "confess" else "you "
        return head.lower() in f"{sentence.lower()} " and overlap(content_words(deed.did), sentence) >= 0.6

    def _lies(self, deed: Deed, sentence: str, line: HeardLine) -> bool:
        told = self._invented(deed)
        if told and told in line.content:
            return sentence in told
        return discloses(deed, sentence, line.content, self._company.names)

    def _invented(self, deed: Deed) -> str:
        found = invention_of(self._book, deed)
        return found.told if found else ""

    def _reveals(self, deed: Deed, sentence: str, line: HeardLine) -> bool:
        own = self._own.get(line.speaker, frozenset())
        if any(secret in line.content for secret in own):
            return any(sentence in secret for secret in own)
        if deed.did and not deed.what:
            return self._tells(replace(deed, kind="confess"), sentence)
        told = self._invented(deed)
        if told and told in line.content:
            return sentence in told or told in sentence
        return discloses(deed, sentence, line.content, self._company.names)

    def _says(self, deed: Deed, sentence: str, need: float) -> bool:
        names = frozenset(word.lower() for name in self._company.names for word in name.split())
        wanted = (content_words(deed.do or deed.text)) - names
        denied = any(word in f" {sentence.lower()} " for word in (" not ", "n't ", " never ", "n’t "))
        if sentence.endswith("?") or (denied and not deed.denied and "never" not in deed.do):
            return False
        return overlap(wanted, sentence) >= need if wanted else bool(sentence) and deed.kind == "fact"

    def _mutual(self, deed: Deed, after: int) -> GoalFinding | None:
        """One proposes and another agrees; making peace and parting also take two."""
        kind = deed.kind
        proposers: set[str] = set()
        previous = ""
        for place, line in self._lines:
            if place <= after:
                continue
            for sentence in sentences(line.content, line.cut):
                others = proposers - {line.speaker}
                weak = previous in others and "?" not in line.content and not proposes(line.content)
                done = assents(sentence, weak) if kind == "agree" else shows(kind, sentence)
                if done and others and (not deed.actors or line.speaker in deed.actors):
                    return GoalFinding(deed.number, sentence, line.speaker, place)
            if (kind == "agree" and proposes(line.content)) or (
                kind != "agree" and any(shows(kind, one) for one in sentences(line.content, line.cut))
            ):
                proposers.add(line.speaker)
                previous = line.speaker
            else:
                previous = ""
        return None

    def _argument(self, deed: Deed) -> GoalFinding | None:
        """An argument is two people with two lines each; one that names an interruption needs one."""
        spoken: dict[str, int] = {}
        named = self._company.find(deed.text)
        cutter = named[0] if named and "interrupt" in deed.text else ""
        for place, line in self._lines:
            spoken[line.speaker] = spoken.get(line.speaker, 0) + 1
            said = sentences(line.content)
            if "interrupt" in deed.text.lower():
                if line.action == "interrupt" and (not cutter or line.speaker == cutter) and said:
                    return GoalFinding(deed.number, said[0], line.speaker, place)
            elif said and sum(count >= 2 for count in spoken.values()) >= 2:
                return GoalFinding(deed.number, said[0], line.speaker, place)
        return None
