"""The words that an export adds to a book, in the book's language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FrameWords:
    """`chapter` stands before its number: where a chapter has no title of its own, that is its heading."""

    chapter: str
    contents: str
    end: str


_WORDS = {
    "en": FrameWords("Chapter", "Contents", "END"),
    "de": FrameWords("Kapitel", "Inhalt", "ENDE"),
    "fr": FrameWords("Chapitre", "Table des matières", "FIN"),
    "es": FrameWords("Capítulo", "Índice", "FIN"),
    "pt": FrameWords("Capítulo", "Índice", "FIM"),
    "it": FrameWords("Capitolo", "Indice", "FINE"),
    "nl": FrameWords("Hoofdstuk", "Inhoud", "EINDE"),
    "pl": FrameWords("Rozdział", "Spis treści", "KONIEC"),
    "ru": FrameWords("Глава", "Содержание", "КОНЕЦ"),
}


def frame_words(language: str) -> FrameWords:
    """The words of a language, such as `es` or `pt-BR`; those of English where there are none."""
    return _WORDS.get(language.replace("_", "-").partition("-")[0].strip().lower(), _WORDS["en"])
