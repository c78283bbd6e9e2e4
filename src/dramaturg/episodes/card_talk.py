"""A talk with any card: an open episode that nobody has to write."""

from __future__ import annotations

import re

from dramaturg.characters import Card
from dramaturg.episodes.template import EpisodeTemplate

PREFIX = "talk-with-"
_LONGEST = 80 - len(PREFIX)


def card_talk(card: Card, *, note: str = "", note_depth: int = 4, notes: str = "") -> EpisodeTemplate:
    """An episode without an end, which begins with the card's own greetings.

    `note` stands inside the conversation, `notes` in the character's directions.
    """
    return EpisodeTemplate(
        name=PREFIX + re.sub(r"[^\w.\-]+", "-", card.name)[:_LONGEST],
        character=card.name,
        title=f"A talk with {card.display_name}"[:200],
        author_note=note,
        author_note_depth=note_depth,
        notes=notes,
    )
