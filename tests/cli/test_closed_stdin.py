"""Without a stdin, as a service manager or cron may start a command: nothing is typed, and that is all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.child import clean_environment
from tests.cli.story import new_story

WITHOUT_STDIN = "import os, sys; os.close(0); os.execv(sys.executable, sys.argv[1:])"


@pytest.mark.parametrize("words", [("foreman", "chat"), ("episode", "play", "tea-with-walter"), ("trust",)])
def test_a_command_that_reads_what_is_typed_ends(words: tuple[str, ...], tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_STDIN, sys.executable, "-m", "dramaturg", *words, "--project", str(story)],
        env=clean_environment(tmp_path, DRAMATURG_MODEL="rehearsal"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "bug" not in done.stderr
