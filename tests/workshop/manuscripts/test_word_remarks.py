"""What waits for the writer goes out on its words, and an editor can answer it there."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.manuscripts.front import ExportWish
from dramaturg.workshop.patches.patch import PatchSource, quoted_patch
from tests.workshop.manuscripts.word_editor import WordEditor
from tests.workshop.workroom import at_work

FIRST = """---
cast: [Ruth]
facts:
  - {subject: Ruth, predicate: eye_colour, object: green, quote: Her eyes were green as bottle glass.}
---
Ruth came in. Her eyes were green as bottle glass.
"""
SECOND = """---
cast: [Ruth]
facts:
  - {subject: Ruth, predicate: eye_colour, object: brown, quote: Her eyes were brown as the river.}
---
Ruth went out again. Her eyes were brown as the river.
"""
PATHS = ("manuscript/ch01-sc01.md", "manuscript/ch01-sc02.md")


def book(folder: Path) -> Path:
    for path, text in zip(PATHS, (FIRST, SECOND), strict=True):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


async def test_conflicts_are_comments_and_patches_are_tracked_changes_on_their_words(tmp_path: Path) -> None:
    book(tmp_path)
    async with at_work(tmp_path) as foreman:
        run = await foreman.works.start("consolidation", foreman.works.read("consolidation", {"reads": False}))
        await foreman.works.wait(run.id)
        patches = (
            quoted_patch(PATHS[1], SECOND, "went out again", "left", reason="shorter"),
            quoted_patch(PATHS[1], SECOND, "object: brown", "object: green", reason="one colour"),
        )
        await foreman.patches.propose("t", "Prose pass", PatchSource(name="a model", purpose="prose"), patches)
        remarks = await foreman.exports.remarks()
        out = await foreman.exports.export(ExportWish("docx"), remarks=True)
        same = await foreman.manuscripts.review("out.docx", out.data)
        editor = WordEditor(out.data)
        shown = editor.saved()
        editor.accept_all()
        back = await foreman.manuscripts.review("out.docx", editor.saved())
    notes = {(one.anchor.path, one.anchor.quote, one.source) for one in remarks.notes}
    assert (PATHS[0], "Her eyes were green as bottle glass.", "conflict 1") in notes
    assert (PATHS[1], "Her eyes were brown as the river.", "conflict 1") in notes
    assert (PATHS[1], "", "patch 2") in notes
    assert [(one.anchor.quote, one.new, one.source) for one in remarks.patches] == [
        ("went out again", "left", "patch 1")
    ]
    assert out.unplaced == ()
    assert (same.patches, same.notes) == ((), ())
    assert [(one.patch.anchor.quote, one.patch.new, one.state) for one in back.patches] == [
        ("went out again", "left", "ready")
    ]
    with zipfile.ZipFile(io.BytesIO(shown)) as parts:
        comments = parts.read("word/comments.xml").decode()
    assert comments.count("(conflict 1)") == 2
    assert comments.count("(patch 2)") == 1
    assert [(tmp_path / path).read_text("utf-8") for path in PATHS] == [FIRST, SECOND]


async def test_remarks_go_into_word_only(tmp_path: Path) -> None:
    book(tmp_path)
    async with at_work(tmp_path) as foreman:
        with pytest.raises(InvalidConfig, match="DOCX only, not into epub"):
            await foreman.exports.export(ExportWish("epub"), remarks=True)
        nothing = await foreman.exports.remarks()
        plain = await foreman.exports.export(ExportWish("docx"))
        assert (await foreman.exports.export(ExportWish("docx"), remarks=True)).data == plain.data
    assert nothing.notes == nothing.patches == ()


async def test_an_import_ends_with_a_first_health_report(tmp_path: Path) -> None:
    novel = tmp_path / "novel.md"
    novel.write_text("# One\n\nRuth came in.\n\n* * *\n\nRuth went out.\n", encoding="utf-8")
    project = tmp_path / "book"
    project.mkdir()
    async with at_work(project) as foreman:
        sources = await foreman.manuscripts.read(novel)
        told = await foreman.manuscripts.apply(await foreman.manuscripts.plan(sources))
        assert [one for one in told if one.startswith("Health check of 2 scenes")]
        assert (await foreman.health.last()).scenes == 2
        again = await foreman.manuscripts.apply(await foreman.manuscripts.plan(sources))
        assert not any("Health check" in one for one in again)
        assert sorted(one.work for one in await foreman.works.rows()) == ["health", "import", "import"]
