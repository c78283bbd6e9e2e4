"""A fork of the warm interpreter as asyncio knows a process: its number is its own, and so is every signal it gets."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from asyncio.base_subprocess import BaseSubprocessTransport
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from tests.warm.client import ask, number


class Fork:
    """The process, with what asyncio wants of a `subprocess.Popen`."""

    def __init__(self, door: Path, asked: dict[str, Any], stdin: Any, stdout: Any, stderr: Any) -> None:
        self.returncode: int | None = None
        self._given: list[int] = []
        given, self.stdin = self._stream(stdin, 0)
        out, self.stdout = self._stream(stdout, 1)
        err, self.stderr = (out, None) if stderr == subprocess.STDOUT else self._stream(stderr, 2)
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.line.connect(str(door))
            self.pid = ask(self.line, asked, [given, out, err])
        finally:
            for one in self._given:
                os.close(one)
        assert self.pid > 0, "the warm interpreter has ended"

    def _stream(self, wanted: Any, which: int) -> tuple[int, IO[bytes] | None]:
        """The end of a stream that the process gets, and ours."""
        if wanted is None:
            return which, None
        if wanted == subprocess.DEVNULL:
            self._given.append(os.open(os.devnull, os.O_RDWR))
            return self._given[-1], None
        if wanted != subprocess.PIPE:
            return wanted if isinstance(wanted, int) else wanted.fileno(), None
        reading, writing = os.pipe()
        theirs, ours = (reading, writing) if which == 0 else (writing, reading)
        self._given.append(theirs)
        return theirs, open(ours, "wb" if which == 0 else "rb", buffering=0)

    def ended(self) -> int:
        """How it ended; waits until it has."""
        code = number(self.line)
        self.line.close()
        return code

    def poll(self) -> int | None:
        return self.returncode

    def send_signal(self, what: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, what)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class _Transport(BaseSubprocessTransport):
    """As asyncio's own, but that a line tells the end and not the kernel, since the process is no child of ours."""

    def _start(self, fork: Fork, **_: Any) -> None:
        self._proc = fork
        self._loop.add_reader(fork.line, self._end, fork)

    def _end(self, fork: Fork) -> None:
        self._loop.remove_reader(fork.line)
        self._loop.call_soon(self._process_exited, fork.ended())


async def started(
    door: Path, words: tuple[str, ...], *, env: Mapping[str, str], cwd: str | Path, limit: int, terminal: bool,
    **streams: Any,
) -> Process:  # fmt: skip
    asked = {"words": words, "folder": str(cwd), "environment": dict(env), "terminal": terminal}
    loop = asyncio.get_running_loop()
    fork = await asyncio.to_thread(Fork, door, asked, **streams)
    protocol, ready = SubprocessStreamProtocol(limit=limit, loop=loop), loop.create_future()
    transport = _Transport(loop, protocol, words, shell=False, bufsize=0, waiter=ready, fork=fork, **streams)
    await ready
    return Process(transport, protocol, loop)
