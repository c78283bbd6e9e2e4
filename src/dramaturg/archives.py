"""ZIP archives of other people: checked before anything is unpacked, unpacked in memory only, within limits."""

from __future__ import annotations

import io
import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from typing import IO, TypeAlias

from dramaturg.kernel.errors import AuthorError

Refuse: TypeAlias = Callable[[str, str], AuthorError]
"""Makes the error for a file: what is wrong with it, and what to do."""
MAX_ARCHIVE = 128 * 1024 * 1024
MAX_UNPACKED = 256 * 1024 * 1024
MAX_MEMBERS = 4096
MAX_RATIO = 200
SMALL = 1024 * 1024
"""Members below this size may have any compression ratio."""

_ENCRYPTED_FLAG = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED = "The file is damaged; download it again."
# zipfile and zlib raise these for archives that they cannot read.
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)


class Archive:
    """The members of a ZIP archive, checked on opening. Raises the error `refuse` makes for a hostile one.

    `odd` is the advice for an archive that no honest program writes.
    """

    def __init__(self, data: bytes, refuse: Refuse, *, odd: str) -> None:
        if len(data) > MAX_ARCHIVE:
            raise refuse(f"the archive is over {MAX_ARCHIVE // 2**20} MB", "Use a smaller one.")
        self._refuse, self._odd = refuse, odd
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _FAULTS as error:
            raise refuse(f"it is not a readable ZIP archive ({error})", _DAMAGED) from error
        self._members = {one.filename: one for one in self._zip.infolist() if one.filename and not one.is_dir()}
        self._check()
        self._left = MAX_UNPACKED

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._members)

    def member(self, name: str, limit: int = MAX_UNPACKED) -> bytes:
        """The content of a member, within its own limit and within the limit for the whole archive."""
        most = min(limit, self._left)
        try:
            with self._zip.open(self._members[name]) as packed_file:
                data = _at_most(packed_file, most)
        except _FAULTS as error:
            raise self._refuse(f"{_shown(name)} in the archive cannot be unpacked ({error})", _DAMAGED) from error
        if len(data) > most:
            raise self._refuse(f"{_shown(name)} in the archive unpacks to over {most // 2**20} MB", self._odd)
        self._left -= len(data)
        return data

    def _check(self) -> None:
        listed = self._zip.infolist()
        if len(listed) > MAX_MEMBERS:
            raise self._refuse(f"the archive contains over {MAX_MEMBERS} files", self._odd)
        twice = next((name for name, count in Counter(one.filename for one in listed).items() if count > 1), None)
        if twice is not None:
            raise self._refuse(f"the archive contains {_shown(twice)} twice", self._odd)
        problem = next(filter(None, map(_problem, listed)), "")
        if problem:
            raise self._refuse(problem, self._odd)
        if sum(one.file_size for one in listed) > MAX_UNPACKED:
            raise self._refuse(f"the archive unpacks to over {MAX_UNPACKED // 2**20} MB", self._odd)


def packed(members: Iterable[tuple[str, bytes]], *, stored: frozenset[str] = frozenset()) -> bytes:
    """An archive of these members, `stored` ones uncompressed. The same members give the same bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, data, zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _problem(one: zipfile.ZipInfo) -> str:
    name, shown = one.filename, _shown(one.filename)
    if not name:
        return "a file in the archive has no name"
    if one.flag_bits & _ENCRYPTED_FLAG:
        return f"{shown} in the archive is encrypted"
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        return f"the archive names an absolute path, {shown}"
    if "\\" in name or ".." in name.split("/") or any(ord(letter) < 32 for letter in one.orig_filename):
        return f"the archive names a path outside itself, {shown}"
    if stat.S_ISLNK(one.external_attr >> 16):
        return f"{shown} in the archive is a link"
    if one.compress_type not in _METHODS:
        return f"{shown} in the archive uses an unusual compression method"
    if one.file_size > SMALL and one.file_size > MAX_RATIO * max(1, one.compress_size):
        return f"{shown} in the archive has a compression ratio over {MAX_RATIO}"
    return ""


def _at_most(packed_file: IO[bytes], most: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while size <= most and (piece := packed_file.read(min(1 << 16, most + 1 - size))):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _shown(name: str) -> str:
    return f"{name[:60]!a}"
