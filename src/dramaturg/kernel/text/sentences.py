"""Where sentences end, in texts of many languages."""

from __future__ import annotations

import re

_ENDS = re.compile(r"[.!?…。！？]+[\"'”’»)\]]*")
_WIDE = frozenset("。！？")
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
    after = text[mark.end() :]
    if mark[0][0] in _WIDE or not after.strip():
        return True
    if not after[0].isspace():
        return False  # 3.5, example.org, "What?"—
    following = after.lstrip()[0]
    if mark[0].startswith((".", "…")):
        if following.islower():
            return False
        word = re.split(r"\s", text[start : mark.start()])[-1].lstrip("(\"'“‘").casefold()
        if mark[0] == "." and _shortens(word, following):
            return False
    # A question or exclamation inside quotation marks may continue: "Who?" he asks.
    return not (following.islower() and len(mark[0]) > 1)


def _shortens(word: str, following: str) -> bool:
    """Whether the full stop belongs to a word, not to a sentence."""
    if word in _BEFORE_A_NUMBER:
        return following.isdigit()
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i")
