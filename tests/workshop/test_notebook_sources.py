"""What a notebook reads: any encoding, Word's headings and tables, and quotations held to the passage they cite."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from dramaturg.kernel.errors import NotebookUnavailable
from dramaturg.workshop.foreman.citations import doubtful_quotes
from dramaturg.workshop.notebooks import NotebookPassage
from dramaturg.workshop.notebooks.index import FolderIndex
from dramaturg.workshop.notebooks.shelf import passages_told, told
from dramaturg.workshop.notebooks.sources import read_source

GERMAN = (
    "Die Brücke über den Fluß trägt nur ein Fuhrwerk auf einmal.\n\nWer die Zöllner täuscht, verliert das Recht auf "
    "Rückkehr. Für jede Überfahrt gibt man ein Lösegeld; die Mühlen gehören dem König."
)
RUSSIAN = "Мост держит только одну телегу. Кто обманет сборщика, теряет право вернуться домой, и это закон города."
FRENCH = "Le pont ne porte qu'une charrette à la fois. Dès l'été, la mère du meunier reçoit un sou par âme traversée."
JAPANESE = "物語の舞台は海辺の小さな町である。満月の夜には誰も舟を出してはならない。灯台守の娘は嵐の夜に生まれた。"
POLISH = "Żołnierze śpią na łąkach, a młyn należy do króla. Każda przeprawa kosztuje jedną złotówkę i jedną przysięgę."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "cp1252"),
        (GERMAN, "iso-8859-1"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-8-sig"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (POLISH, "cp1250"),
        (FRENCH, "cp1252"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "shift_jis"),
    ],
)
@pytest.mark.parametrize("suffix", ["txt", "md"])
def test_a_text_in_another_encoding_is_read_as_it_was_written(
    tmp_path: Path, text: str, encoding: str, suffix: str
) -> None:
    path = tmp_path / f"notes.{suffix}"
    path.write_bytes(text.encode(encoding))
    read = " ".join(one.text for one in read_source(path))
    assert "".join(read.split()) == "".join(text.split())


@pytest.mark.parametrize("data", [bytes(range(256)) * 8, b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" * 20])
def test_what_is_no_text_is_named_and_nothing_of_it_is_indexed(tmp_path: Path, data: bytes) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "odd.txt").write_bytes(data)
    with pytest.raises(NotebookUnavailable, match="save it as UTF-8"):
        read_source(folder / "odd.txt")
    survey = FolderIndex(folder, tmp_path / "index.db").survey()
    assert survey.passages == 0
    assert "odd.txt" in survey.problems[0]


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def paragraph(text: str, style: str = "") -> str:
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:t>{text}</w:t></w:r></w:p>"


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def docx(path: Path, *parts: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        body = f'<w:document xmlns:w="{WORD}"><w:body>{"".join(parts)}</w:body></w:document>'
        archive.writestr("word/document.xml", body)
    return path


@pytest.mark.parametrize("style", ["Heading1", "berschrift2", "Titre1", "Title"])
def test_a_heading_of_word_stays_with_its_paragraph(tmp_path: Path, style: str) -> None:
    path = docx(
        tmp_path / "a.docx", paragraph("Tides", style), paragraph("Twice a day."), paragraph("Never on Sunday.")
    )
    assert [(one.place, one.text) for one in read_source(path)] == [
        ("Tides, paragraph 2", "Tides\n\nTwice a day."),
        ("Tides, paragraph 3", "Never on Sunday."),
    ]


def test_headings_in_a_row_stay_with_the_paragraph_below_and_a_last_one_is_kept(tmp_path: Path) -> None:
    path = docx(
        tmp_path / "a.docx",
        *(paragraph("World", "Heading1"), paragraph("Tides", "Heading2"), paragraph(""), paragraph("Twice a day.")),
        paragraph("To come", "Heading2"),
    )
    assert [one.text for one in read_source(path)] == ["World\nTides\n\nTwice a day.", "To come"]


def test_a_row_of_a_table_is_one_passage(tmp_path: Path) -> None:
    rows = table(("Ship", "Berth", "Crew"), ("Aurora", "7", "twelve"))
    path = docx(tmp_path / "a.docx", paragraph("The harbour."), rows, paragraph("After."))
    assert [one.text for one in read_source(path)] == [
        "The harbour.", "Ship | Berth | Crew", "Aurora | 7 | twelve", "After.",
    ]  # fmt: skip


PASSAGES = {
    1: NotebookPassage(file="jumps.md", place="line 1", text="A jump costs one navigator."),
    2: NotebookPassage(
        file="docks.txt", place="line 3", text="The docks close at dusk, by order of the harbour master."
    ),
}


@pytest.mark.parametrize(
    ("message", "doubted"),
    [
        ("“A jump costs one navigator.” [1]", []),
        ("“A jump costs one navigator.” [2]", ["A jump costs one navigator."]),
        ("“A jump costs one navigator.” [jumps.md]", []),
        ("“A jump costs one navigator.” [docks.txt, line 3]", ["A jump costs one navigator."]),
        ("“A jump costs one navigator.” [7]", ["A jump costs one navigator."]),
        ("“The docks close … harbour master.” [1, 2]", []),
        ("“The docks close at noon.” (docks.txt)", ["The docks close at noon."]),
        ("“The docks close at noon,” she said in the end [2019].", []),
        ("“The docks close at noon.” [unknown.pdf]", ["The docks close at noon."]),
    ],
)
def test_a_quotation_is_checked_against_the_passage_it_cites(message: str, doubted: list[str]) -> None:
    assert [one.quote for one in doubtful_quotes(message, PASSAGES)] == doubted


def test_passages_are_found_again_in_the_text_that_told_them() -> None:
    found = passages_told(told([*PASSAGES.values()], first=4))
    assert [*found] == [4, 5]
    assert found[5].text == PASSAGES[2].text
    assert found[5].file == PASSAGES[2].cited
