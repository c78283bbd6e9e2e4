"""The run of the tests: what fails beside the others is tried alone, and nothing that fails there is passed over."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.suite import ALONE, MOST_AGAIN, main
from tests.thorough import THOROUGH

UNSTEADY = """
from pathlib import Path

def test_that_passes_the_second_time():
    seen = Path("seen")
    first = not seen.exists()
    seen.touch()
    assert not first

def test_that_always_passes():
    assert 1 + 1 == 2
"""


class Run:
    """Runs of pytest that fail as they are told: the tests that fail in the first, and in the second."""

    def __init__(self, root: Path, first: list[str], second: list[str]) -> None:
        self.remembered = root / ".pytest_cache" / "v" / "cache" / "lastfailed"
        self.remembered.parent.mkdir(parents=True, exist_ok=True)
        self.failures = [first, second]
        self.alone: list[bool] = []

    def __call__(self, *options: str) -> int:
        failed = self.failures[len(self.alone)]
        self.alone.append("--last-failed" in options)
        if failed:
            self.remembered.write_text(json.dumps(dict.fromkeys(failed, True)), encoding="utf-8")
        return int(bool(failed))


def test_a_suite_that_passes_is_run_once_whatever_failed_before(tmp_path: Path) -> None:
    run = Run(tmp_path, [], [])
    run.remembered.write_text('{"test_of_yesterday": true}', encoding="utf-8")
    assert main((), tmp_path, run) == 0
    assert run.alone == [False]


def test_a_test_that_fails_alone_too_fails_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(tmp_path, ["a", "b"], ["b"])
    assert main((), tmp_path, run) == 1
    assert run.alone == [False, True]
    assert "Unsteady" not in capsys.readouterr().out


def test_many_failures_are_not_tried_again(tmp_path: Path) -> None:
    run = Run(tmp_path, [f"test {n}" for n in range(MOST_AGAIN + 1)], [])
    assert main((), tmp_path, run) == 1
    assert run.alone == [False]


def test_a_failure_that_no_test_is_named_for_fails_the_run(tmp_path: Path) -> None:
    """Too little coverage, a usage error, an interrupted run."""
    for code in (1, 2, 4):
        assert main((), tmp_path, lambda *_, code=code: code) == code


def test_a_test_that_passes_alone_is_named_and_the_run_succeeds(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (tmp_path / "test_unsteady.py").write_text(UNSTEADY, encoding="utf-8")

    def run(*options: str) -> int:
        two = ["-n", "2"] if options[: len(ALONE)] != ALONE else []
        return subprocess.call([sys.executable, "-m", "pytest", *options, *two], cwd=tmp_path)

    assert main((), tmp_path, run) == 0
    said = capfd.readouterr().out
    assert "Unsteady" in said
    assert said.rstrip().endswith("test_unsteady.py::test_that_passes_the_second_time")
    assert "1 failed, 1 passed" in said


def test_every_suite_that_a_quick_run_leaves_out_is_there() -> None:
    root = Path(__file__).parents[1]
    assert [name for name in sorted(THOROUGH) if not (root / name).is_file()] == []
