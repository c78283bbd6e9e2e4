"""Checks that the Foreman's quotations from notebooks are really there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.text.quotes import find_quote
from dramaturg.kernel.text.words import words
from dramaturg.workshop.notebooks import NotebookPassage

FEWEST_WORDS = 3
HIGHEST = 50
"""A higher number in brackets is a year or a page, not that of a passage."""
_QUOTED = re.compile(r"[“\"]([^”\"“]{8,600}?)[”\"]\s*+(?:[,.]\s*+)?(?:—\s*+)?[\[(]([^\])\n]{1,160})[\])]")


@dataclass(frozen=True, slots=True)
class DoubtfulQuote:
    """A quotation that is not in the passage it cites, and the citation."""

    quote: str
    cited: str


def doubtful_quotes(message: str, passages: Mapping[int, NotebookPassage]) -> Iterator[DoubtfulQuote]:
    """The cited quotations that the passages they cite do not contain; an ellipsis may leave words out."""
    for quote, cited in _QUOTED.findall(message):
        meant = _cited(cited, passages)
        if len(words(quote)) < FEWEST_WORDS or meant is None:
            continue
        if not find_quote(quote, [one.text for one in meant], elided=True):
            yield DoubtfulQuote(quote=quote[:200], cited=cited)


def _cited(cited: str, passages: Mapping[int, NotebookPassage]) -> list[NotebookPassage] | None:
    """The passages that a citation means, by number or by file; none if it means something else than a passage."""
    if numbers := [number for part in re.split(r"[,;&]", cited) if (number := whole_number(part.strip()))]:
        is_passage = bool(passages) and max(numbers) <= HIGHEST
        return [passages[number] for number in numbers if number in passages] if is_passage else None
    named = [one for one in passages.values() if _is_part(_plain(one.cited), _plain(cited))]
    return named if named or re.search(r"\.(?:md|txt|pdf|docx)\b", cited) else None


def _is_part(source: str, cited: str) -> bool:
    """Whether one names the other: a file with its place, or only its name."""
    return bool(cited) and (cited in source or source in cited)


def _plain(text: str) -> str:
    return " ".join(words(text))
