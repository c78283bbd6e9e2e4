"""What was read from files, kept for as long as the files stay as they are.

A file is known by its stamp: times, size and inode. Two edits within one tick of a file system's clock leave the same
stamp, so what was read from a file that had only just changed is read again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
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


_STAMP = tuple.__new__
"""A stamp without a call of its own `__new__`."""


def stamp_of(name: str) -> FileStamp | None:
    """The stamp of the file of this name; None if there is none."""
    try:
        found = os.stat(name)  # noqa: PTH116 - a book has hundreds of files, and this takes half the time
    except OSError:
        return None
    return _STAMP(FileStamp, (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino))


Stamps = tuple[FileStamp | None, ...]


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look has seen so far: the Markdown files of folders, and the stamps of files.

    A path is asked for several times, and finding its name is what takes time: so it is known by its identity too.
    """

    folders: dict[Path, list[Path]] = field(default_factory=dict)
    stamps: dict[str, FileStamp | None] = field(default_factory=dict)
    by_id: dict[int, FileStamp | None] = field(default_factory=dict)
    alive: list[list[tuple[int, Path]]] = field(default_factory=list)
    """The paths whose identities are taken."""


_FOLDED: Callable[[str], str] = os.path.normcase if os.path.normcase("A") != "A" else str
"""A name as the file system compares it."""
_BY_NAME: Callable[[os.DirEntry[str]], str] = attrgetter("name")
_LOOK: ContextVar[_Look | None] = ContextVar("look", default=None)


@contextmanager
def one_look() -> Iterator[None]:
    """Inside it, this task lists a folder once and looks at a file once: the book as it was at one moment.

    Only for reading: what the task writes inside it, it does not see.
    """
    token = _LOOK.set(_Look())
    try:
        yield
    finally:
        _LOOK.reset(token)


@dataclass(frozen=True, slots=True)
class _Held:
    places: tuple[Path, ...]
    stamps: Stamps
    is_settled: bool
    value: Any


class FileCache:
    """Values read from files. `reads` counts the files that were read for them.

    `now` is the time in seconds since 1970, `stamp` looks at the file of a name. Safe to use from several threads: at
    worst, two of them read the same file.
    """

    def __init__(self, now: Callable[[], float], stamp: Callable[[str], FileStamp | None] = stamp_of) -> None:
        self._now = now
        self._stamp = stamp
        self._held: dict[Hashable, dict[Hashable, _Held]] = {}
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
        places = tuple(places)
        stamps, asked = self._seen(places), self._now()
        of_its_kind = self._held.setdefault(_kind(key), {})
        held = of_its_kind.get(key)
        if held is not None and held.is_settled and held.places == places and held.stamps == stamps:
            found: T = held.value
            return found
        value = load()
        if counted:
            self.reads += sum(stamp is not None for stamp in stamps)
        is_settled = self.are_settled(stamps, asked) and self.stamps(places) == stamps
        of_its_kind[key] = _Held(places, stamps, is_settled, value)
        return value

    def keep_only(self, keys: Iterable[Hashable], of: str) -> None:
        """Forgets what was read under other keys that begin with the word `of`: their files are gone."""
        wanted, held = set(keys), self._held.get(of, {})
        for key in [key for key in held if key not in wanted]:
            held.pop(key, None)

    def stamps(self, places: Iterable[Path]) -> Stamps:
        """The stamps of files as they are now."""
        return tuple(map(self._stamp, map(str, places)))

    def _seen(self, places: Sequence[Path]) -> Stamps:
        """The stamps of files as they were when this look first met them."""
        look = _LOOK.get()
        if look is None:
            return self.stamps(places)
        numbers = tuple(map(id, places))
        new = [(number, one) for number, one in zip(numbers, places, strict=True) if number not in look.by_id]
        look.alive.append(new)
        for number, place in new:
            name = str(place)
            if name not in look.stamps:
                look.stamps[name] = self._stamp(name)
            look.by_id[number] = look.stamps[name]
        return tuple(map(look.by_id.__getitem__, numbers))

    def are_settled(self, stamps: Stamps, at: float | None = None) -> bool:
        """Whether a change after this moment (now, if not given) would show in the stamps."""
        at = self._now() if at is None else at
        return all(stamp is None or at - max(stamp.modified, stamp.changed) / 1e9 > TICK_SECONDS for stamp in stamps)


def markdown_in(folder: Path) -> list[Path]:
    """Every Markdown file below a folder, by name, without those that the Foreman saved beside one of the writer's."""
    look = _LOOK.get()
    if look is None:
        return [_path(name) for name in _markdown_below(str(folder))]
    if folder not in look.folders:
        look.folders[folder] = [_path(name) for name in _markdown_below(str(folder))]
    return look.folders[folder]


def _markdown_below(folder: str) -> list[str]:
    """In the order of the paths' parts; links to folders are not followed."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=_BY_NAME)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []
    named = [entry for entry in entries if _FOLDED(entry.name).endswith(".md") and BESIDE not in entry.name]
    folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    if not folders:
        return [entry.path for entry in named]
    found_in = {entry.name: [entry.path] for entry in named}
    for entry in folders:
        found_in[entry.name] = [*found_in.get(entry.name, ()), *_markdown_below(entry.path)]
    return [path for entry in entries for path in found_in.get(entry.name, ())]


@lru_cache(maxsize=8192)
def _path(name: str) -> Path:
    return Path(name)


def _kind(key: Hashable) -> Hashable:
    return key[0] if isinstance(key, tuple) else key
