"""Where sentences end, in texts of many languages."""

from __future__ import annotations

import re

_ENDS = re.compile(r"[.!?…。！？]+[\"'”’»)\]]*")
_WIDE = frozenset("。！？")
_LETTER = re.compile(r"\S")
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st sr jr vs etc e.g i.e cf approx inc ltd dept z.b u.a d.h usw bzw ca hr fr sog evtl".split()
)
_BEFORE_A_NUMBER = frozenset("no nr fig vol pp art".split())


def sentence_ends(text: str) -> list[int]:
    """Where each sentence ends; the last one where the text does."""
    found: list[int] = []
    start = 0
    for mark in _ENDS.finditer(text):
        if _ends_a_sentence(text, start, mark):
            found.append(mark.end())
            start = mark.end()
    return [*found, len(text)] if text[start:].strip() else found


def _ends_a_sentence(text: str, start: int, mark: re.Match[str]) -> bool:
    after = _LETTER.search(text, mark.end())
    if mark[0][0] in _WIDE or after is None:
        return True
    if after.start() == mark.end():
        return False  # 3.5, example.org, "What?"—
    following = after[0]
    if mark[0].startswith((".", "…")):
        if following.islower():
            return False
        if mark[0] == "." and _shortens(_word_before(text, start, mark.start()), following):
            return False
    # A question or exclamation inside quotation marks may continue: "Who?" he asks.
    return not (following.islower() and len(mark[0]) > 1)


def _word_before(text: str, start: int, end: int) -> str:
    """The word that ends there, folded. A mark within a word asks for none, so each letter is looked at once."""
    begins = end
    while begins > start and not text[begins - 1].isspace():
        begins -= 1
    return text[begins:end].lstrip("(\"'“‘").casefold()


def _shortens(word: str, following: str) -> bool:
    """Whether the full stop belongs to a word, not to a sentence."""
    if word in _BEFORE_A_NUMBER:
        return following.isdigit()
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i")
