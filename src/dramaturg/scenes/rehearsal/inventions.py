"""What a reveal reveals if the author has not said: drawn once from the seed, the same for the whole cast."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from dramaturg.kernel.models.rehearsal.part import MEMORIES
from dramaturg.scenes.rehearsal.banks import sheet
from dramaturg.scenes.rehearsal.cast_names import CastNames
from dramaturg.scenes.rehearsal.deeds import Deed
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.rehearsal.premise import premise_of
from dramaturg.scenes.rehearsal.speech_acts import content_words, shows

_HOLDS = r"{box} (?:holds|contains|hides|is full of|is filled with) (?P<x>[^.,;]+)"
_LIES = r"(?P<x>(?:an?|some) [\w' -]+?) (?:is|lies|was) (?:hidden )?(?:in|inside|under) {box}\b"


@dataclass(frozen=True, slots=True)
class Invention:
    """What was asked for, and the sentence in which its revealer tells it."""

    question: str
    told: str


@lru_cache(maxsize=256)
def invention_of(book: Playbook, deed: Deed) -> Invention | None:
    """The invention for a sub-goal to reveal something; None if the goal itself or a card says what it is."""
    if deed.kind not in ("reveal", "lie") or (deed.did and not deed.what):
        return None
    question, place = _asked(deed)
    known = _told_already(book, place) if question == "inside" else ""
    chance = random.Random(f"{book.seed}/{book.name}/{deed.text}")
    told = known or chance.choice(_options(question, premise_of(book).domain))
    sentence = _rows("told")[question].replace("{told}", told).replace("{place}", place)
    return Invention(question, f"{sentence[0].upper()}{sentence[1:]}")


def question_of(deed: Deed) -> str:
    """What kind of thing a deed is to reveal: inside, who, where, why, …"""
    return _asked(deed)[0]


def discloses(deed: Deed, sentence: str, line: str, names: tuple[str, ...]) -> bool:
    """Whether a sentence says what was to be revealed, rather than announcing it.

    Something new must be in it, beside the words of the question, and in the form of an answer.
    """
    said, question = sentence.replace("’", "'"), question_of(deed)
    denied = _nothing().search(said) and not (question == "why" and said.lower().startswith("because"))
    asked = content_words(f"{deed.what} {deed.thing}")
    own = frozenset(word.lower() for name in names for word in name.split())
    new = content_words(said) - asked - _talk() - own
    if said.endswith("?") or denied or not new:
        return False
    form = _rows("answer").get(question)
    if form:
        return re.search(form, said, re.IGNORECASE) is not None
    told = shows("reveal", said) or re.search(r"\bI \w+|\bhow it was\b", said) is not None
    about = not asked or bool(asked & content_words(line)) or len(new) >= 3
    return told and about and len(new) >= 2


def _asked(deed: Deed) -> tuple[str, str]:
    """The kind of question, and the place where the answer lies."""
    text = deed.what or deed.thing
    for question, form in _questions():
        found = form.search(text)
        if found:
            groups = found.groupdict()
            return question, groups.get("place") or (f"in {groups['box']}" if groups.get("box") else "")
    return "secret", ""


@cache
def _questions() -> tuple[tuple[str, re.Pattern[str]], ...]:
    rows = (row.partition(": ") for row in sheet("questions")["asked"])
    return tuple((kind, re.compile(form)) for kind, _, form in rows)


@cache
def _rows(heading: str) -> Mapping[str, str]:
    return {kind: text for kind, _, text in (row.partition(": ") for row in sheet("questions")[heading])}


@cache
def _nothing() -> re.Pattern[str]:
    return re.compile("|".join(sheet("questions")["nothing"]), re.IGNORECASE)


@cache
def _talk() -> frozenset[str]:
    return content_words(" ".join(sheet("questions")["talk"]))


def _options(question: str, domain: str) -> tuple[str, ...]:
    found = sheet("inventions")
    own = found.get(f"{question} {domain}", ())
    return own if len(own) >= 3 else (*own, *found[f"{question} any"])


def _told_already(book: Playbook, place: str) -> str:
    """What the prompt or a card says is in there."""
    box = re.sub(r"^(?:in|inside|under) ", "", place)
    cards = [line for part in book.cast for heading, lines in part.sections if heading != MEMORIES for line in lines]
    cast = CastNames(tuple(part.name for part in book.cast))
    for text in (book.prompt, *cards):
        for form in (_HOLDS, _LIES):
            found = re.search(form.replace("{box}", re.escape(box)), text, re.IGNORECASE)
            if found and not cast.find(found["x"]):
                return found["x"].strip()
    return ""
