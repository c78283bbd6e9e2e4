"""The key that signs players' tokens: one that came with a project is not believed before its user allows it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dramaturg.kernel.errors import NotTrusted
from dramaturg.kernel.settings import read_settings
from dramaturg.server.http.player_tokens import secret_of
from dramaturg.studio import Studio
from dramaturg.trust import ConsentBook, require_consent, wishes_of
from tests.hostile.typed import typed

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


async def test_a_key_that_came_with_the_project_is_asked_about(tmp_path: Path, env) -> None:
    story = brought(tmp_path / "story")
    with pytest.raises(NotTrusted, match=r"let in as any player whoever knows the key in data/players\.key") as refused:
        async with Studio.open(read_settings(story, env)):
            pass
    assert "if it is removed, a new one is made" in refused.value.message
    assert KNOWN.decode() not in refused.value.message


def test_consent_to_a_key_is_for_that_key(tmp_path: Path, env) -> None:
    story = brought(tmp_path / "story")
    file = ConsentBook.of(env).remember(story, wishes_of(read_settings(story, env)))
    require_consent(read_settings(story, env))
    assert KNOWN not in file.read_bytes()
    brought(story, b"another key that somebody may know")
    with pytest.raises(NotTrusted):
        require_consent(read_settings(story, env))


def test_a_key_that_was_made_here_is_not_asked_about_wherever_its_project_lies(tmp_path: Path, env) -> None:
    story = tmp_path / "story"
    story.mkdir()
    secret = secret_of(read_settings(story, env))
    require_consent(read_settings(story, env))
    moved = shutil.move(story, tmp_path / "moved")
    require_consent(read_settings(moved, env))
    assert secret_of(read_settings(moved, env)) == secret
    (remembered,) = (tmp_path / "home" / ".config" / "dramaturg" / "keys").iterdir()
    assert (remembered.stat().st_mode & 0o777, remembered.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert (remembered.read_bytes(), secret.decode() in remembered.name) == (b"", False)
    with pytest.raises(NotTrusted):
        require_consent(read_settings(moved, {"HOME": str(tmp_path / "elsewhere")}))


def test_what_others_could_have_written_does_not_make_a_key_ours(tmp_path: Path, env) -> None:
    story = tmp_path / "story"
    story.mkdir()
    secret_of(read_settings(story, env))
    (tmp_path / "home" / ".config" / "dramaturg" / "keys").chmod(0o777)
    with pytest.raises(NotTrusted):
        require_consent(read_settings(story, env))


def test_a_removed_key_makes_room_for_one_that_is_ours(tmp_path: Path, env) -> None:
    story = brought(tmp_path / "story")
    (story / "data" / "players.key").unlink()
    assert secret_of(read_settings(story, env)) != KNOWN
    require_consent(read_settings(story, env))


def test_a_secret_in_a_variable_leaves_the_file_unused(tmp_path: Path, env) -> None:
    story = brought(tmp_path / "story")
    (story / "dramaturg.toml").write_text('[players]\nsecret_env = "DRAMATURG_PLAYERS"\n', encoding="utf-8")
    require_consent(read_settings(story, env))
    assert secret_of(read_settings(story, {**env, "DRAMATURG_PLAYERS": "s" * 32})) == b"s" * 32


def test_without_a_home_the_key_stays_the_same_and_nobody_is_asked(tmp_path: Path) -> None:
    secret = secret_of(read_settings(tmp_path, {}))
    require_consent(read_settings(tmp_path, {}))
    assert secret_of(read_settings(tmp_path, {})) == secret


@pytest.mark.timeout(180)
async def test_an_invitation_is_signed_with_a_key_of_ours_or_an_allowed_one(tmp_path: Path) -> None:
    home, story = tmp_path / "home", brought(tmp_path / "story")
    invite = ("players", "invite", "--project", str(story))
    refused = await typed(home, *invite)
    assert (refused.code, "dramaturg trust" in refused.text) == (2, True)
    assert (await typed(home, "trust", "--yes", "--project", str(story))).code == 0
    assert (await typed(home, *invite)).code == 0
    (story / "data" / "players.key").unlink()
    assert [(await typed(home, *invite)).code for _ in range(2)] == [0, 0]
