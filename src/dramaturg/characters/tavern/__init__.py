"""Character cards of other programs: V1, V2 and V3 as JSON, PNG and CharX, and their macros."""

from dramaturg.characters.tavern.card import CardData, TavernCard, Version, tavern_card
from dramaturg.characters.tavern.macros import SOMEBODY, MacroContext, card_prompt, expand_macros

__all__ = [
    "SOMEBODY",
    "CardData",
    "MacroContext",
    "TavernCard",
    "Version",
    "card_prompt",
    "expand_macros",
    "tavern_card",
]
