"""The rehearsal company's reading of a passage: a few plain statements by rule, in the protocol of extraction.

It finds eyes, hair, ages, deaths, births and owners where a sentence names its subject and says it outright, in
English, German, Spanish and French, and who speaks. It finds little, and says so.
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
_THEN = r"(?:, [^,.;:]{1,40},|,? (?:who|der|die|que|qui))?"
_HAS = r"(?:had|has|hatte|hat|tenía|tiene|avait|a)"
_IS = r"(?:was|is|war|ist|wurde|tenía|tiene|avait|a)"
_COLOUR = (
    r"(?P<what>(?:(?:dark|light|pale|bright|deep|hell|dunkel|ice|sea|steel|sky)[- ]?)?"
    r"(?:blue|green|brown|grey|gray|hazel|black|white|blond|blonde|red|auburn|silver|golden|fair"
    r"|blaue[nrs]?|grüne[nrs]?|braune[nrs]?|graue[nrs]?|schwarze[nrs]?|rote[nrs]?|blonde[nrs]?|weiße[nrs]?"
    r"|azules|verdes|castaños|marrones|grises|negros|negro|rubio|castaño|rojo|blanco|gris"
    r"|bleus|verts|bruns|noirs|noisette|roux|blancs))"
)
_SPOKE = r"(?:said|asked|answered|sagte|fragte|antwortete|dijo|preguntó|dit|répondit|demanda)"
_PATTERNS = (
    ("eye_colour", rf"{_NAME}(?:'s|’s)? (?:\w+ ){{0,2}}?eyes (?:were|are|had always been) (?:\w+ )?{_COLOUR}\b"),
    ("eye_colour", rf"{_NAME}{_THEN} {_HAS}(?: \w+)? {_COLOUR} (?:eyes|Augen)\b"),
    ("eye_colour", rf"{_NAME} war \d{{1,3}} Jahre alt und hatte {_COLOUR} Augen\b"),
    ("eye_colour", rf"{_NAME}(?:'s|’s|s) {_COLOUR} (?:eyes|Augen)\b"),
    ("eye_colour", rf"{_NAME}{_THEN} {_HAS} (?:los |les )?(?:ojos|yeux) {_COLOUR}\b"),
    ("eye_colour", rf"(?:ojos|yeux) {_COLOUR} (?:de |d'|d’){_NAME}"),
    ("hair_colour", rf"{_NAME}(?:'s|’s)? (?:\w+ )?hair (?:was|is) (?:\w+ )?{_COLOUR}\b"),
    ("hair_colour", rf"{_NAME} {_HAS}(?: \w+)? {_COLOUR} (?:hair|Haare|Haar)\b"),
    ("hair_colour", rf"{_NAME}(?:'s|’s|s) {_COLOUR} (?:hair|Haar|Haare)\b"),
    ("hair_colour", rf"{_NAME} {_HAS} (?:el pelo|les cheveux) {_COLOUR}\b"),
    ("age", rf"{_NAME}{_THEN} {_IS} (?P<what>\d{{1,3}})(?: years old| Jahre alt| años| ans| that week|,|\.| and|$)"),
    ("born_on", rf"{_NAME} (?:was born|wurde|nació|naquit) (?:in|on|en|am) (?:the year |Jahr )?(?P<what>\d{{4}})\b"),
    ("is_dead", rf"{_NAME} (?:was|is|lay|war|ist|lag|estaba|était) (?:already )?(?:dead|tot|muert[oa]|morte?)\b"),
    ("is_dead", rf"\bwar {_NAME} tot\b"),
    ("is_dead", rf"{_NAME} (?:died|starb|murió|mourut|had drowned|drowned)\b"),
    ("owns", rf"{_NAME} (?:owned|owns|besaß|poseía) (?:the |das |die |den |el |la )?(?P<what>[^\W\d_]{{3,30}})"),
    ("receives", rf"\b(?:sold|gave|left|handed|bequeathed) (?:the |his |her )(?P<what>[^\W\d_]{{3,30}}) to {_NAME}"),
    ("receives", rf"{_NAME} (?:bought|inherited|received|won|stole) (?:the )(?P<what>[^\W\d_]{{3,30}})"),
    ("present_at", rf"\b{_SPOKE} {_NAME}"),
    ("present_at", rf"{_NAME} {_SPOKE}\b"),
)  # fmt: skip
_UNSURE = re.compile(
    r"\b(?:if|would|might|may|perhaps|maybe|dreamed|dreamt|dream|thought|believed|imagined|wenn|würde|vielleicht"
    r"|träumte|dachte|glaubte|si|quizás?|soñó|creía|pensó|rêvait|croyait|disait|not|never|no|nicht|nie|kein|pas)\b",
    re.I,
)
_PLAIN = re.compile(
    r"(?:^|[;:]\s+|[—–]\s*|,\s+(?=(?:and|but|und|aber|et|mais|y|pero)\s))(?:(?:and|but|so|then|now|because|und|aber|denn|dann|et|mais|puis|y|pero|entonces)\s+)*"
    r"(?:(?:in|by|at|before|after|that|am|gegen|vor) (?:the |a )?(?:morning|evening|night|noon|dawn|dusk|end|Morgen"
    r"|Abend|Mittag|Nacht),?\s+|(?:um|at|by|gegen|à|a las) (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)(?: o['’]clock| Uhr| heures)?,?\s+)?$"
    r"|^(?:when|while|as|als|während|quand|cuando)\s[^,]{1,60},\s+$",
    re.I,
)
"""What may stand before a plain statement: nothing, the end of another clause, or the time of day. Other words may make
something else of it: "to her mother", "the man beside", "on the poster"."""
_QUOTED = re.compile(r"[\"“”„«»]|^[ \t]*[—–]", re.M)


@dataclass(frozen=True, slots=True)
class ExtractionCue(Cue):
    """A passage to read."""

    passage: str

    def answer(self) -> CueAnswer:
        facts = list({tuple(one.items()): one for one in _found(self.passage)}.values())[:MOST]
        return CueAnswer.composed(orjson.dumps({"note": NOTE, "facts": facts}).decode())


def _found(passage: str) -> Iterator[dict[str, str]]:
    start = 0
    for end in sentence_ends(passage):
        sentence = passage[start:end].strip()
        start = end
        if len(sentence) > 400:
            continue
        spoken = _UNSURE.search(sentence) or _QUOTED.search(sentence) or "?" in sentence
        for predicate, pattern in _patterns():
            if not spoken or predicate == "present_at":
                yield from (_fact(predicate, one) for one in pattern.finditer(sentence) if _is_plain(predicate, one))


def _is_plain(predicate: str, found: re.Match[str]) -> bool:
    """Whether a statement begins its clause; `Ilse's green eyes` and tags of speech may stand anywhere."""
    if predicate in ("present_at", "receives") or re.match(r"['’]?s ", found.string[found.end("who") :]):
        return True
    return _PLAIN.search(found.string[: found.start()]) is not None


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


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((predicate, re.compile(pattern)) for predicate, pattern in _PATTERNS)
