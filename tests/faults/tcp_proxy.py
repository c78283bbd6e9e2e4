"""A TCP proxy between a process and what it talks to, in which a test cuts, delays and resets what passes."""

from __future__ import annotations

import asyncio
import math
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

CHUNK = 2**16

Address = str | tuple[str, int]
"""A unix socket, or a host and a port."""


@dataclass(eq=False)
class Line:
    """One connection through the proxy; nothing passes while it does not flow."""

    near: asyncio.StreamWriter
    far: asyncio.StreamWriter | None = None
    flows: asyncio.Event = field(default_factory=asyncio.Event)

    def reset(self) -> None:
        """Both ends are told at once; what was on its way is gone."""
        for writer in (self.near, self.far):
            if writer is not None:
                end = writer.get_extra_info("socket")
                if end.family != socket.AF_UNIX:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()

    def close(self) -> None:
        """Both ends are told after what was on its way."""
        for writer in (self.near, self.far):
            if writer is not None:
                writer.close()


class TcpProxy:
    """Leads to the first of its addresses that takes connections. `delay` is how long whatever passes is on its way.

    `passed` counts what came from a client; after `ends_after` of it, whoever is behind the proxy is gone.
    """

    def __init__(self, *upstreams: Address) -> None:
        self.upstreams: Sequence[Address] = upstreams
        self.delay = 0.0
        self.port = 0
        self.passed = 0
        self.ends_after = math.inf
        self._is_cut = False
        self._lines: set[Line] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> TcpProxy:
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.reset()
        if self._tasks:
            await asyncio.wait(self._tasks)

    @property
    def connections(self) -> int:
        return len(self._lines)

    def cut(self) -> None:
        """From now on nothing passes, and nobody is told so: neither end sees its connection close."""
        self._is_cut = True
        for line in self._lines:
            line.flows.clear()

    def mend(self, *, forgetful: bool = False) -> None:
        """Everything passes again, also what was held up; if `forgetful`, only in new connections."""
        self._is_cut = False
        for line in self._lines:
            if not forgetful:
                line.flows.set()

    def reset(self) -> None:
        """Ends every connection; new ones are taken."""
        for line in self._lines:
            line.flows.set()
            line.reset()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        line = Line(writer)
        self._lines.add(line)
        if not self._is_cut:
            line.flows.set()
        try:
            await line.flows.wait()
            with suppress(OSError):
                if writer.is_closing():
                    return
                back, line.far = await self._reach()
                await self._pass_on(line, reader, back)
        finally:
            self._lines.discard(line)
            self._tasks.discard(task)
            line.close()

    async def _pass_on(self, line: Line, there: asyncio.StreamReader, back: asyncio.StreamReader) -> None:
        """Until one of both ends has nothing more to say."""
        assert line.far is not None
        ways = ((there, line.far), (back, line.near))
        pumps = [asyncio.create_task(self._pump(line, source, sink)) for source, sink in ways]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    async def _pump(self, line: Line, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(CHUNK):
            if self.delay:
                await asyncio.sleep(self.delay)
            await line.flows.wait()
            if sink is line.far:
                self._count()
            sink.write(data)
            await sink.drain()
        await line.flows.wait()

    def _count(self) -> None:
        self.passed += 1
        if self.passed > self.ends_after:
            self.upstreams = ()
            self.reset()

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for address in self.upstreams:
            with suppress(OSError):
                if isinstance(address, str):
                    return await asyncio.open_unix_connection(address)
                return await asyncio.open_connection(*address)
        raise ConnectionRefusedError("nobody takes connections")
