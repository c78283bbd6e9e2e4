"""A person at a terminal: the program runs on a pseudo-terminal, keys go in, and the screen's bytes come out."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import re
import struct
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests import warm

LIMIT = 120
"""Seconds until a test gives up; long enough for a machine that is busy with other things."""
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[=>])")
CTRL_C, CTRL_D, CTRL_U, UP, ENTER = "\x03", "\x04", "\x15", "\x1b[A", "\r"


class Terminal:
    """The leader's side of the pseudo-terminal."""

    def __init__(self, leader: int, process: asyncio.subprocess.Process) -> None:
        self._leader, self.process = leader, process
        self._bytes, self._more = bytearray(), asyncio.Event()
        self._read_to = 0
        asyncio.get_running_loop().add_reader(leader, self._read)

    @property
    def printed(self) -> str:
        """All that was printed, escape sequences included."""
        return self._bytes.decode(errors="replace")

    @property
    def shown(self) -> str:
        """All that was printed, without the escape sequences."""
        return ESCAPES.sub("", self.printed)

    async def more(self) -> None:
        """Wait until something is printed."""
        self._more.clear()
        await self._more.wait()

    async def see(self, text: str) -> None:
        """Wait until a text appears, after the one that was waited for before."""
        while (at := self.shown.find(text, self._read_to)) < 0:
            await self.more()
        self._read_to = at + len(text)

    async def see_all(self, *texts: str) -> None:
        """Wait until several texts have appeared, in whatever order."""
        while any(self.shown.find(text, self._read_to) < 0 for text in texts):
            await self.more()
        self._read_to = max(self.shown.find(text, self._read_to) + len(text) for text in texts)

    def press(self, keys: str) -> None:
        os.write(self._leader, keys.encode())

    async def exit_code(self) -> int:
        return await self.process.wait()

    def echoes(self) -> bool:
        """Whether the terminal prints what is typed by itself."""
        return bool(termios.tcgetattr(self._leader)[3] & termios.ECHO)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._leader)
        os.close(self._leader)

    def _read(self) -> None:
        try:
            self._bytes += os.read(self._leader, 65_536)
        except OSError:  # the program has gone
            asyncio.get_running_loop().remove_reader(self._leader)
        self._more.set()


@asynccontextmanager
async def at_terminal(*words: str, project: Path, **environment: str) -> AsyncIterator[Terminal]:
    leader, follower = pty.openpty()
    fcntl.ioctl(leader, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    process = await warm.start(
        "-m", "dramaturg", *words, "--project", str(project),
        stdin=follower, stdout=follower, stderr=follower, terminal=True,
        env={**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", **environment},
    )  # fmt: skip
    os.close(follower)
    terminal = Terminal(leader, process)
    try:
        async with asyncio.timeout(LIMIT):
            yield terminal
    except TimeoutError:
        raise AssertionError(f"gave up after {LIMIT} s; the screen shows:\n{terminal.shown}") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        terminal.close()
