"""Manuscripts in the shapes that writers have them: nothing of the prose is lost, and chapters begin where they do."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from dramaturg.workshop.manuscripts.book_text import BookText, read_book
from dramaturg.workshop.manuscripts.export.book import ExportOptions, Form, export_book
from dramaturg.workshop.manuscripts.intake.applied import ImportFiles
from dramaturg.workshop.manuscripts.intake.plan import ImportPlan, plan_import
from dramaturg.workshop.manuscripts.intake.preview import preview_of
from dramaturg.workshop.manuscripts.readers.folder import read_one

AT = "2026-01-01T00:00:00Z"
TITLES = ("Lamps", "The Sea", "A Door in March", "What Ilse Knew")
NUMBERS = ("One", "Two", "Three", "Four")
ROMAN = ("I", "II", "III", "IV")
OPENING = (
    "Nobody in the house had slept, and when the bell rang for the second time, Ilse put down the ledger and went to "
    "the window to see who it was that came so late and by the river."
)
MOTTO = "The sea gives nothing back, and is thanked for it."


def chapter(number: int) -> str:
    first = f"Chapter text {number} begins with Ilse, who carried the lamp down to the water and counted the boats."
    return "\n\n".join(
        (first, *(f"Marten {number} watched her go, and said nothing of it to anybody." for _ in range(24)))
    )


def manuscript(*headings: str, before: str = "") -> str:
    parts = (f"{heading}\n\n{chapter(number)}" for number, heading in enumerate(headings, start=1))
    return "\n\n".join((*((before,) if before else ()), *parts)) + "\n"


def imported(project: Path, text: str, name: str) -> ImportPlan:
    files = ImportFiles(project, project / "data")
    sources = (read_one(name, text.encode()),)
    plan = plan_import(project, sources, preview_of(sources), files.memory())
    files.carry_out(plan, files.memory(), files.changes(plan, "w1"))
    return plan


def chapters(project: Path) -> list[str]:
    return [one.title for one in read_book(project, BookText("The Harbour", "Ann Author")).chapters]


def words(project: Path) -> list[str]:
    scenes = read_book(project, BookText("The Harbour")).scenes
    return [word for scene in scenes for word in scene.prose.shown.text.split()]


SHAPES = {
    "a Roman numeral and a title": ([f"{ROMAN[at]}. {TITLES[at]}" for at in range(4)], "novel.txt"),
    "a number, a point and a title": ([f"{at + 1}. {TITLES[at]}" for at in range(4)], "novel.txt"),
    "a number, a dash and a title": ([f"{at + 1} – {TITLES[at]}" for at in range(4)], "novel.txt"),
    "titles in capitals": ([one.upper() for one in TITLES], "novel.txt"),
    "a counted word": ([f"Day {one}" for one in NUMBERS], "novel.txt"),
    "numbers between dashes": ([f"- {at + 1} -" for at in range(4)], "novel.txt"),
    "chapters in brackets": ([f"[Chapter {at + 1}]" for at in range(4)], "novel.txt"),
    "titles between lines": ([f"=== {one} ===" for one in TITLES], "novel.txt"),
    "titles with a wide gap before them": ([f"\n\n{one}" for one in TITLES], "novel.txt"),
    "underlined titles": ([f"{one}\n======" for one in TITLES], "novel.md"),
    "underlined numbers": ([f"Chapter {at + 1}\n---------" for at in range(4)], "novel.md"),
    "a prologue and numbers": (["Prologue", "1", "2", "Epilogue"], "novel.txt"),
    "a prologue and numbered titles": (["Prologue", "1. Lamps", "2. The Sea", "Epilogue"], "novel.txt"),
    "a title that is called out": (["Chapter 1 Lamps", "Chapter 2 No, Not Yet!", "Chapter 3", "Chapter 4"], "n.txt"),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_each_chapter_begins_where_its_heading_stands(tmp_path: Path, shape: str) -> None:
    headings, name = SHAPES[shape]
    imported(tmp_path, manuscript(*headings), name)
    found = [one.prose.shown.text.split("\n")[0] for one in read_book(tmp_path, BookText("x")).scenes]
    assert [one[:14] for one in found] == [f"Chapter text {number}" for number in range(1, 5)]
    assert words(tmp_path) == [word for number in range(1, 5) for word in chapter(number).split()]


@pytest.mark.parametrize(
    "lines",
    [
        ["1. Bread", "2. Milk", "3. Eggs"],
        ["NO ENTRY", "KEEP OUT"],
        ["Day One"],
        ["— No —", "— Yes —", "— No —"],
    ],
)
def test_lists_and_signs_in_the_prose_are_no_chapters(tmp_path: Path, lines: list[str]) -> None:
    text = "\n\n".join((chapter(1), *lines, chapter(2)))
    imported(tmp_path, text, "novel.txt")
    assert len(chapters(tmp_path)) == 1
    assert words(tmp_path) == text.split()


def test_a_line_below_a_sentence_is_a_break_and_no_heading(tmp_path: Path) -> None:
    imported(tmp_path, f"{chapter(1)}\n---\n{chapter(2)}\n", "novel.md")
    assert words(tmp_path) == f"{chapter(1)} {chapter(2)}".split()


def test_parts_above_chapters_without_the_word_are_parts(tmp_path: Path) -> None:
    text = manuscript("# Part One: Land\n\n## Lamps", "## The Sea", "# Part Two: Sea\n\n## A Door", "## Home")
    imported(tmp_path, text, "novel.md")
    book = read_book(tmp_path, BookText("x"))
    assert [(one.part, one.title) for one in book.chapters] == [
        ("Part One: Land", "Lamps"), ("", "The Sea"), ("Part Two: Sea", "A Door"), ("", "Home"),
    ]  # fmt: skip


@pytest.mark.parametrize("before", [OPENING, f"THE HARBOUR\n\nby Ann Author\n\n{OPENING}"])
def test_prose_before_the_first_chapter_is_no_title_page(tmp_path: Path, before: str) -> None:
    imported(tmp_path, manuscript("Chapter 1", "Chapter 2", before=before), "novel.txt")
    assert words(tmp_path) == f"{OPENING} {chapter(1)} {chapter(2)}".split()


def test_talk_before_the_first_chapter_is_no_title_page(tmp_path: Path) -> None:
    talk = "“Run.”\n\n“Why?”\n\n“Because.”\n\n“Then run.”"
    imported(tmp_path, manuscript("Chapter 1", before=talk), "novel.txt")
    assert words(tmp_path)[:5] == ["“Run.”", "“Why?”", "“Because.”", "“Then", "run.”"]


def test_what_is_left_out_is_told_with_its_words(tmp_path: Path) -> None:
    page = "THE HARBOUR\n\nby Ann Author\n\nCopyright 2026. All rights reserved, and no part of this may be copied."
    plan = imported(tmp_path, manuscript("Chapter 1", before=page), "novel.txt")
    assert plan.problems == (
        "novel.txt: 18 words left out (title page), beginning with “THE HARBOUR by Ann Author Copyright 2026. All…”.",
    )


def test_a_motto_below_the_title_of_a_part_is_kept(tmp_path: Path) -> None:
    imported(tmp_path, manuscript("Chapter 1", f"PART TWO – The Sea\n\n{MOTTO}\n\nChapter 2"), "novel.txt")
    assert chapters(tmp_path) == ["Chapter 1", "PART TWO – The Sea", "Chapter 2"]
    assert words(tmp_path) == f"{chapter(1)} {MOTTO} {chapter(2)}".split()


@pytest.mark.parametrize("form", ["md", "txt", "docx"])
@pytest.mark.parametrize(
    "headings",
    [
        ["PART ONE – The Land\n\nChapter 1", "Chapter 2", "PART TWO – The Sea\n\nChapter 1", "Chapter 2"],
        ["Straße", "Der große Fluß", "Maßlos", "Ende"],
        ["1. Lamps", "2. The Sea", "3. A Door", "4. Home"],
    ],
)
def test_a_book_that_goes_out_and_comes_in_has_the_same_words_chapters_and_parts(
    tmp_path: Path, form: Form, headings: list[str]
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    text = manuscript(*(f"## {one}" if one[0] != "P" and "ß" in "".join(headings) else one for one in headings))
    imported(first, text, "novel.md" if "ß" in text else "novel.txt")
    book = read_book(first, BookText("The Harbour", "Ann Author"))
    out = export_book(book, form, ExportOptions(AT)).data
    files = ImportFiles(second, second / "data")
    sources = (read_one(f"out.{form}", out),)
    plan = plan_import(second, sources, preview_of(sources), files.memory())
    files.carry_out(plan, files.memory(), files.changes(plan, "w1"))
    again = read_book(second, BookText("The Harbour"))
    assert [(one.part, one.title) for one in again.chapters] == [(one.part, one.title) for one in book.chapters]
    assert words(second) == words(first)


def test_a_part_goes_into_the_epub(tmp_path: Path) -> None:
    imported(tmp_path, manuscript("PART ONE – The Land\n\nChapter 1", "Chapter 2"), "novel.txt")
    place = tmp_path / "out.epub"
    place.write_bytes(export_book(read_book(tmp_path, BookText("x")), "epub", ExportOptions(AT)).data)
    with ZipFile(place) as book:
        assert "PART ONE – The Land" in book.read("EPUB/chapter-001.xhtml").decode()
        assert "PART" not in book.read("EPUB/chapter-002.xhtml").decode()
