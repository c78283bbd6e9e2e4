"""An export that finds no room: the file that was there stays, and the message says why."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child import clean_environment
from tests.ensemble.test_speech_faults import can_mount

BOOKS = Path(__file__).parents[2] / "examples" / "the-harbour-books"
SMALL_DISK = 'out="$1" && mount -t tmpfs -o size=8k tmpfs "$out" && echo old > "$out/book.docx" && shift && "$@"'
LOOK = 'code=$?; cat "$out/book.docx"; ls "$out"; exit $code'


def test_a_disk_that_is_full_in_the_middle_of_an_export_leaves_the_old_file_whole(tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("file systems cannot be mounted here")
    shutil.copytree(BOOKS, tmp_path / "books")
    (tmp_path / "out").mkdir()
    out = tmp_path / "out" / "book.docx"
    command = [sys.executable, "-m", "dramaturg", "foreman", "export", "--output", str(out), "--force"]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", f"{SMALL_DISK}; {LOOK}", "sh", str(out.parent), *command],
        cwd=tmp_path / "books" / "the-weighing-house",
        capture_output=True,
        text=True,
        env=clean_environment(tmp_path, DRAMATURG_TRUST="1"),
        check=False,
        timeout=290,
    )
    assert (done.returncode, done.stdout) == (5, "old\nbook.docx\n")
    assert "the disk is full" in done.stderr
    assert "Traceback" not in done.stderr
