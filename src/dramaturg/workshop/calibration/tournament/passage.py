"""The passage in a model's answer: what it wrote, without its wrapping."""

from __future__ import annotations

import re

from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.kernel.text.fences import unfenced
from dramaturg.workshop.voice.prose import count_words

FEWEST_WORDS = 60
"""Fewer are a refusal or an accident, not a passage."""
_LABEL = re.compile(
    r"(?:#{1,6} [^\n]{0,120}|\*\*[^\n*]{1,120}\*\*:?"
    r"|(?:Here(?:'s| is)|Sure|Certainly|Of course)\b[^\n]{0,200}:)[ \t]*\n"
)
_AFTERWORD = re.compile(r"\n(?:---+[ \t]*\n|\(?(?:Word count|Words): ?[\d,]{1,7}\)?[ \t]*$)")


def passage_in(text: str) -> str:
    """The prose of an answer: without thoughts, code fences, a title, a preface or a count of words. Never raises."""
    spoken = without_reasoning(text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))
    spoken = (unfenced(spoken) or spoken).strip()
    for _ in range(2):
        if label := _LABEL.match(spoken):
            spoken = spoken[label.end() :].lstrip()
    tail = spoken[-LONGEST_AFTERWORD:]
    if (found := _AFTERWORD.search(tail)) and len(spoken) > LONGEST_AFTERWORD:
        spoken = spoken[: len(spoken) - len(tail) + found.start()]
    return spoken.strip()


LONGEST_AFTERWORD = 300


def flaw_of(passage: str) -> str:
    """Why a text is no passage; empty if it is one."""
    words = count_words(passage)
    return f"it wrote {words} words, which is no passage" if words < FEWEST_WORDS else ""
