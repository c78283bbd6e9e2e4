"""A server in a process of its own, and what is said to it byte by byte."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.child import clean_environment
from tests.hostile.attacks.host import TOKEN, check_headers


@dataclass(frozen=True)
class ServerProcess:
    """Where it listens, and what it has written to its log."""

    host: str
    port: int
    log: Path

    async def connect(self, source: str | None = None) -> Connection:
        local = (source, 0) if source else None
        reader, writer = await asyncio.open_connection(self.host, self.port, local_addr=local)
        return Connection(reader, writer)

    async def say(self, *pieces: bytes) -> Reply:
        """Sends the pieces over one connection and reads until the server closes it."""
        connection = await self.connect()
        for piece in pieces:
            await connection.send(piece)
        return await connection.reply()

    async def recover(self) -> None:
        """Returns when the server answers again."""
        ask = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        while (await self.say(ask)).status != 200:
            await asyncio.sleep(0.05)


@dataclass(frozen=True)
class Reply:
    """The first response on a connection, and everything that was received."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, piece: bytes) -> None:
        with suppress(ConnectionError):  # it may be closed already; the reply says why
            self.writer.write(piece)
            await self.writer.drain()

    async def reply(self) -> Reply:
        """What comes until the server closes the connection. It never ends if the server does not."""
        received = b""
        with suppress(ConnectionError):
            while piece := await self.reader.read(65_536):
                received += piece
        self.writer.close()
        text = received.decode("latin-1")
        head, _, _ = text.partition("\r\n\r\n")
        status, *lines = head.split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if status:
            check_headers(headers, status)
        return Reply(int(status.split()[1]) if status else 0, headers, text)


@contextmanager
def server_process(folder: Path, *arguments: str) -> Iterator[ServerProcess]:
    """`dramaturg serve` for a project, on a free port, until the block ends."""
    log = folder.parent / "server.log"
    command = [sys.executable, "-m", "dramaturg", "serve", "--project", str(folder), "--port", "0", *arguments]
    environment = clean_environment(folder.parent, DRAMATURG_STAGE_DOOR=TOKEN)
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=errors) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline().decode()
            assert "http://" in line, log.read_text(encoding="utf-8")
            host, _, port = line.split("http://")[1].split()[0].rpartition(":")
            yield ServerProcess(host, int(port), log)
        finally:
            process.terminate()
