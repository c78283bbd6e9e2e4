"""A pooler in transaction mode: PgBouncer where the machine has it, and a small one that is stricter than it.

The small one lends a connection of the server for one transaction, takes it back when the server is idle again, and
lends the one that has rested longest. Whatever a client prepared is therefore unknown when it comes back, as with
PgBouncer before 1.21, and notices come to whoever has the connection at that moment.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import struct
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tests.postgres import ordinary_user

SSL_REQUEST, CANCEL_REQUEST = 80877103, 80877102
IDLE = b"I"
SETTINGS = """
[databases]
* = host={host} port=5432 user=dramaturg
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = {size}
ignore_startup_parameters = extra_float_digits
unix_socket_dir =
"""


class Message(NamedTuple):
    kind: bytes
    body: bytes

    @classmethod
    async def read(cls, reader: asyncio.StreamReader) -> Message:
        kind = await reader.readexactly(1)
        (length,) = struct.unpack("!i", await reader.readexactly(4))
        return cls(kind, await reader.readexactly(length - 4))

    def __bytes__(self) -> bytes:
        return self.kind + struct.pack("!i", len(self.body) + 4) + self.body


class Connection(NamedTuple):
    """One to the server, and what it said when it was made: for every client the same."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    greeting: bytes


class Client:
    """Who asks; its next message is read all the time, so that none is read by halves."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self.writer = reader, writer
        self.asking = asyncio.create_task(Message.read(reader))

    async def next(self) -> Message:
        message = await self.asking
        if message.kind != b"X":
            self.asking = asyncio.create_task(Message.read(self._reader))
        return message

    def leave(self) -> None:
        self.asking.cancel()
        if self.asking.done() and not self.asking.cancelled():
            self.asking.exception()


class Pooler:
    """So many connections to a server for however many clients."""

    def __init__(self, address: str, size: int) -> None:
        self._address, self._size = address, size
        self._idle: dict[bytes, asyncio.Queue[Connection | None]] = {}
        self._clients: set[asyncio.Task[None]] = set()
        self.port = 0
        self.loans = 0
        """How often a connection was lent."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Pooler]:
        server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for client in self._clients:
                client.cancel()
            await asyncio.gather(*self._clients, return_exceptions=True)
            for pool in self._idle.values():
                while not pool.empty():
                    if (connection := pool.get_nowait()) is not None:
                        connection.writer.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            with suppress(OSError, EOFError):
                startup = await _startup(reader, writer)
                if startup is not None:
                    await self._serve(startup, reader, writer)
        finally:
            self._clients.discard(task)
            writer.close()

    async def _serve(self, startup: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pool = self._idle.get(startup)
        if pool is None:
            pool = self._idle[startup] = asyncio.Queue()
            for _ in range(self._size):
                pool.put_nowait(None)
        greeted = await pool.get() or await self._connect(startup)
        writer.write(greeted.greeting)
        pool.put_nowait(greeted)
        client = Client(reader, writer)
        try:
            while (first := await client.next()).kind != b"X":
                self.loans += 1
                await self._lend(first, client, pool, startup)
        finally:
            client.leave()

    async def _lend(
        self, first: Message, client: Client, pool: asyncio.Queue[Connection | None], startup: bytes
    ) -> None:
        lent = await pool.get()
        try:
            lent = lent or await self._connect(startup)
            await _transact(first, lent, client)
        except BaseException:
            if lent is not None:
                lent.writer.close()
            lent = None
            raise
        finally:
            pool.put_nowait(lent)

    async def _connect(self, startup: bytes) -> Connection:
        reader, writer = await asyncio.open_unix_connection(self._address)
        writer.write(struct.pack("!i", len(startup) + 4) + startup)
        greeting = b""
        while True:
            message = await Message.read(reader)
            greeting += bytes(message)
            if message.kind == b"E":
                raise ConnectionRefusedError(message.body)
            if message.kind == b"Z":
                return Connection(reader, writer, greeting)


async def _startup(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | None:
    """What a client says first; None for a request to cancel, which is not passed on."""
    while True:
        (length,) = struct.unpack("!i", await reader.readexactly(4))
        body = await reader.readexactly(length - 4)
        (code,) = struct.unpack("!i", body[:4])
        if code == CANCEL_REQUEST:
            return None
        if code != SSL_REQUEST:
            return body
        writer.write(b"N")


async def _transact(first: Message, lent: Connection, client: Client) -> None:
    """Passes on what both say until the server is idle and has answered everything."""
    lent.writer.write(bytes(first))
    owed = int(first.kind in b"QS")
    answering = asyncio.create_task(Message.read(lent.reader))
    try:
        while True:
            await asyncio.wait([client.asking, answering], return_when=asyncio.FIRST_COMPLETED)
            if client.asking.done():
                message = await client.next()
                lent.writer.write(bytes(message))
                owed += int(message.kind in b"QS")
            elif answering.done():
                message = answering.result()
                client.writer.write(bytes(message))
                if message.kind == b"Z":
                    owed -= 1
                    if message.body == IDLE and owed == 0:
                        return
                answering = asyncio.create_task(Message.read(lent.reader))
    finally:
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)


class PgBouncer(NamedTuple):
    port: int


def pgbouncer() -> str | None:
    """PgBouncer's program, if the machine has it."""
    return os.environ.get("DRAMATURG_TEST_PGBOUNCER") or shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")


@asynccontextmanager
async def pgbouncer_at(address: str, size: int) -> AsyncIterator[PgBouncer]:
    """PgBouncer before the server at a unix socket."""
    program = pgbouncer()
    assert program is not None
    folder = Path(tempfile.mkdtemp(prefix="pgbouncer-"))
    folder.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = folder / "pgbouncer.ini"
    settings.write_text(SETTINGS.format(host=Path(address).parent, port=port, size=size))
    process = await asyncio.create_subprocess_exec(
        program, str(settings), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        env=os.environ, **ordinary_user(),
    )  # fmt: skip
    try:
        while not await _takes_connections(port):
            assert process.returncode is None, "PgBouncer ended"
            await asyncio.sleep(0.02)
        yield PgBouncer(port)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        shutil.rmtree(folder, ignore_errors=True)


async def _takes_connections(port: int) -> bool:
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        return True
    return False
