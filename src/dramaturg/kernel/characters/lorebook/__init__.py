"""Lorebooks: read in every form people have them, written in each, and told when the talk comes to them."""

from dramaturg.kernel.characters.lorebook.activate import activate
from dramaturg.kernel.characters.lorebook.conversion import book_as
from dramaturg.kernel.characters.lorebook.entry import BookForm, Lorebook, LoreEntry
from dramaturg.kernel.characters.lorebook.forms import book_from, card_book, read_book
from dramaturg.kernel.characters.lorebook.scan import (
    ActiveLore,
    LoreScan,
    LoreSettings,
    LoreState,
    LoreSurroundings,
    SaidMessage,
    TimedEffect,
    UntoldLore,
)

__all__ = [
    "ActiveLore",
    "BookForm",
    "LoreEntry",
    "LoreScan",
    "LoreSettings",
    "LoreState",
    "LoreSurroundings",
    "Lorebook",
    "SaidMessage",
    "TimedEffect",
    "UntoldLore",
    "activate",
    "book_as",
    "book_from",
    "card_book",
    "read_book",
]
