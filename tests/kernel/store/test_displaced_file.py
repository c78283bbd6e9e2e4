"""A database whose file is moved, deleted or replaced while it is open: nothing is acknowledged that nobody finds."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from dramaturg.kernel.errors import StoreBlocked
from dramaturg.kernel.settings import Settings, StoreSettings
from dramaturg.kernel.store import Store, open_store
from dramaturg.kernel.store.database_file import DatabaseFile
from dramaturg.kernel.store.sql_store import FILE_NAME
from tests.contracts.test_store import record, rows


def move(file: Path) -> None:
    file.rename(file.with_name("elsewhere.db"))


def delete(file: Path) -> None:
    file.unlink()


def replace(file: Path) -> None:
    copy = file.with_name("copy.db")
    shutil.copy(file, copy)
    copy.replace(file)


def move_the_folder(file: Path) -> None:
    file.parent.rename(file.parent.with_name("elsewhere"))


@pytest.fixture(params=["normal", "full"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened = await open_store(Settings(project=tmp_path, store=StoreSettings(durability=request.param, wait=0)))
    await opened.runs.add(record())
    await opened.journal.append("run", 0, rows(1, 1))
    yield opened
    await opened.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE_NAME


@pytest.mark.parametrize(
    ("displace", "said"),
    [
        (move, "deleted or moved away"),
        (delete, "deleted or moved away"),
        (replace, "another file is at its path"),
        (move_the_folder, "deleted or moved away"),
    ],
)
async def test_nothing_is_acknowledged_while_the_open_file_is_not_at_its_path(
    store: Store, file: Path, displace: Callable[[Path], None], said: str
) -> None:
    displace(file)
    there = sorted(file.parent.glob("*.db"))
    for refused in (
        store.check,
        lambda: store.journal.append("run", 1, rows(2, 2)),
        lambda: store.runs.add(record(id="other")),
        lambda: store.journal.read("run"),
    ):
        with pytest.raises(StoreBlocked, match=said):
            await refused()
    assert sorted(file.parent.glob("*.db")) == there


async def test_a_file_that_is_put_back_is_written_again(store: Store, file: Path) -> None:
    move(file)
    with pytest.raises(StoreBlocked):
        await store.journal.append("run", 1, rows(2, 2))
    file.with_name("elsewhere.db").rename(file)
    await store.journal.append("run", 1, rows(2, 2))
    await store.check()
    assert [row.seq for row in await store.journal.read("run")] == [1, 2]


async def test_an_append_waits_for_the_file_like_for_a_disk_that_is_full(tmp_path: Path, file: Path) -> None:
    store = await open_store(Settings(project=tmp_path))
    await store.runs.add(record())
    move(file)
    written = store.journal.append("run", 0, rows(1, 1))
    with pytest.raises(StoreBlocked):
        await store.check()
    assert not written.done()
    file.with_name("elsewhere.db").rename(file)
    await written
    assert [row.seq for row in await store.journal.read("run")] == [1]
    await store.close()


def test_a_database_in_no_file_is_never_missing() -> None:
    file = DatabaseFile(Path(":memory:"))
    file.remember()
    file.check()


class Unreachable(type(Path())):  # type: ignore[misc]
    """A path whose host does not answer."""

    def stat(self, *, follow_symlinks: bool = True) -> None:
        raise OSError("Host is down")


def test_a_network_path_that_is_away_for_a_moment_is_left_to_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "dramaturg.db"
    path.touch()
    file = DatabaseFile(path)
    file.remember()
    file._path = Unreachable(path)
    file.check()
