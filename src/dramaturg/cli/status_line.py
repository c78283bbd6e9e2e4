"""The status line of a terminal: rows under what is printed, redrawn in place and gone at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from dramaturg.kernel.clock import moment

EVERY_SECONDS = 0.25
QUIET = "dim"


class StatusLine:
    """Shows `rows` while its block lasts, below everything that is printed on the same console.

    Where the console is no terminal it shows nothing. `hidden` makes room for those who print in another way.
    """

    def __init__(self, console: Console, rows: Callable[[], Sequence[Text]]) -> None:
        self._console, self._rows = console, rows
        self.is_shown = console.is_terminal and not console.is_dumb_terminal
        self._live = Live(
            console=console,
            get_renderable=self._drawn,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._drawing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> StatusLine:
        if self.is_shown:
            self._begin()
            self._drawing = asyncio.create_task(self._draw())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        if self._drawing is not None:
            self._drawing.cancel()
            self._live.stop()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """For the time of a block the rows are gone."""
        shown = self._live.is_started
        self._live.stop()
        try:
            yield
        finally:
            if shown:
                self._begin()

    def _begin(self) -> None:
        self._live.start(refresh=True)
        self._console.show_cursor(True)  # a program that is killed cannot bring it back

    async def _draw(self) -> None:
        """Draw again what has changed."""
        drawn: Sequence[Text] = ()
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            rows = self._rows()
            if self._live.is_started and rows != drawn:
                drawn = rows
                self._live.refresh()

    def _drawn(self) -> Group:
        rows = self._rows()
        for row in rows:
            row.no_wrap = True
            row.truncate(max(1, self._console.width - 1), overflow="ellipsis")
        return Group(*rows)


def tail(text: str, width: int) -> str:
    """The end of a text that fits so many cells, with a mark where it was cut."""
    if cell_len(text) <= width:
        return text
    kept = text[-width:]
    while kept and cell_len(kept) > width - 1:
        kept = kept[1:]
    return f"…{kept}"


def clock_time(at: float) -> str:
    """`14:05`, in the reader's time zone; with the day if it is not within 24 hours."""
    then = moment(at).astimezone()
    return f"{then:%H:%M}" if abs((then - datetime.now().astimezone()).days) < 1 else f"{then:%Y-%m-%d %H:%M}"


def elapsed(seconds: float) -> str:
    """`0:07`, `12:30`, `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
