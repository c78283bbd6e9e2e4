"""`dramaturg players`: invite somebody, see who was given a token, revoke one."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app


def players(project: Path, *words: str) -> tuple[int, str, str]:
    home = {"HOME": f"{project}-home", "XDG_CONFIG_HOME": None}
    runner = CliRunner(env=home)
    done = runner.invoke(app, ["players", *words, "--project", str(project)], catch_exceptions=False)
    return done.exit_code, done.stdout, done.stderr


def test_a_token_is_given_listed_and_revoked_and_never_stored(tmp_path: Path) -> None:
    assert "dramaturg players invite" in players(tmp_path, "tokens")[1]
    code, token, said = players(tmp_path, "invite")
    assert (code, token.split(".")[0]) == (0, "p2")
    assert "X-Player-Token" in said
    token_id = token.split(".")[2]
    listed = json.loads(players(tmp_path, "tokens", "--json")[1])
    assert (listed["id"], listed["revoked"]) == (token_id, False)
    assert token.strip().encode() not in (tmp_path / "data" / "dramaturg.db").read_bytes()
    assert players(tmp_path, "revoke", token_id)[0] == 0
    assert f"{token_id}  {listed['player_id']}  revoked" in players(tmp_path, "tokens")[1]


def test_a_token_that_there_is_not_cannot_be_revoked(tmp_path: Path) -> None:
    code, _, said = players(tmp_path, "revoke", "none-here")
    assert code == 2
    assert "none-here" in said


@pytest.mark.parametrize("player", ["ü x", "a\nb", "../x", "x" * 200])
def test_a_token_that_no_header_could_carry_is_not_given_out(tmp_path: Path, player: str) -> None:
    code, token, said = players(tmp_path, "invite", "--player", player)
    assert (code, token) == (2, "")
    assert "cannot be a player's id" in said
