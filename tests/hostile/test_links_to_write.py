"""Nothing is written, moved or copied through a link that came with a project, and nothing behind one is listed."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dramaturg.characters.housekeeping import card_files, delete_card, deleted_cards, restore_card
from dramaturg.characters.replacing import replace_file
from dramaturg.kernel.errors import DramaturgError, InvalidConfig, InvalidSettings, NotFound
from dramaturg.kernel.settings import read_settings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.cache import LineCache, Master, MasterMetadata
from tests.cli.story import new_story, rehearsed, typed

KEPT = "export PATH=/usr/bin"
NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
DELETED = "20260101-000000-000000-iris"
CARD = ".claude/agents/iris.md"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of the user's own, with a file that must stay as it is."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "profile").write_text(KEPT)
    return folder


@pytest.fixture
def story(tmp_path: Path) -> Path:
    (tmp_path / "story" / ".claude" / "agents").mkdir(parents=True)
    (tmp_path / "story" / CARD).write_text("# Iris\n")
    return tmp_path / "story"


def assert_untouched(outside: Path) -> None:
    assert [path.name for path in outside.iterdir()] == ["profile"]
    assert (outside / "profile").read_text() == KEPT


def aim(link: Path, at: Path) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(at)


@pytest.mark.parametrize("name", [".iris.md.new", ".iris.md.part", "iris.md.part", ".iris.md"])
def test_a_file_is_not_written_through_a_link_beside_it(story: Path, outside: Path, name: str) -> None:
    aim(story / ".claude" / "agents" / name, outside / "profile")
    replace_file(story / CARD, b"# Iris, a stranger\n", ".claude/agents")
    assert (story / CARD).read_text() == "# Iris, a stranger\n"
    assert not (story / CARD).is_symlink()
    assert_untouched(outside)


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(story: Path) -> None:
    (story / "taken").mkdir()
    with pytest.raises(DramaturgError, match="taken cannot be written"):
        replace_file(story / "taken", b"x", "story")
    assert sorted(path.name for path in story.iterdir()) == [".claude", "taken"]


@pytest.mark.parametrize("link", ["data/deleted", f"data/deleted/{DELETED}", f"data/deleted/{DELETED}/.claude/agents"])
def test_deleted_cards_behind_a_link_are_not_listed_and_not_brought_back(
    story: Path, outside: Path, tmp_path: Path, link: str
) -> None:
    below = Path("data/deleted", DELETED, ".claude", "agents").relative_to(link)
    (tmp_path / "theirs" / below).mkdir(parents=True)
    (tmp_path / "theirs" / below / "id.md").write_text(KEPT)
    aim(story / link, tmp_path / "theirs")
    assert deleted_cards(story) == ()
    with pytest.raises(NotFound):
        restore_card(story, DELETED)
    assert (tmp_path / "theirs" / below / "id.md").read_text() == KEPT


def test_a_deleted_file_that_is_a_link_out_is_not_brought_back(story: Path, outside: Path) -> None:
    aim(story / "data" / "deleted" / DELETED / ".claude" / "agents" / "profile", outside / "profile")
    assert deleted_cards(story) == ()
    assert_untouched(outside)


def test_a_card_is_not_deleted_to_a_place_behind_a_link(story: Path, outside: Path) -> None:
    aim(story / "data" / "deleted", outside)
    with pytest.raises(InvalidConfig, match="leads out of the project by a link"):
        delete_card(story, "iris", card_files(story, "iris").digest, NOW)
    assert (story / CARD).read_text() == "# Iris\n"
    assert_untouched(outside)


def test_a_deleted_card_waits_in_private_and_comes_back(story: Path) -> None:
    before = os.umask(0)
    try:
        gone = delete_card(story, "iris", card_files(story, "iris").digest, NOW)
    finally:
        os.umask(before)
    assert not (story / CARD).exists()
    folders = [path for path in (story / "data", *(story / "data").rglob("*")) if path.is_dir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}
    assert [one.id for one in deleted_cards(story)] == [gone.id]
    restore_card(story, gone.id)
    assert (story / CARD).read_text() == "# Iris\n"


def test_a_folder_that_is_called_like_no_date_is_no_deleted_card(story: Path) -> None:
    (story / "data" / "deleted" / "20261399-000000-000000-iris" / ".claude" / "agents").mkdir(parents=True)
    assert deleted_cards(story) == ()


def test_commands_do_not_write_through_links_of_the_project(tmp_path: Path, outside: Path) -> None:
    story = new_story(tmp_path / "story")
    run = rehearsed(story)
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"scene": "the-second-signature"}\n')
    aim(story / "data" / "batches", outside)
    told = typed(story, "scene", "batch", str(rows), "--model", "rehearsal", code=2)
    assert "results.jsonl leads out of data/ by a link" in told
    aim(story / "programmes", outside)
    told = typed(
        story, "programme", "make", run, "--engine", "silent", "--format", "wav", "--out", str(story / "programmes"),
        code=2,
    )  # fmt: skip
    assert "is a link out of the project" in told
    assert_untouched(outside)


def test_a_database_elsewhere_is_not_backed_up(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    rehearsed(story)
    database = story / "data" / "dramaturg.db"
    database.rename(tmp_path / "theirs.db")
    database.symlink_to("../../theirs.db")
    assert "is a link out of data/" in typed(story, "store", "backup", str(tmp_path / "backup"), code=2)
    assert not (tmp_path / "backup").exists()


def test_a_backup_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    rehearsed(story)
    before = os.umask(0)
    try:
        typed(story, "store", "backup", str(tmp_path / "backup"))
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "backup").rglob("*")}
    assert {path.name for path in modes} >= {"dramaturg.db", "scenes"}
    assert {path.name: oct(mode) for path, mode in modes.items() if mode & 0o077} == {}


@pytest.mark.parametrize("key", ["artifacts", "artifacts_endpoint"])
def test_a_password_in_the_address_of_a_bucket_is_refused_and_not_repeated(tmp_path: Path, key: str) -> None:
    address = {"artifacts": "s3://me:hunter2@bucket/x", "artifacts_endpoint": "http://me:hunter2@127.0.0.1:1"}[key]
    (tmp_path / "dramaturg.toml").write_text(f'[store]\n{key} = "{address}"\n')
    with pytest.raises(InvalidSettings, match="AWS_SECRET_ACCESS_KEY") as refused:
        read_settings(tmp_path, {})
    assert "hunter2" not in f"{refused.value.message}{refused.value.context}"


@pytest.mark.parametrize("setting", ['[notebooks.rim]\nrole = "x"\nfolder', "[workshop]\nseries"])
def test_a_nul_in_a_path_is_an_authors_error(tmp_path: Path, setting: str) -> None:
    (tmp_path / "dramaturg.toml").write_text(f'{setting} = "a\\u0000b"\n')
    with pytest.raises(InvalidSettings, match="contains a NUL character"):
        read_settings(tmp_path, {})


@pytest.mark.parametrize("format_", ["md", "txt", "docx", "epub"])
def test_an_export_is_not_written_behind_a_link(format_: str, tmp_path: Path, outside: Path) -> None:
    story = new_story(tmp_path / "story")
    (story / "manuscript").mkdir(exist_ok=True)
    (story / "manuscript" / "ch01-sc01.md").write_text("The lamp went out.\n")
    with (story / "dramaturg.toml").open("a") as settings:
        settings.write('\n[workshop]\ntitle = "profile"\n')
    aim(story / "data" / "exports", outside)
    assert "exports is a link out" in typed(story, "foreman", "export", "--to", format_, code=2)
    assert_untouched(outside)


async def test_spoken_lines_are_not_kept_behind_a_link_and_nothing_stops(tmp_path: Path, outside: Path) -> None:
    aim(tmp_path / "data" / "artifacts" / "tts" / "cache", outside)
    cache = LineCache(Artifacts(tmp_path / "data"))
    metadata = MasterMetadata(sha256="0", duration_ms=1, sample_rate=8000)
    cache.put("0123456789abcdef", Master(b"RIFF", metadata))
    assert cache.get("0123456789abcdef") is None
    assert not cache.make_room(1)
    assert_untouched(outside)
