"""A backup is made while others play, is whole or not there, and never in anybody's way."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import DramaturgError, InvalidConfig, StoreUnavailable
from dramaturg.kernel.runs import Run, RunLibrary
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import open_store
from dramaturg.kernel.store.sql_store import back_up_store
from tests.kernel.store.test_kill import WRITER
from tests.said import KINDS, Said

BACK_UP = """
    import asyncio, sys
    from pathlib import Path
    from dramaturg.kernel.settings import Settings
    from dramaturg.kernel.store.sql_store import back_up_store
    print(flush=True)
    asyncio.run(back_up_store(Settings(project=Path(sys.argv[1])), Path(sys.argv[2])))
"""


@pytest.fixture
async def project(tmp_path: Path) -> Path:
    """With one run of three entries, and some files."""
    settings = Settings(project=tmp_path / "project")
    store = await open_store(settings)
    run = await RunLibrary(store, StillClock(), KINDS).create("said", "hello")
    await run.append(*(Said(text=str(n)) for n in range(3)))
    await store.close()
    (settings.data / "scenes").mkdir()
    (settings.data / "scenes" / "transcript.txt").write_text("0\n1\n2\n", encoding="utf-8")
    (settings.data / "secret").write_text("s", encoding="utf-8")
    (settings.data / "secret").chmod(0o600)
    return settings.project


async def the_run(project: Path) -> Run:
    store = await open_store(Settings(project=project))
    library = RunLibrary(store, StillClock(), KINDS)
    [record] = await library.find()
    run = await library.open(record.id)
    await store.close()
    return run


def put_in_place(backup: Path, project: Path) -> None:
    project.mkdir()
    backup.rename(project / "data")


async def test_a_backup_in_the_place_of_the_data_is_the_same_project(project: Path, tmp_path: Path) -> None:
    done = await back_up_store(Settings(project=project), tmp_path / "backup")
    assert (done.runs, done.events, done.files) == (1, 3, 2)
    put_in_place(tmp_path / "backup", tmp_path / "again")
    assert list((await the_run(tmp_path / "again")).entries) == list((await the_run(project)).entries)
    assert (tmp_path / "again" / "data" / "scenes" / "transcript.txt").read_text(encoding="utf-8") == "0\n1\n2\n"
    assert (tmp_path / "again" / "data" / "secret").stat().st_mode & 0o777 == 0o600


@pytest.fixture
async def writer(project: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that writes to the run as fast as it can."""
    run = await the_run(project)
    command = [sys.executable, "-c", textwrap.dedent(WRITER), project, "", run.id]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        yield process
        process.kill()


async def test_a_backup_that_is_made_while_another_process_writes_is_whole(
    project: Path, tmp_path: Path, writer: subprocess.Popen[str]
) -> None:
    before = 0
    for n in range(5):
        done = await back_up_store(Settings(project=project), tmp_path / f"backup{n}")
        assert done.events > before
        before = done.events
        assert writer.poll() is None
        put_in_place(tmp_path / f"backup{n}", tmp_path / f"again{n}")
        assert (await the_run(tmp_path / f"again{n}")).seq == done.events


def test_a_backup_that_is_killed_leaves_no_folder_that_looks_like_one(project: Path, tmp_path: Path) -> None:
    with sqlite3.connect(project / "data" / "dramaturg.db") as db:
        rows = ((f"r{n}", "said", "x", "ended", 0.0, 0.0, 0, "", 0, "y" * 4000) for n in range(20_000))
        db.executemany(
            "INSERT INTO runs (id, kind, name, status, created_at, updated_at, seed, player, adoptions, config) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
    target = tmp_path / "backup"
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(BACK_UP), project, target], stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        while process.poll() is None and not list(tmp_path.glob(".backup.*.part/dramaturg.db")):
            continue
        process.send_signal(signal.SIGKILL)
    assert not target.exists()


@pytest.mark.parametrize("there", ["file", "folder", "empty folder", "broken link", "own data", "inside data"])
async def test_a_backup_overwrites_nothing(project: Path, tmp_path: Path, there: str) -> None:
    target = tmp_path / "backup"
    match there:
        case "file":
            target.write_text("mine", encoding="utf-8")
        case "folder":
            target.mkdir()
            (target / "mine").write_text("mine", encoding="utf-8")
        case "empty folder":
            target.mkdir()
        case "broken link":
            target.symlink_to(tmp_path / "nowhere")
        case "own data":
            target = project / "data"
        case "inside data":
            target = project / "data" / "backup"
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InvalidConfig, match=r"exists already|is inside"):
        await back_up_store(Settings(project=project), target)
    assert sorted(tmp_path.rglob("*")) == before


async def test_links_are_left_out_and_a_folder_that_cannot_be_written_is_told(project: Path, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "diary").write_text("not yours", encoding="utf-8")
    (project / "data" / "link").symlink_to(tmp_path / "private")
    (project / "data" / "scenes" / "diary").symlink_to(tmp_path / "private" / "diary")
    os.mkfifo(project / "data" / "pipe")
    done = await back_up_store(Settings(project=project), tmp_path / "backup")
    assert done.files == 2
    assert not list((tmp_path / "backup").rglob("diary"))
    (tmp_path / "a-file").write_text("", encoding="utf-8")
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        await back_up_store(Settings(project=project), tmp_path / "a-file" / "backup")


async def test_a_damaged_database_is_not_backed_up_as_a_good_one(project: Path, tmp_path: Path) -> None:
    file = project / "data" / "dramaturg.db"
    whole = file.read_bytes()
    file.write_bytes(whole[:8192] + b"\xff" * 4096 + whole[12288:])
    with pytest.raises(DramaturgError, match=r"damaged|not sound"):
        await back_up_store(Settings(project=project), tmp_path / "backup")
    assert not list(tmp_path.glob("*backup*"))


async def test_a_project_without_a_store_or_on_postgres_is_told_what_to_do(tmp_path: Path) -> None:
    from dramaturg.kernel.settings import StoreSettings

    with pytest.raises(DramaturgError, match="nothing to back up"):
        await back_up_store(Settings(project=tmp_path), tmp_path / "backup")
    elsewhere = StoreSettings(url="postgresql://anna:secret@db/stories")
    with pytest.raises(InvalidConfig, match="pg_dump") as told:
        await back_up_store(Settings(project=tmp_path, store=elsewhere), tmp_path / "backup")
    assert "secret" not in str(told.value)
