"""The page of rehearsals is what the command prints; `python -m tests.docs.test_rehearsals_page` regenerates it."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from dramaturg.cli.app import app

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rehearsals.md"
EXAMPLES = ("the-flirt-test", "the-missing-ledger", "the-night-porter")
HEAD = """# Rehearsals of the examples

The output of `dramaturg episode rehearse --turns 12` for the [episodes](episodes.md) of the three examples. The
rehearsal company plays both sides: six players, eager, shy, hostile, silent, off topic, and one who tries to break the
character and to read what is hidden. A test checks that this page is current.

An open episode is never completed, and only the eager and the hostile player make an accusation.
"""


def page() -> str:
    parts = [HEAD]
    for name in EXAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            project = shutil.copytree(ROOT / "examples" / name, Path(folder) / name)
            command = ["episode", "rehearse", "--turns", "12", "--project", str(project)]
            done = CliRunner().invoke(
                app, command, env={"COLUMNS": "100", "DRAMATURG_MODEL": "rehearsal"}, catch_exceptions=False
            )
        assert done.exit_code == 0, done.output
        printed = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
        parts.append(f"## {name}\n\n```text\n{printed}\n```\n")
    return "\n".join(parts)


def test_the_page_is_what_is_printed() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), "regenerate it: python -m tests.docs.test_rehearsals_page"


def test_nothing_leaks_in_any_example() -> None:
    found = re.findall(r"Leaks: (\d+)", PAGE.read_text(encoding="utf-8"))
    assert len(found) >= 7
    assert set(found) == {"0"}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
