"""Speech acts: which deed a sentence performs, by its words. Lines of any origin are treated alike."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from dramaturg.kernel.models.rehearsal.verbs import base_of_gerund, base_of_past, base_of_third, is_past
from dramaturg.scenes.rehearsal.banks import sheet

_VERY = r"(?: (?:so|truly|really|very|deeply|genuinely|terribly|sincerely|honestly|just|only|more))*"
_QUESTION_MAY = frozenset(
    {"ask", "offer", "reconcile", "confront", "mediate", "warn", "argue", "present", "invite", "welcome", "hire"}
)
_SENTENCE = re.compile(r"[^.!?…—]+[.!?…—]*|[.!?…—]+")


def sentences(text: str, cut: bool = False) -> tuple[str, ...]:
    """The sentences of a line, verbatim. The unfinished last sentence of a line that was cut is left out."""
    found = [piece.strip() for piece in _SENTENCE.findall(text) if piece.strip()]
    return tuple(piece for piece in found if not (cut and piece.endswith("—")))


@lru_cache(maxsize=4096)
def shows(kind: str, sentence: str) -> bool:
    """Whether a sentence performs a deed of this kind, by its form alone."""
    if sentence.endswith("?") and kind not in _QUESTION_MAY:
        return False
    return _says(kind, sentence) and not _says(f"not {kind}", sentence)


def assents(sentence: str, after_proposal: bool) -> bool:
    """Whether a sentence agrees to a proposal. Mild words count only right after one."""
    if sentence.endswith("?") or _says("not assent", sentence):
        return False
    return _says("assent", sentence) or (after_proposal and _says("mild assent", sentence))


def proposes(text: str) -> bool:
    """Whether a line proposes something that could be agreed to."""
    return _says("proposal", text)


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """The content words of a text, in their base form."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return frozenset(_stem(word) for word in words if word not in _stop_words() and len(word) > 2)


def overlap(wanted: frozenset[str], text: str) -> float:
    """The share of the wanted words that a text contains; 0 if nothing is wanted."""
    return len(wanted & content_words(text)) / len(wanted) if wanted else 0.0


def _says(heading: str, text: str) -> bool:
    pattern = _pattern(heading)
    return pattern is not None and pattern.search(text.replace("’", "'")) is not None


@cache
def _pattern(heading: str) -> re.Pattern[str] | None:
    rows = sheet("acts").get(heading)
    return re.compile("|".join(rows).replace("{very}", _VERY), re.IGNORECASE) if rows else None


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(word for row in sheet("acts")["stop words"] for word in row.split())


def _stem(word: str) -> str:
    if word.endswith("ing") and len(word) > 5:
        return base_of_gerund(word)
    if word.endswith("ly") and len(word) > 4:
        return word[:-2]
    if is_past(word):
        return base_of_past(word)
    return base_of_third(word) if word.endswith("s") and len(word) > 3 else word
