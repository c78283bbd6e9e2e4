"""What is a heading by its words, and what is prose."""

from __future__ import annotations

import pytest

from dramaturg.workshop.manuscripts.division.cuts import cuts_in
from dramaturg.workshop.manuscripts.division.headings import HeadingKind, heading_in
from dramaturg.workshop.manuscripts.readers.folder import read_one
from dramaturg.workshop.manuscripts.readers.source_text import SourceBlock

LONG = " ".join(["word"] * 300)
CHAPTERS = {
    "English": (
        "Chapter the First",
        "The Second Chapter",
        "CHAPTER TWENTY-ONE",
        "Twenty-First Chapter: Fog",
        "Stave IV",
    ),
    "German": ("Erstes Kapitel", "Zwölftes Kapitel", "DAS DRITTE KAPITEL", "Einundzwanzigstes Kapitel", "5. Kapitel"),
    "French": ("Chapitre premier", "Premier chapitre", "Chapitre vingt et unième", "CHAPITRE IER", "2e chapitre"),
    "Spanish": ("Capítulo primero", "CAPITULO DECIMO", "Primer capítulo", "Capítulo treinta y dos", "Último capítulo"),
    "Portuguese": ("Capítulo primeiro", "Terceiro capítulo", "Capítulo décimo segundo", "Capítulo dois — O rio"),
    "Italian": ("Primo capitolo", "Capitolo primo", "Capitolo ventunesimo", "CAPITOLO TRE", "Ultimo capitolo"),
    "Dutch": ("Eerste hoofdstuk", "Hoofdstuk twee", "Tweeëntwintigste hoofdstuk", "Laatste hoofdstuk"),
    "Polish": ("Rozdział pierwszy", "Rozdział dwudziesty trzeci", "Pierwszy rozdział", "ROZDZIAŁ PIĄTY"),
    "Russian": ("Глава первая", "Глава вторая", "ГЛАВА ДВАДЦАТЬ ПЕРВАЯ", "Третья глава", "Глава четвёртая. Утро"),
    "Japanese": ("第一章", "最終章"),
}
OTHERS: tuple[tuple[str, HeadingKind], ...] = (
    ("Erster Teil", "part"),
    ("Book the Second", "part"),
    ("Première partie", "part"),
    ("Часть вторая", "part"),
    ("Primera parte: El puerto", "part"),
    ("Parte seconda", "part"),
    ("2. Teil", "part"),
    ("Escena tercera", "scene"),
    ("Zweite Szene", "scene"),
)
PROSE = (
    "Part two ended badly.",
    "The first chapter was the worst of all.",
    "Erstes Kapitel war zu lang",
    "1. Act Natural",
    "1. Book the flights",
    "Primo, capitolo chiuso.",
    "Second book he had read that day",
    "Chapters are for cowards",
    "La primera parte del plan era sencilla.",
    "Первая глава ему не понравилась.",
    "Le premier chapitre, elle l’avait lu deux fois.",
    "Erste Kapitelle lagen offen",
)


def block(text: str) -> SourceBlock:
    return SourceBlock("paragraph", text, 0, len(text))


@pytest.mark.parametrize("text", [text for texts in CHAPTERS.values() for text in texts])
def test_chapters_are_known_by_numbers_in_words_before_and_behind(text: str) -> None:
    found = heading_in(block(text))
    assert found is not None
    assert (found.kind, found.title) == ("chapter", text)


@pytest.mark.parametrize(("text", "kind"), OTHERS)
def test_parts_and_scenes_are_too(text: str, kind: HeadingKind) -> None:
    found = heading_in(block(text))
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize("text", PROSE)
def test_a_sentence_about_a_chapter_is_prose(text: str) -> None:
    assert heading_in(block(text)) is None


@pytest.mark.parametrize(
    "chapters",
    [
        ("Erstes Kapitel", "Zweites Kapitel", "Drittes Kapitel"),
        ("Глава первая", "Глава вторая", "Глава третья"),
        ("Chapitre premier", "Chapitre deuxième", "Chapitre dernier"),
        ("Capítulo primero\n\nLa noche", "Capítulo segundo\n\nEl alba", "Capítulo tercero\n\nLa llave"),
    ],
)
def test_a_book_is_cut_at_them(chapters: tuple[str, ...]) -> None:
    text = "\n\n".join(f"{chapter}\n\n{LONG}\n\n***\n\n{LONG}" for chapter in chapters)
    found = cuts_in(read_one("novel.txt", text.encode()))
    assert [one.kind for one in found] == ["chapter", "scene"] * 3
    assert [one.title for one in found if one.kind == "chapter"] == [one.replace("\n\n", ": ") for one in chapters]
