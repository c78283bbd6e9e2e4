"""Characters: cards, read whole or refused with the place of the error and a remedy."""

from dramaturg.characters.card import Card, Section, parse_card
from dramaturg.characters.load import known_cards, load_card, load_cast

__all__ = ["Card", "Section", "known_cards", "load_card", "load_cast", "parse_card"]
