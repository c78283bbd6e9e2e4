"""Trimming a card that exceeds a model's context: its name and role first, then the sections that fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dramaturg.characters import Card
from dramaturg.characters.body import Section
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.prompts import Layer
from dramaturg.scenes.script import is_lines_heading

LONGEST_PIECE = 150
# The first pattern that a heading matches gives its weight; a heading that matches none comes last.
_BY_WEIGHT = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (
        r"personal|character|traits?|who (?:you|he|she|they)",
        r"scene|instruction|want|goal|motiv",
        r"voice|speech|speak|communicat|style|language",
        r"relation|others|people",
        r"behavio|habit|gesture|react",
        r"secret|memor|background|history|past",
    )
)


def by_section(card: Card, layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """The same layers with the card in pieces that can be left out one by one."""
    pieces = (_title(card), *(piece for section in card.sections for piece in _pieces(section)))
    named = {piece.name: piece for piece in pieces}
    return tuple(part for layer in layers for part in (named.values() if layer.name == "card" else (layer,)))


def most_important(card: Card, most_words: int) -> tuple[str, ...]:
    """The lines of a card that weigh most, in so many words; without the lines it has to say."""
    sections = [section for section in card.sections if not is_lines_heading(section.heading or "")]
    kept: list[str] = []
    for section in sorted(sections, key=lambda section: -_weight(section.heading or "opening")):
        for line in section.lines:
            if len(" ".join((*kept, line)).split()) > most_words:
                return tuple(kept)
            kept.append(line)
    return tuple(kept)


def _title(card: Card) -> Layer:
    role = f" - {card.role}" if card.role else ""
    return Layer(name="card", text=f"# {card.display_name}{role}")


def _pieces(section: Section) -> Iterator[Layer]:
    """A section whole, or in pieces of a few lines each, the most important first."""
    heading = section.heading or "opening"
    head = f"## {section.heading}\n" if section.heading else ""
    texts = _texts(section)
    for place, text in enumerate(texts):
        name = f"card: {heading}" if place == 0 else f"card: {heading}, {place + 1}"
        priority = 100 * _weight(heading) - place
        yield Layer(name=name, text=(head if place == 0 else "") + text, required=False, priority=priority)


def _texts(section: Section) -> list[str]:
    if estimate_tokens(section.text) <= LONGEST_PIECE:
        return [section.text.strip()] if section.text.strip() else []
    texts: list[str] = []
    size = 0
    for line in section.lines:
        tokens = estimate_tokens(line)
        if texts and size + tokens <= LONGEST_PIECE:
            texts[-1] += f"\n- {line}"
            size += tokens
        else:
            texts.append(f"- {line}")
            size = tokens
    return texts


def _weight(heading: str) -> int:
    found = next((place for place, words in enumerate(_BY_WEIGHT) if words.search(heading)), len(_BY_WEIGHT))
    return len(_BY_WEIGHT) - found
