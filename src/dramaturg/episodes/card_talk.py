"""A talk with any card, or with several: an open episode that nobody has to write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dramaturg.characters import Card
from dramaturg.episodes.template import EpisodeTemplate

PREFIX = "talk-with-"
_LONGEST = 80 - len(PREFIX)


def card_talk(card: Card) -> EpisodeTemplate:
    """An episode without an end, which begins with the card's own greetings."""
    title = f"A talk with {card.display_name}"[:200]
    return EpisodeTemplate(name=_name(card.name), character=card.name, title=title)


def group_talk(cards: Sequence[Card], title: str = "") -> EpisodeTemplate:
    """The same with two to five cards at one table. Raises ValueError for fewer or more."""
    names = tuple(card.name for card in cards)
    shown = title.strip() or f"A talk with {', '.join(card.display_name for card in cards)}"
    return EpisodeTemplate(
        name=_name("-".join(names)), character=names[0], characters=names, title=" ".join(shown.split())[:200]
    )


def _name(character: str) -> str:
    return PREFIX + re.sub(r"[^\w.\-]+", "-", character)[:_LONGEST]
