"""The root of the command line: it lists every noun, and imports one when it is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import Root, app

HEAVY = {"rich", "orjson", "asyncio", "prompt_toolkit", "dramaturg.kernel.settings", "dramaturg.studio"}


def imported(words: list[str], keys: str = "") -> set[str]:
    """The modules that a command imports, in a process of its own."""
    program = (
        "import sys\nfrom dramaturg.cli.app import app\n"
        f"app({words!r}, standalone_mode=False)\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], input=keys, capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def test_the_help_lists_every_noun_and_imports_none() -> None:
    shown = " ".join(CliRunner().invoke(app, ["--help"]).stdout.split())
    assert all(f"{name} {about}" in shown for name, about in Root.nouns.items())
    modules = imported(["--help"])
    assert not {f"dramaturg.cli.{name}" for name in Root.nouns} & modules
    assert not modules & HEAVY


@pytest.mark.parametrize("noun", Root.nouns)
def test_every_noun_is_a_file_with_its_sentence(noun: str) -> None:
    shown = CliRunner().invoke(app, [noun, "--help"], catch_exceptions=False)
    assert shown.exit_code == 0
    assert Root.nouns[noun] in " ".join(shown.stdout.split())


@pytest.mark.parametrize("command", [["runs", "list"], ["scene", "run"], ["episode", "play"], ["foreman", "chat"]])
def test_the_help_of_a_command_imports_nothing_heavy(command: list[str]) -> None:
    assert not imported([*command, "--help"]) & HEAVY


def test_an_unknown_noun_is_refused_with_a_suggestion() -> None:
    done = CliRunner().invoke(app, ["scenes"])
    assert done.exit_code == 2
    assert "No such command 'scenes'. Did you mean 'scene'?" in done.stderr


def test_a_pipe_needs_no_terminal_library(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    modules = imported(["foreman", "chat", "--project", str(tmp_path)], keys="Hello\n")
    assert "dramaturg.cli.line_reader" in modules
    assert "prompt_toolkit" not in modules
