"""`store backup`, `runs export --log` and `runs import`, as they are typed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.child import clean_environment
from tests.warm import program


def dramaturg(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*program(), *words]
    environment = clean_environment(folder, NO_COLOR="1")
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a project that has played one scene, and one that has not."""
    for name in ("here", "there"):
        assert dramaturg(tmp_path, "new", name).returncode == 0
    played = dramaturg(tmp_path, "scene", "run", "the-second-signature", "--project", "here", "--quiet")
    assert played.returncode == 0, played.stderr
    return tmp_path


def test_a_project_is_backed_up_and_a_run_is_moved_from_the_command_line(folder: Path) -> None:
    done = dramaturg(folder, "store", "backup", "copy", "--project", "here")
    assert (done.returncode, "1 runs with" in done.stderr) == (0, True), done.stderr
    again = dramaturg(folder, "store", "backup", "copy", "--project", "here")
    assert (again.returncode, "never overwrites" in again.stderr) == (2, True)

    run = dramaturg(folder, "runs", "list", "--project", "here").stdout.splitlines()[1].split()[0]
    assert dramaturg(folder, "runs", "export", run, "--log", "run.jsonl", "--project", "here").returncode == 0
    taken = dramaturg(folder, "runs", "export", run, "--log", "run.jsonl", "--project", "here")
    assert (taken.returncode, "Traceback" in taken.stderr) == (2, False)
    assert dramaturg(folder, "runs", "import", "run.jsonl", "--project", "there").returncode == 0
    shown = [dramaturg(folder, "runs", "show", run, "--project", name).stdout for name in ("here", "there")]
    assert shown[0] == shown[1] != ""

    (folder / "run.jsonl").write_bytes((folder / "run.jsonl").read_bytes()[:-40])
    cut = dramaturg(folder, "runs", "import", "run.jsonl", "--as-new", "--project", "there")
    assert (cut.returncode, "Nothing was imported" in cut.stderr) == (2, True)
