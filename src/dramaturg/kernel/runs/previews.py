"""A run followed with what is being written for it: entries of the log, and previews between them.

A preview is no entry. It has no number, is not stored, and is only known to the process that plays the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from typing import Any, Protocol

from dramaturg.kernel.runs.events import Entry
from dramaturg.kernel.runs.performance import Performance
from dramaturg.kernel.values import WireValue


class Previews(Protocol):
    """What is new in the answers that are being written for one performance."""

    def new(self) -> Iterator[WireValue]:
        """A preview for each answer that has other words than when it was last asked for."""
        ...


async def with_previews(
    entries: AsyncGenerator[Entry[Any], None], playing: Callable[[], Performance[Any, Any] | None]
) -> AsyncIterator[Entry[Any] | WireValue]:
    """The entries as they come, with the previews of its kind between them while the run is played here."""
    live: Previews | None = None
    performance: Performance[Any, Any] | None = None
    coming = asyncio.ensure_future(_next(entries))
    with ExitStack() as watching:
        try:
            while True:
                if performance is None and (performance := playing()) is not None:
                    live = performance.kind.previews(performance)
                    if live is not None:
                        watching.enter_context(performance.run.answers.watched())
                changed = performance.run.changes.next() if performance and live else None
                for preview in live.new() if live else ():
                    yield preview
                await _either(coming, changed)
                if not coming.done():
                    continue
                entry = coming.result()
                if entry is None:
                    return
                coming = asyncio.ensure_future(_next(entries))
                yield entry
        finally:
            coming.cancel()
            await asyncio.wait([coming])
            await entries.aclose()


async def _next(entries: AsyncIterator[Entry[Any]]) -> Entry[Any] | None:
    return await anext(entries, None)


async def _either(coming: asyncio.Future[Any], changed: asyncio.Event | None) -> None:
    """Returns when one of them has happened."""
    if changed is None:
        await asyncio.wait([coming])
        return
    change = asyncio.ensure_future(changed.wait())
    try:
        await asyncio.wait([coming, change], return_when=asyncio.FIRST_COMPLETED)
    finally:
        change.cancel()
