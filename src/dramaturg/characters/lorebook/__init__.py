"""Lorebooks as files: read in every form that programs write, and converted between the forms."""

from dramaturg.characters.lorebook.conversion import book_as
from dramaturg.characters.lorebook.entry import BookForm, Lorebook, LoreEntry
from dramaturg.characters.lorebook.files import load_book, load_books
from dramaturg.characters.lorebook.forms import book_from, card_book, read_book

__all__ = [
    "BookForm",
    "LoreEntry",
    "Lorebook",
    "book_as",
    "book_from",
    "card_book",
    "load_book",
    "load_books",
    "read_book",
]
