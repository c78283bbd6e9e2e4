"""Output that cannot be written: one message and the exit code of a disk problem, never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.child import clean_environment
from tests.cli.story import SCENE, new_story, rehearsed

FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    story = new_story(tmp_path_factory.mktemp("output") / "story")
    return story, rehearsed(story)


def command(story: Path, *words: str, **more: str) -> tuple[list[str], dict[str, str]]:
    return [sys.executable, "-m", "dramaturg", *words, "--project", str(story)], clean_environment(story, **more)


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize(
    "words",
    [("runs", "list"), ("runs", "show", "RUN"), ("runs", "export", "RUN", "-f", "txt"), ("scene", "run", SCENE)],
)
def test_a_full_disk_behind_stdout_is_named(played: tuple[Path, str], words: tuple[str, ...]) -> None:
    story, run = played
    typed, environment = command(
        story, *(run if word == "RUN" else word for word in words), DRAMATURG_MODEL="rehearsal"
    )
    with FULL.open("w") as full:
        done = subprocess.run(typed, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr, "bug" in done.stderr) == (5, False, False)
    assert "The output cannot be written: No space left on device." in done.stderr


def test_letters_that_the_terminal_does_not_know_are_escaped(played: tuple[Path, str]) -> None:
    story, _ = played
    (story / "scenes" / "cold.yaml").write_text(
        "name: cold\nprompt: 'Scene goal: Walter is confessing'\nsetting: 今天很冷\ncharacters: [iris, walter]\n",
        encoding="utf-8",
    )
    typed, environment = command(
        story, "scene", "run", "cold", DRAMATURG_MODEL="rehearsal", PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    )
    done = subprocess.run(typed, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "\\u4eca\\u5929" in done.stdout) == (0, True), done.stderr
