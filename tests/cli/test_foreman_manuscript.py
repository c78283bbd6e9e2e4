"""`dramaturg foreman import`, `speakers` and `export`, as a writer types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.workshop.manuscripts.word_editor import WordEditor

NOVEL = """# The Harbour

## Chapter 1: Lamps

Ruth came down to the *harbour*.

“You are early,” said Tomas.

* * *

“Four,” said Ruth. “There were five.”

## Chapter 2: The Letter

Nobody had opened the letter.
"""


@pytest.fixture
def novel(tmp_path: Path) -> Path:
    path = tmp_path / "novel.md"
    path.write_text(NOVEL, encoding="utf-8")
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "story"
    folder.mkdir()
    return folder


def typed(project: Path, *words: str | Path, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["foreman", *map(str, words), "--project", str(project)])
    assert done.exit_code == code, done.output
    return done.output


def test_nothing_is_written_before_the_writer_says_so(project: Path, novel: Path) -> None:
    assert "Nothing is written yet" in typed(project, "import", novel)
    assert not (project / "manuscript").exists()
    typed(project, "import", novel, "--preview", project / "preview.yaml")
    assert not (project / "manuscript").exists()
    assert typed(project, "import", novel, "--from-preview", project / "preview.yaml").count("new") >= 3
    assert (project / "manuscript/ch01-sc02.md").is_file()
    assert "Elsewhere" not in typed(project, "graph", "who")
    assert typed(project, "import", novel, "--yes").count("unchanged") == 3


def test_the_graph_knows_the_imported_scenes(project: Path, novel: Path) -> None:
    typed(project, "import", novel, "--yes")
    assert "ch01-sc02" in typed(project, "graph", "scene", "ch01-sc02")


def test_who_says_what_is_shown_with_its_reason(project: Path, novel: Path) -> None:
    typed(project, "import", novel, "--yes")
    assert "Tomas: “You are early,”  (“said Tomas”)" in typed(project, "speakers", "ch01-sc01")
    lines = json.loads(typed(project, "speakers", "ch01-sc02", "--json"))["lines"]
    assert [(one["speaker"], one["how"]) for one in lines] == [("Ruth", "tag"), ("Ruth", "paragraph")]


def test_a_docx_goes_out_comes_back_edited_and_is_accepted_and_undone(project: Path, novel: Path) -> None:
    typed(project, "import", novel, "--yes")
    out, scene = project / "out.docx", project / "manuscript/ch02-sc01.md"
    typed(project, "export", "--to", "docx", "--output", out, "--author", "Ann Author")
    assert "3 scenes, all as they went out" in typed(project, "import", out)
    before = scene.read_bytes()
    editor = WordEditor(out.read_bytes())
    editor.replace("letter", "door", "Mara")
    editor.comment("Nobody", "Who?", "Mara")
    out.write_bytes(editor.saved())
    listed = typed(project, "import", out)
    assert "1 manuscript/ch02-sc01.md:" in listed
    assert "(Mara): “letter” → “door”" in listed
    assert "(Mara) on “Nobody”: Who?" in listed
    assert scene.read_bytes() == before
    assert "Changed manuscript/ch02-sc01.md" in typed(project, "import", out, "--accept", "1")
    assert scene.read_bytes() == before.replace(b"letter.", b"door.")
    typed(project, "undo")
    assert scene.read_bytes() == before


def test_a_docx_that_was_exported_begins_a_book_anew_where_there_is_none(
    project: Path, novel: Path, tmp_path: Path
) -> None:
    typed(project, "import", novel, "--yes")
    out, other = tmp_path / "out.docx", tmp_path / "other"
    typed(project, "export", "--to", "docx", "--output", out)
    other.mkdir()
    typed(other, "import", out, "--yes")
    scenes = {path.name: _prose(path) for path in sorted((project / "manuscript").glob("*.md"))}
    assert {path.name: _prose(path) for path in sorted((other / "manuscript").glob("*.md"))} == scenes
    assert len(scenes) == 3


def _prose(path: Path) -> str:
    return path.read_text(encoding="utf-8").rpartition("---\n")[2].strip()


def test_the_ending_of_the_file_says_which_format_is_meant(project: Path, novel: Path) -> None:
    typed(project, "import", novel, "--yes")
    for name, begins in {"book.epub": b"PK", "book.MD": b"# ", "book.txt": b"", "book": b"PK"}.items():
        typed(project, "export", "--output", project / name)
        assert (project / name).read_bytes().startswith(begins)
    assert b"application/epub+zip" in (project / "book.epub").read_bytes()
    assert b"word/document.xml" in (project / "book").read_bytes()


@pytest.mark.parametrize("form", ["docx", "epub", "md", "txt"])
def test_an_export_that_fails_leaves_the_old_file(
    project: Path, novel: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    typed(project, "import", novel, "--yes")
    out = project / f"book.{form}"
    typed(project, "export", "--to", form, "--output", out)
    before = out.read_bytes()
    assert "exists" in typed(project, "export", "--to", form, "--output", out, code=2)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "disk is full" in typed(project, "export", "--to", form, "--output", out, "--force", code=5)
    assert out.read_bytes() == before
    assert not list(project.glob(".*part"))


@pytest.mark.parametrize("form", ["docx", "epub", "md", "txt"])
@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("Das Café.\n".encode("latin-1"), "not UTF-8 text. Save it as UTF-8."),
        (b"---\ntitle: [The Cafe\n---\nNobody came.\n", "the front matter cannot be read"),
    ],
)
def test_a_scene_that_cannot_be_read_is_missed_aloud(
    project: Path, novel: Path, form: str, broken: bytes, said: str
) -> None:
    typed(project, "import", novel, "--yes")
    (project / "manuscript/ch02-sc02.md").write_bytes(broken)
    told = typed(project, "export", "--to", form, "--output", project / f"all.{form}")
    assert "A scene was left out: manuscript/ch02-sc02.md" in told
    assert said in told
    assert "left out" not in typed(
        project, "export", "--to", form, "--chapters", "1", "--output", project / f"one.{form}"
    )
    alone = ("export", "--to", form, "--scene", "ch02-sc02", "--output", project / f"none.{form}")
    assert said in typed(project, *alone, code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("import", "gone.docx"), "There is no file"),
        (("import", "novel.md", "--accept", "1"), "--accept is for those"),
        (("import", "novel.md", "--yes", "--preview", "x"), "Give one of"),
        (("import", "book.pdf"), "PDF cannot be read"),
        (("export", "--to", "pdf"), "there are: docx, epub, md, txt"),
        (("export",), "Nothing of the manuscript was chosen"),
        (("export", "--paper", "a5"), "letter or a4"),
        (("export", "--output", "book.html"), "There is no format 'html'"),
        (("export", "--to", "md", "--output", "book.epub"), "Name one of the two"),
        (("speakers", "ch09-sc09"), "There is no scene"),
    ],
)
def test_mistakes_say_what_to_do(
    project: Path, novel: Path, words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (novel.parent / "book.pdf").write_bytes(b"%PDF")
    monkeypatch.chdir(novel.parent)
    assert said in " ".join(typed(project, *words, code=2).split())
