"""What was read from files, kept for as long as the files stay as they are.

A file is known by its stamp: times, size and inode. Two edits within one tick of a file system's clock leave the same
stamp, so what was read from a file that had only just changed is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from dramaturg.kernel.errors import InvalidConfig

T = TypeVar("T")

BESIDE = ".from-foreman-"
"""In the name of a text that was saved next to the file it was meant for."""
TICK_SECONDS = 2.0
"""The coarsest clock of a file system that is common: a change this recent may be followed by one with its stamp."""


class FileStamp(NamedTuple):
    """What tells one state of a file from another, without reading it."""

    modified: int
    changed: int
    size: int
    inode: int


def stamp_of(place: Path) -> FileStamp | None:
    """The stamp of a file; None if there is none."""
    try:
        found = place.stat()
    except OSError:
        return None
    return FileStamp(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


Stamps = tuple[FileStamp | None, ...]


@dataclass(frozen=True, slots=True)
class _Held:
    stamps: Stamps
    is_settled: bool
    value: Any


class FileCache:
    """Values read from files. `reads` counts the files that were read for them.

    `now` is the time in seconds since 1970, `stamp` looks at a file. Safe to use from several threads: at worst, two
    of them read the same file.
    """

    def __init__(self, now: Callable[[], float], stamp: Callable[[Path], FileStamp | None] = stamp_of) -> None:
        self._now = now
        self._stamp = stamp
        self._held: dict[Hashable, _Held] = {}
        self.reads = 0

    def read(self, key: Hashable, places: Sequence[Path], load: Callable[[], T]) -> T:
        """What `load` reads from these files: the value of last time, if none of them has changed since."""
        return self._found(key, places, load, counted=True)

    def made(self, key: Hashable, places: Sequence[Path], make: Callable[[], T]) -> T:
        """The same for what is made of texts that this cache holds: no file is read for it."""
        return self._found(key, places, make, counted=False)

    def text(self, place: Path, load: Callable[[], str | None]) -> str:
        """The text of a file, empty if there is none. Raises the InvalidConfig that reading it raises."""

        def kept() -> str | InvalidConfig:
            try:
                return load() or ""
            except InvalidConfig as error:
                return error

        found = self.read(("text", str(place)), [place], kept)
        if isinstance(found, InvalidConfig):
            raise InvalidConfig(found.message, **found.context)
        return found

    def _found(self, key: Hashable, places: Sequence[Path], load: Callable[[], T], *, counted: bool) -> T:
        stamps, asked = self.stamps(places), self._now()
        held = self._held.get(key)
        if held is not None and held.is_settled and held.stamps == stamps:
            found: T = held.value
            return found
        value = load()
        if counted:
            self.reads += sum(stamp is not None for stamp in stamps)
        is_settled = self.are_settled(stamps, asked) and self.stamps(places) == stamps
        self._held[key] = _Held(stamps, is_settled, value)
        return value

    def keep_only(self, keys: Iterable[Hashable], of: str) -> None:
        """Forgets what was read under other keys that begin with the word `of`: their files are gone."""
        wanted = set(keys)
        for key in [key for key in self._held if isinstance(key, tuple) and key[0] == of and key not in wanted]:
            self._held.pop(key, None)

    def stamps(self, places: Iterable[Path]) -> Stamps:
        return tuple(self._stamp(place) for place in places)

    def are_settled(self, stamps: Stamps, at: float | None = None) -> bool:
        """Whether a change after this moment (now, if not given) would show in the stamps."""
        at = self._now() if at is None else at
        return all(stamp is None or at - max(stamp.modified, stamp.changed) / 1e9 > TICK_SECONDS for stamp in stamps)


def markdown_in(folder: Path) -> list[Path]:
    """Every Markdown file below a folder, by name, without those that the Foreman saved beside one of the writer's."""
    if not folder.is_dir():
        return []
    found = (place for place in folder.rglob("*.md") if BESIDE not in place.name)
    return sorted(found, key=lambda place: place.parts)
