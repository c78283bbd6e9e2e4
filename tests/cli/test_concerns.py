"""The host finds the messages after which help was offered."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.episodes.staging import FLIRT, write_project

ENV = {"DRAMATURG_MODEL": "rehearsal", "COLUMNS": "100"}


def run(*command: str, typed: str = "") -> str:
    done = CliRunner().invoke(app, list(command), input=typed, env=ENV, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_concern_is_shown_to_the_player_and_listed_for_the_host(tmp_path: Path) -> None:
    write_project(tmp_path, FLIRT)
    assert "No message" in run("players", "concerns", "--project", str(tmp_path))
    played = run("episode", "play", "last-orders", "--project", str(tmp_path), typed="I want to die.\n")
    assert "cannot hold a conversation" in played
    assert "findahelpline.com" in played
    assert "“I want to die.”" in run("players", "concerns", "--project", str(tmp_path))
    (line,) = run("players", "concerns", "--project", str(tmp_path), "--json").strip().splitlines()
    assert json.loads(line)["concern"] == "self_harm"
