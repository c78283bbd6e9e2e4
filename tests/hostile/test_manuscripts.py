"""Documents of strangers: bombs, entities, endless runs and nests are refused or read, and never obeyed."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.manuscripts.book_text import scene_text
from dramaturg.workshop.manuscripts.intake.preview import preview_of
from dramaturg.workshop.manuscripts.intake.scenes import scenes_in
from dramaturg.workshop.manuscripts.readers.folder import read_one, read_sources
from dramaturg.workshop.manuscripts.word.review import read_review
from tests.workshop.manuscripts.books import exported

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
WORDS = " ".join(["word"] * 30)


def zipped(**parts: str | bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), data)
    return out.getvalue()


def docx(body: str, **more: str) -> bytes:
    document = f'<w:document xmlns:w="{W}" xmlns:mc="{MC}"><w:body>{body}</w:body></w:document>'
    return zipped(word__document_xml=document, **more)


def p(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def markdown(data: bytes, name: str = "novel.docx") -> str:
    return read_one(name, data).markdown


@pytest.mark.parametrize("name", ["novel.docx", "novel.odt"])
@pytest.mark.parametrize("part", ["word__document_xml", "content_xml"])
def test_entities_and_document_types_are_refused(name: str, part: str) -> None:
    bomb = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
    with pytest.raises(InvalidConfig, match=r"declares entities|there is no"):
        read_one(name, zipped(**{part: bomb}))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
def test_entities_are_found_in_any_encoding(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'
    with pytest.raises(InvalidConfig, match="declares entities"):
        read_one("novel.docx", zipped(word__document_xml=text.encode(encoding)))


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(InvalidConfig, match="compression ratio"):
        read_one("novel.docx", zipped(word__document_xml=b" " * 40_000_000))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a zip", b"\xd0\xcf\x11\xe0 old"])
@pytest.mark.parametrize("name", ["novel.docx", "novel.odt"])
def test_what_is_no_document_says_so(data: bytes, name: str) -> None:
    with pytest.raises(InvalidConfig, match=name):
        read_one(name, data)


def test_a_run_of_a_million_characters_is_read() -> None:
    assert len(markdown(docx(p("word " * 200_000)))) >= 999_999


def test_nested_tables_and_boxes_give_each_word_once() -> None:
    table = p("innermost")
    for depth in range(60):
        table = f"<w:tbl><w:tr><w:tc>{table}{p(f'cell {depth}')}</w:tc></w:tr></w:tbl>"
    box = f"<w:txbxContent>{p('in a box')}</w:txbxContent>"
    drawn = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    text = markdown(docx(f"{table}<w:p><w:r><w:t>before</w:t>{drawn}</w:r></w:p>"))
    assert [text.count(words) for words in ("innermost", "cell 59", "in a box", "before")] == [1, 1, 1, 1]


def test_bottomless_nesting_is_refused() -> None:
    deep = "<w:tbl>" * 2000 + "</w:tbl>" * 2000
    with pytest.raises(InvalidConfig, match="nested more than"):
        read_one("novel.docx", docx(deep))


def test_footnotes_come_along_and_links_lead_nowhere() -> None:
    note = f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="2">{p("The note.")}</w:footnote></w:footnotes>'
    body = '<w:p><w:r><w:t>Words</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    link = '<w:p><w:hyperlink w:anchor="x"><w:r><w:t>linked</w:t></w:r></w:hyperlink></w:p>'
    source = read_one("novel.docx", docx(body + link, word__footnotes_xml=note))
    assert "Words[^1]" in source.markdown
    assert "[^1]: The note." in source.markdown
    assert "1 links" in " ".join(source.problems)


def test_instructions_of_fields_and_hidden_words_stay_out() -> None:
    field = (
        '<w:r><w:instrText> INCLUDETEXT "secret" </w:instrText></w:r>'
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
    )
    text = markdown(docx(f"<w:p>{field}<w:r><w:t>shown</w:t></w:r></w:p>"))
    assert text.strip() == "shown"


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("secret", encoding="utf-8")
    folder = tmp_path / "book"
    folder.mkdir()
    (folder / "ch1.md").write_text(WORDS, encoding="utf-8")
    (folder / "ch2.md").symlink_to(outside)
    assert [one.name for one in read_sources(folder)] == ["ch1.md"]


@pytest.mark.parametrize("title", ["../../etc/passwd", "---\nstatus: planned\n---", "a: [b", "\x1b[2J\u202e"])
def test_a_heading_can_neither_choose_a_path_nor_break_front_matter(title: str) -> None:
    body = f'<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>{title.replace(chr(27), "")}</w:t></w:r></w:p>'
    sources = (read_one("novel.docx", docx(body + p(WORDS))),)
    (scene,) = scenes_in(sources, preview_of(sources))
    assert scene.path == "manuscript/ch01-sc01.md"
    assert scene.head.count("\n---\n") == 1
    assert scene.body.strip() == WORDS


def test_a_damaged_part_of_ours_costs_nothing() -> None:
    scene = scene_text("manuscript/ch01-sc01.md", "Words and more words.\n")
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(exported(scene))) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data[:400] if name == "customXml/item1.xml" else data)
    assert read_review("x.docx", out.getvalue(), [scene]).patches == ()
