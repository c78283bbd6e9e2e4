"""Paths that stay in a folder, and paths that do not."""

import os
from pathlib import Path

import pytest

from dramaturg.kernel.files import is_inside


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, links of every kind, and a neighbour whose name begins like its own."""
    here = tmp_path / "here"
    (here / "deep").mkdir(parents=True)
    (tmp_path / "here-too").mkdir()
    for name in ("here/deep/file", "here-too/file", "file"):
        (tmp_path / name).write_text("x")
    for link, target in (
        ("out", "../file"),
        ("home", "deep/file"),
        ("door", "../here-too"),
        ("round", "about"),
        ("about", "round"),
    ):
        (here / link).symlink_to(target)
    (tmp_path / "alias").symlink_to("here")
    return here


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("deep/file", True),
        ("deep/missing", True),
        ("missing/too", True),
        ("home", True),
        ("home/below-a-file", True),
        ("out", False),
        ("door", False),
        ("door/file", False),
        ("door/missing", False),
        ("deep/../../file", False),
        ("../here-too/file", False),
        ("round", False),
        ("round/below", False),
        ("deep/nul\0", False),
    ],
)
def test_a_path_is_inside_if_it_is_with_every_link_followed(folder: Path, name: str, inside: bool) -> None:
    assert is_inside(folder / name, folder) is inside
    assert is_inside(folder.parent / "alias" / name, folder.parent / "alias") is inside
    assert is_inside(folder.parent / "alias" / name, folder) is inside


def test_a_relative_path_is_inside_the_folder_it_is_written_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert is_inside(Path("deep/file"), Path())
    assert not is_inside(Path("out"), Path())
    assert not is_inside(Path(os.pardir), Path())
    assert not is_inside(folder.parent / "file", Path())
    assert is_inside(folder / "deep/file", Path())
    assert is_inside(Path("deep/file"), folder)
