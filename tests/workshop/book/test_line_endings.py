"""What the Foreman changes keeps the file's own line endings and byte order mark."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.files import ProjectFiles, digest_of
from dramaturg.workshop.book.manuscript import Manuscript
from tests.workshop.workroom import acting, at_work, heard, saying

MARK = "\ufeff".encode()
SCENE = "manuscript/ch01-sc01.md"


def scene(project: Path, data: bytes) -> Path:
    path = project / SCENE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def edited(project: Path, find: str, replace: str) -> bytes:
    files, manuscript = ProjectFiles(project), Manuscript(project)
    seen = manuscript.files()[0].digest
    files.put(manuscript.plan_edit("ch01-sc01", find, replace, seen=seen))
    return (project / SCENE).read_bytes()


@pytest.mark.parametrize("mark", [b"", MARK])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_an_edit_keeps_them(tmp_path: Path, end: bytes, mark: bytes) -> None:
    scene(tmp_path, mark + b"She ran." + end + end + b"She fell." + end)
    wanted = mark + b"She walked." + end + end + b"Slowly." + end + end + b"She fell." + end
    assert edited(tmp_path, "She ran.", "She walked.\n\nSlowly.") == wanted


def test_an_edit_of_a_file_with_mixed_line_endings_leaves_the_other_lines_alone(tmp_path: Path) -> None:
    scene(tmp_path, b"One.\r\nTwo.\nThree.\r\nFour.\rFive.\r\n")
    assert edited(tmp_path, "Three.\nFour.", "3\n4") == b"One.\r\nTwo.\n3\r\n4\rFive.\r\n"


@given(before=st.text("ab\r\n", max_size=30), after=st.text("ab\r\n", max_size=30), instead=st.text("c\n", max_size=6))
def test_whatever_stands_around_an_edit_stays_byte_for_byte(before: str, after: str, instead: str) -> None:
    with TemporaryDirectory() as folder:
        scene(Path(folder), f"{before}xyz{after}".encode())
        data = edited(Path(folder), "xyz", instead)
        assert data.startswith(before.encode())
        assert data.endswith(after.encode())


@pytest.mark.parametrize("mark", [b"", MARK])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("head", [b"", b"---\nbeat: 9\n---\n\n"])
def test_a_whole_new_text_is_written_as_the_old_one_was(tmp_path: Path, end: bytes, mark: bytes, head: bytes) -> None:
    scene(tmp_path, mark + (head + b"She ran.\n").replace(b"\n", end))
    files, manuscript = ProjectFiles(tmp_path), Manuscript(tmp_path)
    seen = manuscript.files()[0].digest
    files.put(manuscript.plan("ch01-sc01", "He ran.\n\nFar.", seen=seen))
    wanted = mark + (head + b"He ran.\n\nFar.\n").replace(b"\n", end)
    assert (tmp_path / SCENE).read_bytes() == wanted


def test_a_field_of_the_story_bible_too(tmp_path: Path) -> None:
    page = tmp_path / "story-bible" / "theme.md"
    page.parent.mkdir()
    page.write_bytes(MARK + b"# Theme\r\n\r\n## Central theme\r\n\r\nTrust\r\n\r\n## My own\r\nKept.\r\n")
    bible = StoryBible(tmp_path)
    bible.write("theme", {"theme_statement": "Trust costs."}, seen=bible.page("theme").digest)
    data = page.read_bytes()
    assert data.startswith(MARK)
    assert b"Trust costs.\r\n" in data
    assert data.count(b"\n") == data.count(b"\r\n")


@pytest.mark.parametrize("own", [b"# Theme", b"Trust, mostly.", b"## Central theme", b""])
def test_a_page_without_front_matter_keeps_its_mark_at_the_very_beginning(tmp_path: Path, own: bytes) -> None:
    page = tmp_path / "story-bible" / "theme.md"
    page.parent.mkdir()
    page.write_bytes(MARK + own + b"\r\n\r\nKept.\r\n")
    bible = StoryBible(tmp_path)
    bible.write("theme", {"theme_statement": "Trust costs."}, seen=bible.page("theme").digest)
    bible.write("theme", {"genre": "noir"}, seen=bible.page("theme").digest)
    data = page.read_bytes()
    assert data.startswith(MARK + b"---\r\nstatus: in_progress\r\n")
    assert data.count(MARK) == 1
    assert own + b"\r\n\r\nKept.\r\n" in data
    assert bible.page("theme").fields["theme_statement"] == "Trust costs."


def test_a_field_below_a_mark_is_known_by_its_heading(tmp_path: Path) -> None:
    page = tmp_path / "story-bible" / "theme.md"
    page.parent.mkdir()
    page.write_bytes(MARK + b"## Central theme\n\nTrust\n")
    bible = StoryBible(tmp_path)
    assert bible.page("theme").fields == {"central_theme": "Trust"}
    bible.write("theme", {"central_theme": "Debt"}, seen=bible.page("theme").digest)
    assert b"Trust" not in page.read_bytes()


def test_the_digest_is_that_of_the_file_as_it_stands(tmp_path: Path) -> None:
    scene(tmp_path, b"One.\r\n")
    assert Manuscript(tmp_path).files()[0].digest == digest_of("One.\r\n")


async def test_two_edits_of_one_answer_and_their_undo_keep_a_windows_file_as_it_was(tmp_path: Path) -> None:
    path = scene(tmp_path, MARK + b"She ran.\r\n\r\nShe fell.\r\n")
    answer = saying(
        "Both.",
        acting("apply_edit", target="ch01-sc01", find="ran", replace="walked"),
        acting("apply_edit", target="ch01-sc01", find="fell", replace="sat"),
    )
    async with at_work(tmp_path, [answer]) as foreman:
        for _ in range(3):
            await foreman.change_mode(force=True)
        await heard(foreman, "Slower, please.")
        assert path.read_bytes() == MARK + b"She walked.\r\n\r\nShe sat.\r\n"
        await foreman.undo()
        await foreman.undo()
    assert path.read_bytes() == MARK + b"She ran.\r\n\r\nShe fell.\r\n"
