"""A hybrid: paragraphs of several variants in the order that the writer names, each to the byte, with its seams."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.drafts.variant import Variant

MOST_PARTS = 500
SEAM_WORDS = 8
_SPLIT = re.compile(r"[,;\s]+")
_PART = re.compile(r"([A-Za-z])(?:(\d{1,4})(?:(-|–|\.\.)(\d{1,4})?)?)?")


class ChosenParagraph(NamedTuple):
    """A paragraph of a variant, by letter and number."""

    letter: str
    number: int
    text: str

    @property
    def label(self) -> str:
        return f"{self.letter}{self.number}"


class Seam(WireValue):
    """Where two paragraphs meet that do not follow each other in one variant."""

    after: int = Field(description="the number of the paragraph before it, in the hybrid, from 1")
    left: str = Field(description="the paragraph before it, such as A3")
    right: str
    ends: str = Field(description="the last words before it")
    begins: str = Field(description="the first words after it")


def chosen_paragraphs(variants: Sequence[Variant], parts: Sequence[str]) -> tuple[ChosenParagraph, ...]:
    """The paragraphs that `A1-3 B4 C` names: a range, one, or all of a variant.

    Raises InvalidConfig for what cannot be read or is named twice, NotFound for paragraphs that do not exist.
    """
    known = {one.letter: one for one in variants}
    tokens = [token for part in parts for token in _SPLIT.split(part) if token]
    if not tokens or len(tokens) > MOST_PARTS:
        raise InvalidConfig(f"Name 1 to {MOST_PARTS} parts, such as A1-3 B4, in the order of the scene.")
    chosen = tuple(one for token in tokens for one in _named(token, known))
    labels = [one.label for one in chosen]
    if twice := next((label for label in labels if labels.count(label) > 1), ""):
        raise InvalidConfig(f"Paragraph {twice} is named twice. Name each paragraph once.", paragraph=twice)
    return chosen


def hybrid_text(chosen: Sequence[ChosenParagraph]) -> str:
    """The text of a hybrid: exactly these paragraphs, with a blank line between them."""
    return "\n\n".join(one.text for one in chosen)


def seams_of(chosen: Sequence[ChosenParagraph]) -> tuple[Seam, ...]:
    """The seams of a hybrid, in order."""
    pairs = enumerate(pairwise(chosen), start=1)
    return tuple(
        Seam(
            after=place,
            left=left.label,
            right=right.label,
            ends=" ".join(left.text.split()[-SEAM_WORDS:]),
            begins=" ".join(right.text.split()[:SEAM_WORDS]),
        )
        for place, (left, right) in pairs
        if (left.letter, left.number + 1) != (right.letter, right.number)
    )


def _named(token: str, known: Mapping[str, Variant]) -> Iterator[ChosenParagraph]:
    found = _PART.fullmatch(token)
    if found is None:
        raise InvalidConfig(f"'{token[:40]}' names no paragraphs. Write A for all of A, A3 for one, A1-3 for several.")
    letter = found[1].upper()
    variant = known.get(letter)
    if variant is None:
        raise NotFound(f"There is no variant {letter} (there is: {', '.join(known)}).", variant=letter)
    if variant.failed:
        raise NotFound(f"Variant {letter} has no text. {variant.failed}", variant=letter)
    count = len(variant.paragraphs)
    first = int(found[2] or 1)
    last = count if found[2] is None or (found[3] and not found[4]) else int(found[4] or found[2])
    if not 1 <= first <= last <= count:
        plural = "paragraphs" if count > 1 else "paragraph"
        raise NotFound(f"Variant {letter} has {count} {plural}; '{token}' is not among them.", variant=letter)
    for number in range(first, last + 1):
        yield ChosenParagraph(letter, number, variant.paragraphs[number - 1])
