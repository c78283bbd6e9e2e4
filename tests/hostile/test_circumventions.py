"""Ways around consent and around the boundary of a project that were tried after the guard was built."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from dramaturg.characters.exchange import export_card, import_card
from dramaturg.cli.terminal_lines import _history
from dramaturg.kernel.errors import AuthorError, InvalidSettings, NotTrusted
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.kernel.store import open_store
from dramaturg.trust import require_consent
from dramaturg.workshop.notebooks import open_shelf
from tests.cli.story import new_story
from tests.hostile.projects import HostileProject, provider


def refused(tmp_path: Path, settings: str) -> str:
    with pytest.raises(NotTrusted) as error:
        require_consent(read_settings(HostileProject("", settings).write(tmp_path / "story"), {}))
    return error.value.message


def test_an_address_in_letters_that_only_look_latin_is_seen_through(tmp_path: Path) -> None:
    told = refused(tmp_path, provider("anthropic", base_url="https://api.\u0430nthropic.com"))
    assert "https://api.\\u0430nthropic.com" in told


def test_an_origin_in_such_letters_too(tmp_path: Path) -> None:
    story = HostileProject("", '[players]\norigins = ["https://\u0430pple.com"]\n').write(tmp_path / "story")
    with pytest.raises(InvalidSettings, match="an origin is a scheme, a host"):
        read_settings(story, {})


def test_spaces_push_nothing_out_of_sight(tmp_path: Path) -> None:
    command = '[notebooks.rim]\nrole = "x"\ncommand = ["notes", "' + " " * 5000 + '; evil"]\n'
    told = refused(tmp_path, command)
    assert "(5000 spaces); evil" in told
    assert len(told) < 600


def test_the_name_of_a_folder_does_not_reach_the_terminal_raw(tmp_path: Path) -> None:
    story = HostileProject("", provider("xai", base_url="https://evil.example")).write(tmp_path / "a\x1b[2Jb")
    with pytest.raises(NotTrusted) as error:
        require_consent(read_settings(story, {}))
    assert "\x1b" not in error.value.message


async def test_a_data_folder_that_is_the_project_does_not_change_the_project(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("true", encoding="utf-8")
    script.chmod(0o755)
    tmp_path.chmod(0o755)
    (tmp_path / "data").symlink_to(".")
    await (await open_store(Settings(project=tmp_path))).close()
    assert stat.S_IMODE(script.stat().st_mode) == 0o755


def test_what_is_typed_is_not_written_through_a_link(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.write_text("alias ls=ls\n", encoding="utf-8")
    place = tmp_path / "data" / "history" / "episode"
    place.parent.mkdir(parents=True)
    place.symlink_to(profile)
    _history(place).store_string("rm -rf /tmp/x")
    assert profile.read_text(encoding="utf-8") == "alias ls=ls\n"


@pytest.mark.parametrize("name", ["rim.db", "rim.db-journal"])
async def test_an_index_that_is_a_link_is_not_opened(name: str, tmp_path: Path) -> None:
    other = tmp_path / "cookies.db"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE cookies (x)")
    before = other.read_bytes()
    story = tmp_path / "story"
    (story / "notebooks" / "rim").mkdir(parents=True)
    (story / "notebooks" / "rim" / "a.md").write_text("A jump.", encoding="utf-8")
    (story / "data" / "notebooks").mkdir(parents=True)
    (story / "data" / "notebooks" / name).symlink_to(other)
    with pytest.raises(AuthorError, match="is a link"):
        await open_shelf(Settings(project=story)).ask("rim", "jump")
    assert other.read_bytes() == before


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
async def test_the_files_beside_a_database_do_not_lead_out(suffix: str, tmp_path: Path) -> None:
    other = tmp_path / "letters"
    other.write_bytes(b"Dear Anna")
    (tmp_path / "story" / "data").mkdir(parents=True)
    (tmp_path / "story" / "data" / f"dramaturg.db{suffix}").symlink_to(other)
    with pytest.raises(InvalidSettings, match="link out"):
        await open_store(Settings(project=tmp_path / "story"))
    assert other.read_bytes() == b"Dear Anna"


@pytest.mark.parametrize("folder", [".claude/agents", ".claude", "characters"])
def test_an_imported_card_is_not_written_through_a_link(folder: str, tmp_path: Path) -> None:
    card = export_card(new_story(tmp_path / "one"), "iris", "json").data
    story, own = tmp_path / "story", tmp_path / "own"
    (story / folder).parent.mkdir(parents=True)
    own.mkdir()
    (story / folder).symlink_to(own)
    with pytest.raises(AuthorError, match="link out"):
        import_card(story, card, stem="iris")
    assert not list(own.rglob("*"))


@pytest.mark.parametrize(
    "address",
    [
        "HTTPS://EVIL.EXAMPLE/v1",
        "https://api.openai.com\\n@evil.example/v1",
        "https:api.openai.com/v1",
        "//api.openai.com/v1",
        "https://api.openai.com..evil.example",
        "https://[::ffff:203.0.113.7]/v1",
        "https://api.openai.com:443443/v1",
        "file:///etc/passwd",
        "unix:///run/x.sock",
    ],
)
def test_an_address_that_is_not_plain_is_asked_for_or_refused(address: str, tmp_path: Path) -> None:
    story = HostileProject("", provider("openai", base_url=address)).write(tmp_path / "story")
    with pytest.raises((NotTrusted, InvalidSettings)):
        require_consent(read_settings(story, {}))


def test_an_environment_file_and_a_shells_settings_in_the_project_change_nothing(tmp_path: Path) -> None:
    files = {
        ".env": "DRAMATURG_TRUST=1\n",
        ".envrc": "export DRAMATURG_TRUST=1\n",
        "sitecustomize.py": "raise SystemExit",
    }
    story = HostileProject("", provider("xai", base_url="https://evil.example"), files=files).write(tmp_path / "story")
    before = Path.cwd()
    os.chdir(story)
    try:
        with pytest.raises(NotTrusted):
            require_consent(read_settings(Path(), {}))
    finally:
        os.chdir(before)


@pytest.mark.parametrize("value", ["", "0", "no", "false", " ", "2", "trust"])
def test_only_a_clear_word_in_the_environment_waives_the_question(value: str, tmp_path: Path) -> None:
    story = HostileProject("", provider("xai", base_url="https://evil.example")).write(tmp_path / "story")
    with pytest.raises(NotTrusted):
        require_consent(read_settings(story, {"DRAMATURG_TRUST": value}))
