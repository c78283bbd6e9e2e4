"""The files that the process may open: enough for its connections, or fewer connections; and what is logged if not."""

from __future__ import annotations

import asyncio
import errno
import logging
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from dramaturg.kernel.settings import ServerSettings

ACCEPTED_AT_ONCE = 64
"""How many connections are accepted in one go; those beyond the limit are open until they are refused."""
SPARE = 8 * ACCEPTED_AT_ONCE
"""Files for those, and for everything else: the store, models, what is read and sent."""
SAID_EVERY = 60.0
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_log = logging.getLogger("uvicorn.error")


def with_room_for_connections(settings: ServerSettings, tell: Callable[[str], None]) -> ServerSettings:
    """The settings, once the process may open the files that its connections need; with fewer of them if it may not.

    `tell` is told of that.
    """
    most = _raised(settings.connections + SPARE)
    if most is None or most >= settings.connections + SPARE:
        return settings
    fewer = most - min(SPARE, most // 2)
    tell(
        f"This process may open {most:,} files, which is enough for {fewer:,} connections and not for "
        f"{settings.connections:,}. Allow it {settings.connections + SPARE:,} (ulimit -n, LimitNOFILE)."
    )
    return settings.model_copy(update={"connections": fewer})


def _raised(wanted: int) -> int | None:
    """How many files the process may open, once it may open as many as wanted or as it can get; None for any number."""
    if sys.platform == "win32":  # files are not counted there
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if raised > soft:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class AcceptFailures:
    """Logs connections that could not be accepted, in one line once in a while; everything else as usual."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._said = float("-inf")

    def __call__(self, loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in _NO_ROOM and "accept" in context.get("message", "")):
            loop.default_exception_handler(dict(context))
        elif self._now() - self._said >= SAID_EVERY:
            self._said = self._now()
            _log.warning("A connection could not be accepted (%s). Others wait until there is room.", error.strerror)
