"""Files are whole or not there, inside their folder, and never over another's."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, StoreUnavailable
from dramaturg.kernel.store import Artifacts
from tests.child import uncounted


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_text_bytes_and_json_are_written_and_replaced(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path / "data")
    artifacts.write_text("scenes/apology/transcript.md", "old")
    path = artifacts.write_text("scenes/apology/transcript.md", "Zoë: “No.”\n")
    artifacts.write_bytes(Path("scenes/apology/line.wav"), b"\0\1")
    artifacts.write_json("scenes/apology/metadata.json", {"beats": 3, "name": "Zoë"})
    folder = tmp_path / "data" / "scenes" / "apology"
    assert path == folder / "transcript.md"
    assert path.read_text(encoding="utf-8") == "Zoë: “No.”\n"
    assert (folder / "line.wav").read_bytes() == b"\0\1"
    assert (folder / "metadata.json").read_text(encoding="utf-8") == '{\n  "beats": 3,\n  "name": "Zoë"\n}\n'
    assert names(folder) == ["line.wav", "metadata.json", "transcript.md"]


def test_a_file_is_as_readable_as_any_other_the_user_makes(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    written = Artifacts(tmp_path).write_text("written", "")
    assert stat.S_IMODE(written.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


@pytest.mark.parametrize("name", ["../out.md", "a/../../out.md", "/out.md", "", ".", "a\0b", "a/.."])
def test_a_path_that_leads_outside_is_refused(tmp_path: Path, name: str) -> None:
    root = tmp_path / "data"
    for write in (lambda: Artifacts(root).write_text(name, "x"), lambda: Artifacts(root).numbered(name)):
        with pytest.raises(InvalidConfig, match="is not inside"):
            write()
    assert names(tmp_path) == []


def test_a_folder_is_called_by_its_path_even_where_one_stands_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidConfig) as refused:
        Artifacts(Path()).path("../out.md")
    assert f"'../out.md' is not inside {tmp_path.resolve()}. Give" in refused.value.message


def test_a_link_that_leads_outside_is_refused_and_one_that_stays_inside_is_not(tmp_path: Path) -> None:
    root, outside = tmp_path / "data", tmp_path / "outside"
    (root / "real").mkdir(parents=True)
    outside.mkdir()
    (root / "folder").symlink_to(outside)
    (root / "file.md").symlink_to(outside / "file.md")
    (root / "inside").symlink_to(root / "real")
    for name in ("folder/x.md", "file.md"):
        with pytest.raises(InvalidConfig):
            Artifacts(root).write_text(name, "x")
    with pytest.raises(InvalidConfig):
        Artifacts(root).numbered("folder/x")
    Artifacts(root).write_text("inside/x.md", "x")
    assert names(outside) == []
    assert (root / "real" / "x.md").read_text() == "x"


def test_a_root_that_is_itself_a_link_is_fine(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "data").symlink_to(tmp_path / "disk")
    Artifacts(tmp_path / "data").write_text("x.md", "x")
    assert (tmp_path / "disk" / "x.md").read_text() == "x"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifacts = Artifacts(tmp_path)
    artifacts.write_text("transcript.md", "old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnavailable, match=r"transcript.md cannot be written: the disk is full\. Free some space"):
        artifacts.write_text("transcript.md", "new")
    assert names(tmp_path) == ["transcript.md"]
    assert (tmp_path / "transcript.md").read_text() == "old"


def test_a_file_larger_than_the_system_allows_fails_whole(tmp_path: Path) -> None:
    program = """
        import sys
        from pathlib import Path
        from dramaturg.kernel.errors import StoreUnavailable
        from dramaturg.kernel.store import Artifacts
        try:
            Artifacts(Path(sys.argv[1])).write_bytes("big", b"x" * 100_000)
        except StoreUnavailable as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), tmp_path],
        capture_output=True,
        text=True,
        check=True,
        env=uncounted(dict(os.environ)),  # coverage would write less than it wants to
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
    )
    assert "big cannot be written: the file would be larger than allowed" in done.stdout
    assert names(tmp_path) == []


def test_a_file_where_a_folder_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "scenes").write_text("in the way")
    artifacts = Artifacts(tmp_path)
    for write in (lambda: artifacts.write_text("scenes/x.md", "x"), lambda: artifacts.numbered("scenes/apology")):
        with pytest.raises(StoreUnavailable, match="a file, not a folder"):
            write()
    assert (tmp_path / "scenes").read_text() == "in the way"


def test_folders_are_numbered_and_never_given_twice(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "apology-2").write_text("a file of that name counts")
    given = [artifacts.numbered("scenes/apology") for _ in range(3)]
    assert [path.name for path in given] == ["apology", "apology-3", "apology-4"]
    assert all(path.is_dir() for path in given)


def test_those_who_ask_for_a_folder_at_once_get_different_ones(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    with ThreadPoolExecutor(8) as many:
        given = list(many.map(lambda _: artifacts.numbered("apology"), range(40)))
    assert len(set(given)) == 40
