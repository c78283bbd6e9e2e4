"""`dramaturg serve`: what keeps it from serving is said plainly."""

import socket
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app


def serve(project: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["serve", "--project", str(project), *words], catch_exceptions=False)
    return done.exit_code, done.stderr


def test_a_port_that_is_taken_is_named_with_the_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = serve(tmp_path, "--port", str(port))
    assert code == 2
    assert f"port {port}" in said
    assert "--port" in said


def test_a_host_that_others_can_reach_is_refused_without_a_token_unless_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder", encoding="utf-8")  # so that it does not come to serving
    code, said = serve(tmp_path, "--host", "0.0.0.0", "--port", "0")
    assert code == 2
    assert "token_env under [server]" in said
    assert "--insecure" in said
    code, said = serve(tmp_path, "--host", "0.0.0.0", "--port", "0", "--insecure")
    assert code == 5
    assert "no token is set" in said
    assert serve(tmp_path, "--port", "0")[0] == 5


@pytest.mark.parametrize(
    ("token", "says"), [("", "that is not set"), ("short", "16 characters"), ("a b " * 9, "spaces")]
)
def test_a_token_that_is_missing_or_weak_keeps_the_server_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, token: str, says: str
) -> None:
    (tmp_path / "dramaturg.toml").write_text('[server]\ntoken_env = "DRAMATURG_STAGE_DOOR"\n', encoding="utf-8")
    monkeypatch.setenv("DRAMATURG_STAGE_DOOR", token)
    code, said = serve(tmp_path, "--port", "0")
    assert code == 2
    assert "DRAMATURG_STAGE_DOOR" in said
    assert says in said
    assert not token or token not in said


def test_with_a_token_others_may_be_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").write_text("not a folder", encoding="utf-8")
    (tmp_path / "dramaturg.toml").write_text('[server]\ntoken_env = "DRAMATURG_STAGE_DOOR"\n', encoding="utf-8")
    monkeypatch.setenv("DRAMATURG_STAGE_DOOR", "x" * 32)
    assert serve(tmp_path, "--host", "0.0.0.0", "--port", "0")[0] == 5


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("dramaturg.server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, said = serve(tmp_path)
    assert code == 2
    assert "pip install '.[server]' in dramaturg's folder" in said
