"""A story that plays with no pause, and the command line as a test types it."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from typer.testing import CliRunner

from dramaturg.cli.app import app

SCENE = "the-second-signature"


def new_story(folder: Path) -> Path:
    assert CliRunner().invoke(app, ["new", str(folder)]).exit_code == 0
    with (folder / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[scenes]\npace = 0\n")
    return folder


def typed(story: Path, *words: str, keys: str = "", code: int = 0) -> str:
    """What a command prints on stdout; on stderr too if it is meant to fail."""
    done = CliRunner().invoke(app, [*words, "--project", str(story)], input=keys, catch_exceptions=False)
    assert done.exit_code == code, done.stderr
    return done.output if code else done.stdout


def rehearsed(story: Path) -> str:
    """Plays the scene with the rehearsal company; the id of the run."""
    last = typed(story, "scene", "run", SCENE, "--model", "rehearsal", "--json").splitlines()[-1]
    return json.loads(last)["run"]


def document(story: Path, folder: str = SCENE) -> dict[str, object]:
    return json.loads((story / "data" / "scenes" / folder / "scene.json").read_text(encoding="utf-8"))


def interruptible() -> None:
    """In a child, before it runs: Ctrl-C interrupts it even if the tests were started with the signal ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
