"""What stands before the first chapter: a title page, or prose that has no heading."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from dramaturg.kernel.text.words import lexicon
from dramaturg.workshop.manuscripts.readers.source_text import SourceBlock

LONG_PARAGRAPH = 25
"""A paragraph with so many words that ends like a sentence is prose."""
FEWEST_SENTENCES = 4
"""So many short paragraphs that end like sentences are prose too: talk. Fewer are a dedication, or a motto."""
_ENDS = (".", "!", "?", "…", "”", '"', "»", "“", "’", "'", "«", "。", "」")


def prose_start(blocks: Sequence[SourceBlock]) -> int | None:
    """Where the prose begins in what stands before a chapter; None if all of it is a title page."""
    told = [at for at, one in enumerate(blocks) if _is_sentence(one)]
    long = [at for at in told if len(blocks[at].plain.split()) >= LONG_PARAGRAPH]
    if not long and len(told) < FEWEST_SENTENCES:
        return None
    return told[0] if len(told) >= FEWEST_SENTENCES else long[0]


def _is_sentence(block: SourceBlock) -> bool:
    text = block.plain.strip().rstrip("*_ ")
    return block.kind == "paragraph" and text.endswith(_ENDS) and not _is_imprint(text)


def _is_imprint(text: str) -> bool:
    said = " ".join(text.casefold().split())
    return "©" in said or any(phrase in said for phrase in _imprint())


@cache
def _imprint() -> tuple[str, ...]:
    return tuple(" ".join(row) for row in lexicon("imprint", __package__))
