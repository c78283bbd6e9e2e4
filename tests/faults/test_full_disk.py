"""The disk of Postgres is full, then there is room again: answers wait and are stored, and nothing is restarted."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from shutil import chown
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from tests.faults.conftest import MakeSite
from tests.faults.servers import House
from tests.postgres import Server, ordinary_user

SIZE = 32 * 2**20
"""Room for an empty database and a few runs."""
NAME = "small"


@dataclass(frozen=True)
class Disk:
    """A small disk, on which a database can be put."""

    folder: Path
    log: Path
    """That of the database's server."""

    def fill(self) -> None:
        room = os.statvfs(self.folder)
        (self.folder / "filler").write_bytes(bytes(room.f_bavail * room.f_frsize))

    def make_room(self) -> None:
        (self.folder / "filler").unlink()

    async def is_missed(self) -> None:
        """Returns when the server could not write for want of room."""
        while "No space left on device" not in self.log.read_text(errors="replace"):
            await asyncio.sleep(0.02)


@pytest.fixture
async def disk(postgres: Server) -> AsyncIterator[Disk]:
    host = parse_qs(urlsplit(postgres.url).query).get("host")
    if host is None:
        pytest.skip("this Postgres was not started here, so it may not see a disk of ours")
    folder = Path(tempfile.mkdtemp(prefix="dramaturg-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounted.returncode:
        folder.rmdir()
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    connection = await asyncpg.connect(postgres.url)
    try:
        who = ordinary_user()
        chown(folder, who.get("user"), who.get("group"))  # type: ignore[call-overload]
        await connection.execute(f"CREATE TABLESPACE {NAME} LOCATION '{folder}'")
        yield Disk(folder, Path(host[0]) / "log")
        await connection.execute(f"DROP TABLESPACE {NAME}")
    finally:
        await connection.close()
        subprocess.run(["umount", "--lazy", folder], check=True)
        folder.rmdir()


async def move(postgres: Server, url: str) -> None:
    """Puts a database on the small disk."""
    connection = await asyncpg.connect(postgres.url)
    await connection.execute(f'ALTER DATABASE "{urlsplit(url).path[1:]}" SET TABLESPACE {NAME}')
    await connection.close()


async def test_answers_that_come_while_the_disk_of_postgres_is_full_are_stored_when_there_is_room(
    postgres: Server, disk: Disk, make_site: MakeSite
) -> None:
    place = make_site(lease=300)
    await move(postgres, place.url)
    async with House(place.story, place.models, place.url).server() as server:
        run = await server.into_a_beat(place.models)
        disk.fill()
        place.models.release()
        await disk.is_missed()
        assert (await server.ask("GET", f"/v1/runs/{run}"))[1]["status"] == "playing"
        disk.make_room()
        assert await server.over(run) == "ended"
        assert (await server.ask("GET", "/healthz"))[0] == 200
        assert "Traceback" not in server.errors.read_text(encoding="utf-8")
    await place.check_whole()
