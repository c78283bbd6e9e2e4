"""Maps the errors of database drivers and of the file system to messages: what, where, and the way out.

Nothing here imports a driver: errors are recognised by the codes they carry.
"""

from __future__ import annotations

import errno
from asyncio import CancelledError
from collections.abc import Iterator
from pathlib import Path

from dramaturg.kernel.errors import StoreBlocked, StoreUnavailable

_SQLITE = {
    "SQLITE_FULL": "the disk is full. Free some space and try again; what was written before is safe.",
    "SQLITE_READONLY": "it cannot be written to. Make the file and its folder writable for this user.",
    "SQLITE_CANTOPEN": "it cannot be opened. Make the file and its folder writable for this user.",
    "SQLITE_PERM": "access is denied. Make the file and its folder writable for this user.",
    "SQLITE_BUSY": "another process has locked it. Wait for that process or stop it, then try again.",
    "SQLITE_LOCKED": "another process has locked it. Wait for that process or stop it, then try again.",
    "SQLITE_NOTADB": "it is not a SQLite database, or it is damaged. It was not changed; move it away "
    "to start with a new one, or restore a backup.",
    "SQLITE_CORRUPT": "it is damaged. It was not changed; move it away to start with a new one, or restore a backup.",
    "SQLITE_IOERR": "the disk failed or is full. Check the disk and try again.",
}

_SQLITE_PASSING = ("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR")
"""Reasons that may pass while a run waits."""

READ_ONLY = "25006"
"""Postgres' code for a session in which nothing can be written."""

_POSTGRES = {
    "08": "the connection was lost. Check that the server is running, then try again.",
    "28": "the user or the password was rejected. Check both in store.url.",
    "3D": "there is no such database. Create it (createdb), or correct the name in store.url.",
    READ_ONLY: "it is read-only, perhaps a standby. Point store.url at the primary.",
    "42501": "this user may not write there. Grant it the right to create tables and to write to them.",
    "53100": "its disk is full. Free some space there and try again; what was written before is safe.",
    "53300": "it has no free connections. Raise max_connections there, or run fewer processes.",
    "53": "it is out of resources. Check the server, then try again.",
    "57": "it is starting up or shutting down. Try again in a moment.",
}

_POSTGRES_PASSING = ("08", READ_ONLY, "53", "57")

_ALL_IN_USE = "3o7r"
"""SQLAlchemy's code for a connection that was waited for in vain: all that a process may have are in use."""

_STUMBLES = ("InterfaceError", "InternalClientError")
"""What asyncpg raises without a code when its connection ends in the middle of a step."""

_FILES = {
    errno.EACCES: "access is denied. Make it writable for this user.",
    errno.EPERM: "access is denied. Make it writable for this user.",
    errno.EROFS: "the file system is read-only. Work in a writable folder.",
    errno.ENOSPC: "the disk is full. Free some space and try again.",
    errno.EDQUOT: "the disk quota is used up. Free some space and try again.",
    errno.EFBIG: "the file would be larger than allowed. Raise the limit (ulimit -f).",
    errno.ENOTDIR: "part of the path is a file, not a folder. Move that file away.",
    errno.EEXIST: "part of the path is a file, not a folder. Move that file away.",
    errno.ENAMETOOLONG: "the name is too long. Choose a shorter one.",
}
_FILES_PASSING = (errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def unavailable(error: BaseException, place: str) -> StoreUnavailable:
    """The error for a driver's failure. `place` is a file, or a URL without its password."""
    kind = StoreBlocked if _passes(error) else StoreUnavailable
    return kind(f"The store {place}: {_reason(error)}", place=place)


def unwritable(error: OSError, path: Path) -> StoreUnavailable:
    """The error for a file that could not be written."""
    reason = _FILES.get(error.errno or 0, f"{error.strerror or error}. Check the path and the disk.")
    kind = StoreBlocked if error.errno in _FILES_PASSING else StoreUnavailable
    return kind(f"{path} cannot be written: {reason}", place=str(path))


def displaced(path: Path, *, is_there: bool) -> StoreBlocked:
    """The error for a database whose file is not at its path any more."""
    what = "another file is at its path now" if is_there else "its file was deleted or moved away"
    return StoreBlocked(
        f"The store {path}: {what}, and nothing is stored while that is so. Put the file back, or stop the server, "
        "restore a backup, and start it again.",
        place=str(path),
    )


def programmed(place: str, what: str, name: str) -> StoreUnavailable:
    """The error for a database with a view or a trigger, which could do anything when it is read or written."""
    return StoreUnavailable(
        f"The store {place}: it contains the {what} '{name[:80]}', which dramaturg did not make. Remove it, "
        "or move the file away to start with a new one.",
        place=place,
    )


def newer(place: str, version: str, head: str) -> StoreUnavailable:
    """The error for a schema version that this program does not know."""
    return StoreUnavailable(
        f"The store {place}: it was written by a newer dramaturg (schema {version}; this one knows up to {head}). "
        "Upgrade dramaturg, or use another store.",
        place=place,
        version=version,
    )


def sqlstate(error: BaseException) -> str | None:
    """Postgres' code for the error, if it has one."""
    return next((state for _, state in _marked(error, "sqlstate")), None)


def _passes(error: BaseException) -> bool:
    """Whether the same request may succeed in a while, with nothing changed here."""
    for _, name in _marked(error, "sqlite_errorname"):
        return name.startswith(_SQLITE_PASSING)
    for _, state in _marked(error, "sqlstate"):
        return state.startswith(_POSTGRES_PASSING)
    return _lost(error) is not None or _has_no_room(error) or getattr(error, "connection_invalidated", False)


def _reason(error: BaseException) -> str:
    for cause, name in _marked(error, "sqlite_errorname"):
        known = next((text for code, text in _SQLITE.items() if name.startswith(code)), None)
        return known or f"SQLite says: {cause}."
    for cause, state in _marked(error, "sqlstate"):
        known = next((_POSTGRES[code] for code in (state, state[:2]) if code in _POSTGRES), None)
        return known or f"Postgres says: {cause}."
    if _has_no_room(error):
        return "all connections of this process are in use. Try again in a moment, or run more processes."
    lost, innermost = _lost(error), causes(error)[-1]
    said = str(lost or innermost) or type(innermost).__name__
    if lost is not None:
        return f"it could not be reached ({said}). Check that it is running and that its address is right."
    return f"{type(innermost).__name__}: {said}."


def _has_no_room(error: BaseException) -> bool:
    return getattr(error, "code", None) == _ALL_IN_USE


def _lost(error: BaseException) -> BaseException | None:
    """The cause that means a lost connection, innermost first; a driver that stumbles over itself has lost it too."""
    *outer, innermost = causes(error)
    if type(innermost).__name__ in _STUMBLES:
        return innermost
    return next((one for one in (innermost, *reversed(outer)) if isinstance(one, OSError | TimeoutError)), None)


def _marked(error: BaseException, attribute: str) -> Iterator[tuple[BaseException, str]]:
    """The causes that carry a code, innermost first, since its message is the plainest."""
    for cause in reversed(causes(error)):
        code = getattr(cause, attribute, None)
        if isinstance(code, str):
            yield cause, code


def causes(error: BaseException) -> list[BaseException]:
    """The error, then what it wraps, innermost last; how a timeout ended its task is no cause."""
    causes = [error]
    while (cause := getattr(causes[-1], "orig", None) or causes[-1].__cause__) and cause not in causes:
        if isinstance(cause, CancelledError):
            break
        causes.append(cause)
    return causes
