"""Checks that the Foreman's quotations from notebooks are really there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.text.quotes import find_quote
from dramaturg.kernel.text.words import words
from dramaturg.workshop.notebooks import NotebookPassage

FEWEST_WORDS = 3
_QUOTED = re.compile(r"[“\"]([^”\"“]{8,600}?)[”\"]\s*+(?:[,.]\s*+)?(?:—\s*+)?[\[(]([^\])\n]{1,160})[\])]")


@dataclass(frozen=True, slots=True)
class DoubtfulQuote:
    """A quotation that no passage contains, and the source it was attributed to."""

    quote: str
    cited: str


def doubtful_quotes(message: str, passages: Sequence[NotebookPassage]) -> Iterator[DoubtfulQuote]:
    """The cited quotations that none of the passages contains; an ellipsis may leave words out."""
    texts = [one.text for one in passages]
    files = {_plain(one.file) for one in passages}
    for quote, cited in _QUOTED.findall(message):
        if len(words(quote)) < FEWEST_WORDS or not _cites(cited, files, len(passages)):
            continue
        if not find_quote(quote, texts, elided=True):
            yield DoubtfulQuote(quote=quote[:200], cited=cited)


def _cites(cited: str, files: Iterable[str], count: int) -> bool:
    number = 0 < (whole_number(cited.strip()) or 0) <= count
    return (
        number
        or any(file in _plain(cited) or _plain(cited) in file for file in files)
        or bool(re.search(r"\.(?:md|txt|pdf|docx)\b", cited))
    )


def _plain(text: str) -> str:
    return " ".join(words(text))
