"""The form of a spoken line: how long it may be, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dramaturg.model_notes.likeness import TOO_ALIKE, likeness

MOST_SENTENCES = 3
MOST_WORDS = 60

_LETTER = re.compile(r"\S")
_STOP = re.compile(r"[.!?…]++['’)]?|[。！？]++")
_WIDE = frozenset("。！？")
_MARKUP = re.compile(r"[\[\]{}<>*_#|\\^~`=]|https?:|\bTONE\b|\bSILENT\b|\bREACT\b")
_MACHINE = re.compile(
    r"\b(?:as an ai\b|language model|virtual assistant|(?:how|anything else i) can (?:i )?(?:help|assist))",
    re.IGNORECASE,
)
_NARRATES = re.compile(r"^(?:he|she|they|the \w+) (?:said|says|looks? at|looked at|asks|asked)\b", re.IGNORECASE)


def in_sentences(text: str, *, broken_off: bool = False) -> str:
    """Words as a line: a few whole sentences, one question among them.

    Of a text that was `broken_off` the unfinished end is left out.
    """
    sentences = [found.strip() for found in _sentences(text)]
    if broken_off and sentences and not _ends(sentences[-1]):
        sentences.pop()
    kept: list[str] = []
    for sentence in sentences:
        if len(kept) == MOST_SENTENCES or (kept and len(" ".join([*kept, sentence]).split()) > MOST_WORDS):
            break
        if not _asks(sentence) or not any(map(_asks, kept)):
            kept.append(sentence)
    text = " ".join(kept)
    return text if not text or _ends(text) else f"{text.rstrip(' ,;:-–—')}."


def flaw_in(words: str, me: str, cast: Sequence[str], said: Iterable[str]) -> str:
    """A short description of what is wrong with the words; empty if nothing is. `said` is what they must not repeat."""
    return form_flaw(words, me, cast) or _repetition(words, said)


def form_flaw(words: str, me: str, cast: Sequence[str]) -> str:
    """What is wrong with the form of the words of a line; empty if nothing is."""
    if not re.search(r"[^\W\d_]", words):
        return "empty"
    if len(words.split()) > MOST_WORDS:
        return "too long"
    if _MARKUP.search(words) or _NARRATES.match(words):
        return "not speech"
    if _MACHINE.search(words):
        return "speaks as a machine"
    for name in cast:
        if re.search(rf"\b{re.escape(name)}\s*+(?:\([^()]*\)\s*)?:", words):
            return f"speaks for {name}"
    if re.search(rf"(?:^|[.!?…]\s*){re.escape(me)}\s*,|,\s*{re.escape(me)}\s*[.!?…]", words):
        return "speaks to itself"
    return ""


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    end = 0
    while begins := _LETTER.search(text, end):
        end = _sentence_end(text, begins.end())
        found.append(text[begins.start() : end])
    return found


def _sentence_end(text: str, place: int) -> int:
    for stop in _STOP.finditer(text, place):
        follows = text[stop.end() : stop.end() + 1]
        if stop[0][0] in _WIDE or not follows or follows.isspace():
            return stop.end()
    return len(text)


def _asks(sentence: str) -> bool:
    return "?" in sentence or "？" in sentence


def _ends(sentence: str) -> bool:
    return sentence[-1:] in (".", "!", "?", "…", "。", "！", "？")


def _repetition(words: str, said: Iterable[str]) -> str:
    sentences = [found.strip(" .!?…。！？").casefold() for found in _sentences(words)]
    if len(set(sentences)) < len(sentences):
        return "repeats itself"
    return "repeats what was said" if any(likeness(words, line) > TOO_ALIKE for line in said) else ""
