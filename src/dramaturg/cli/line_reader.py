"""The lines a person types, or another program sends through a pipe."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Protocol, TextIO

from dramaturg.cli.edge import tell


class LineReader(Protocol):
    """Reads a line at a time without blocking the event loop."""

    at_terminal: bool
    """Whether a person is typing."""

    async def next(self, prompt: str = "") -> str | None:
        """The next line without its line ending; None at the end of the input.

        At a terminal, raises KeyboardInterrupt on Ctrl-C.
        """


@contextmanager
def line_reader(
    *, history: Path | None = None, commands: Mapping[str, str] | None = None, json: bool = False
) -> Iterator[LineReader]:
    """Reads stdin. At a terminal, lines can be edited, earlier ones are in `history`, and `commands` are completed.

    The prompt goes to stdout, or to stderr where stdout belongs to another program.
    """
    screen = _screen(json=json)
    if screen is None:
        yield PipedLines()
        return
    from dramaturg.cli.terminal_lines import TerminalLines, type_ahead

    with type_ahead():
        yield TerminalLines(screen, history, commands or {})


async def confirmed(question: str) -> bool:
    """Ask a yes-or-no question; anything but yes is no."""
    with line_reader() as lines:
        prompt = f"{question} [y/N] "
        if not lines.at_terminal:
            tell(prompt)
        return (await lines.next(prompt) or "").strip().lower() in ("y", "yes")


def is_typed() -> bool:
    """Whether stdin is a terminal; a service manager may leave none."""
    return sys.stdin is not None and sys.stdin.isatty()


def _screen(*, json: bool) -> TextIO | None:
    """Where to prompt; None if nobody is typing, or nobody would see it."""
    screens = [sys.stderr] if json else [sys.stdout, sys.stderr]
    return next((one for one in screens if one is not None and one.isatty()), None) if is_typed() else None


class PipedLines:
    """The lines of a stdin that is no terminal.

    A daemon thread reads them, because a blocking read cannot be cancelled. It has a file object of its own: at exit,
    the interpreter would wait for the lock of `sys.stdin`.
    """

    at_terminal = False

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        Thread(target=self._read, name="stdin", daemon=True).start()

    async def next(self, prompt: str = "") -> str | None:
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
        return line

    def _read(self) -> None:
        try:
            for line in _stdin():
                self._post(line.removesuffix("\n").removesuffix("\r"))
        except OSError:  # the terminal has gone
            pass
        self._post(None)

    def _post(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # the event loop is closed
            return


def _stdin() -> TextIO:
    if sys.stdin is None:
        return io.StringIO()
    try:
        number = sys.stdin.fileno()
    except io.UnsupportedOperation:  # not a file, as in a test
        return sys.stdin
    return open(number, encoding="utf-8", errors="replace", newline="\n", closefd=False)
