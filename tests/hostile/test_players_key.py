"""The key that signs players' tokens: one that came with a project is named once, where players are let in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dramaturg.kernel.settings import read_settings
from dramaturg.server.http.player_tokens import is_from_elsewhere, secret_of
from dramaturg.server.reaper import FOREIGN_KEY
from dramaturg.trust import require_consent
from tests.server.visitor import served, write_story

KNOWN = b"attacker-knows-this-secret-0123456789"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def brought(story: Path, key: bytes = KNOWN) -> Path:
    (story / "data").mkdir(mode=0o700, parents=True, exist_ok=True)
    file = story / "data" / "players.key"
    file.write_bytes(key)
    file.chmod(0o600)
    return story


async def test_a_server_says_once_that_its_key_is_not_from_here(
    tmp_path: Path, env: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    story = brought(write_story(tmp_path / "story"))
    told = []
    for _ in range(2):
        async with served(read_settings(story, env)):
            told.append(FOREIGN_KEY in capfd.readouterr().err)
    assert told == [True, False]


def test_a_key_from_elsewhere_is_told_from_one_that_was_made_here(tmp_path: Path, env: dict[str, str]) -> None:
    assert is_from_elsewhere(read_settings(brought(tmp_path / "theirs"), env))
    (tmp_path / "ours").mkdir()
    secret_of(read_settings(tmp_path / "ours", env))
    assert not is_from_elsewhere(read_settings(tmp_path / "ours", env))
    moved = Path(shutil.move(tmp_path / "ours", tmp_path / "moved"))
    assert not is_from_elsewhere(read_settings(moved, env))
    assert is_from_elsewhere(read_settings(moved, {"HOME": str(tmp_path / "elsewhere")}))


def test_what_is_remembered_of_a_key_does_not_tell_it(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "story").mkdir()
    secret = secret_of(read_settings(tmp_path / "story", env))
    (remembered,) = (tmp_path / "home" / ".config" / "dramaturg" / "keys").iterdir()
    assert (remembered.stat().st_mode & 0o777, remembered.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert (remembered.read_bytes(), secret.decode() in remembered.name) == (b"", False)


def test_what_others_could_have_written_does_not_make_a_key_ours(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "story").mkdir()
    secret_of(read_settings(tmp_path / "story", env))
    (tmp_path / "home" / ".config" / "dramaturg" / "keys").chmod(0o777)
    assert is_from_elsewhere(read_settings(tmp_path / "story", env))


def test_a_secret_in_a_variable_leaves_the_file_unused(tmp_path: Path, env: dict[str, str]) -> None:
    story = brought(tmp_path / "story")
    (story / "dramaturg.toml").write_text('[players]\nsecret_env = "DRAMATURG_PLAYERS"\n', encoding="utf-8")
    settings = read_settings(story, {**env, "DRAMATURG_PLAYERS": "s" * 32})
    require_consent(settings)
    assert (secret_of(settings), is_from_elsewhere(settings)) == (b"s" * 32, False)


def test_without_a_home_the_key_stays_the_same_and_nothing_is_said(tmp_path: Path) -> None:
    settings = read_settings(tmp_path, {})
    assert secret_of(settings) == secret_of(settings)
    assert not is_from_elsewhere(settings)
