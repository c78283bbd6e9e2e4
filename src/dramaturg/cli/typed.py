"""What somebody types at a chat, a line at a time, while the chat goes on."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from threading import Thread

END = None
CHUNK = 65_536


class TypedLines:
    """The lines of stdin, from a terminal or a pipe.

    A thread reads them, for a read cannot be cancelled; it dies with the program, and holds no lock that the end of the
    program would wait for.
    """

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        Thread(target=self._read, name="stdin", daemon=True).start()

    async def next(self) -> str | None:
        """The next line without its end; None where there are no more."""
        line = await self._lines.get()
        if line is END:
            self._lines.put_nowait(END)
        return line

    def _read(self) -> None:
        rest = b""
        try:
            while data := _some():
                *whole, rest = (rest + data).split(b"\n")
                for line in whole:
                    self._put(line)
        except OSError:  # the terminal has gone
            pass
        if rest:
            self._put(rest)
        self._post(END)

    def _put(self, line: bytes) -> None:
        self._post(line.decode("utf-8", "replace").removesuffix("\r"))

    def _post(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # the chat is over
            return


def is_typed() -> bool:
    """Whether a person sits at the other end."""
    return sys.stdin.isatty()


def _some() -> bytes:
    try:
        number = sys.stdin.fileno()
    except io.UnsupportedOperation:  # no file at all, as in a test
        return sys.stdin.buffer.readline()
    return os.read(number, CHUNK)
