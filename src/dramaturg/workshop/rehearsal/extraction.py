"""The rehearsal company's reading of a passage: a few plain statements by rule, in the protocol of extraction.

It finds eyes, hair, ages, deaths, births and owners where a sentence names its subject and says it outright, in
English, German and Spanish. It finds little, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import orjson

from dramaturg.kernel.models.port import Cue, CueAnswer
from dramaturg.kernel.text.sentences import sentence_ends

NOTE = "The rehearsal company reads by rule and finds only the plainest statements. Choose a model to read more."
MOST = 60
_NAME = r"(?P<who>[A-ZÄÖÜÁÉÍÓÚÑ][^\W\d_]{1,30}(?: [A-ZÄÖÜÁÉÍÓÚÑ][^\W\d_]{1,30}){0,2})"
_COLOUR = (
    r"(?P<what>(?:(?:dark|light|pale|bright|deep|hell|dunkel|ice|sea|steel|sky)[- ]?)?"
    r"(?:blue|green|brown|grey|gray|hazel|black|white|blond|blonde|red|auburn|silver|golden|fair"
    r"|blaue[nrs]?|grüne[nrs]?|braune[nrs]?|graue[nrs]?|schwarze[nrs]?|rote[nrs]?|blonde[nrs]?|weiße[nrs]?"
    r"|azules|verdes|castaños|marrones|grises|negros|negro|rubio|castaño|rojo|blanco|gris))"
)
_PATTERNS = (
    ("eye_colour", rf"{_NAME}(?:'s|’s)? (?:\w+ ){{0,2}}?eyes (?:were|are|had always been) (?:\w+ )?{_COLOUR}\b"),
    ("eye_colour", rf"{_NAME} (?:had|has|with|hatte|hat|tenía|tiene)(?: \w+)? {_COLOUR} (?:eyes|Augen|ojos)\b"),
    ("eye_colour", rf"{_NAME}(?:'s|’s|s) {_COLOUR} (?:eyes|Augen)\b"),
    ("eye_colour", rf"{_NAME} (?:tenía|tiene) (?:los )?ojos {_COLOUR}\b"),
    ("hair_colour", rf"{_NAME}(?:'s|’s)? (?:\w+ )?hair (?:was|is) (?:\w+ )?{_COLOUR}\b"),
    ("hair_colour", rf"{_NAME} (?:had|has|hatte|hat)(?: \w+)? {_COLOUR} (?:hair|Haare|Haar)\b"),
    ("hair_colour", rf"{_NAME}(?:'s|’s|s) {_COLOUR} (?:hair|Haar|Haare)\b"),
    ("hair_colour", rf"{_NAME} (?:tenía|tiene) el pelo {_COLOUR}\b"),
    ("age", rf"{_NAME} (?:was|is|war|ist|tenía|tiene) (?P<what>\d{{1,3}})(?: years old| Jahre alt| años|,|\.|$)"),
    ("born_on", rf"{_NAME} (?:was born|wurde|nació) (?:in|on|en|am) (?:the year |Jahr |año )?(?P<what>\d{{4}})\b"),
    ("is_dead", rf"{_NAME} (?:was|is|lay|war|ist|lag|estaba) (?:already )?(?:dead|tot|muert[oa])\b"),
    ("is_dead", rf"{_NAME} (?:died|starb|murió)\b"),
    ("owns", rf"{_NAME} (?:owned|owns|besaß|poseía) (?:the |das |die |den |el |la )?(?P<what>[^\W\d_]{{3,30}})"),
)  # fmt: skip
_UNSURE = re.compile(
    r"\b(?:if|would|might|may|perhaps|maybe|dreamed|dreamt|dream|thought|believed|imagined|said|wenn|würde|vielleicht"
    r"|träumte|dachte|glaubte|sagte|si|quizás?|soñó|creía|pensó|dijo|not|never|no|nicht|nie|kein)\b",
    re.I,
)
_QUOTED = re.compile(r"[\"“”„«»]")


@dataclass(frozen=True, slots=True)
class ExtractionCue(Cue):
    """A passage to read, the names in it that are known, and who tells it."""

    passage: str
    names: tuple[str, ...] = ()
    pov: str = ""

    def answer(self) -> CueAnswer:
        facts = [*_found(self.passage), *_present(self.passage, self.names)][:MOST]
        return CueAnswer.composed(orjson.dumps({"note": NOTE, "facts": facts}).decode())


def _found(passage: str) -> Iterator[dict[str, str]]:
    start = 0
    for end in sentence_ends(passage):
        sentence = passage[start:end].strip()
        start = end
        if len(sentence) > 400 or _UNSURE.search(sentence) or _QUOTED.search(sentence) or "?" in sentence:
            continue
        for predicate, pattern in _patterns():
            for found in pattern.finditer(sentence):
                yield _fact(predicate, found)


def _fact(predicate: str, found: re.Match[str]) -> dict[str, str]:
    said = found.groupdict()
    return {
        "subject": said["who"],
        "predicate": predicate,
        "object": said.get("what") or "",
        "modality": "narrated",
        "time": "",
        "quote": found[0],
    }


def _present(passage: str, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Those who say something in the passage are there."""
    for name in dict.fromkeys(names):
        found = re.search(
            rf"(?:said|asked|answered|sagte|fragte|antwortete|dijo|preguntó) {re.escape(name)}\b", passage
        )
        found = found or re.search(
            rf"\b{re.escape(name)} (?:said|asked|answered|sagte|fragte|antwortete|dijo)\b", passage
        )
        if found is not None:
            yield {"subject": name, "predicate": "present_at", "object": "", "modality": "narrated", "quote": found[0]}


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((predicate, re.compile(pattern)) for predicate, pattern in _PATTERNS)
