"""Whether what the Foreman quotes from a notebook really stands there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from dramaturg.workshop.events import QuoteDoubted
from dramaturg.workshop.notebooks import NotebookPassage

FEWEST_WORDS = 3
_QUOTED = re.compile(r"[“\"]([^”\"“]{8,600}?)[”\"]\s*[,.]?\s*(?:—\s*)?[\[(]([^\])\n]{1,160})[\])]")


def doubted(turn: int, message: str, passages: Sequence[NotebookPassage]) -> Iterator[QuoteDoubted]:
    """The quotations with a citation that stand in none of the passages that were brought."""
    texts = [_plain(one.text) for one in passages]
    files = {_plain(one.file) for one in passages}
    for quote, cited in _QUOTED.findall(message):
        if len(quote.split()) < FEWEST_WORDS or not _cites(cited, files, len(passages)):
            continue
        parts = [part for part in re.split(r"…|\.\.\.|\[\.\.\.\]", quote) if part.strip()]
        if not all(any(_plain(part) in text for text in texts) for part in parts):
            yield QuoteDoubted(turn=turn, quote=quote[:200], cited=cited)


def _cites(cited: str, files: Iterable[str], count: int) -> bool:
    number = cited.strip().isdecimal() and 0 < int(cited) <= count
    return (
        number
        or any(file in _plain(cited) or _plain(cited) in file for file in files)
        or bool(re.search(r"\.(?:md|txt|pdf|docx)\b", cited))
    )


def _plain(text: str) -> str:
    """Words only, so that another dash or another line break does not matter."""
    return " ".join(re.findall(r"\w+", text.casefold()))
