"""What was read from files, kept for as long as the files stay as they are.

A file is known by its stamp: times, size and inode. Two edits within one tick of a file system's clock leave the same
stamp, so what was read from a file that had only just changed is read again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
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


Stamps = tuple[FileStamp | None, ...]

_TAKEN = attrgetter("st_mtime_ns", "st_ctime_ns", "st_size", "st_ino")
_STAMP: Callable[[tuple[int, ...]], FileStamp] = lru_cache(maxsize=16384)(FileStamp._make)
"""The same stamp every time, which makes it quick to compare."""


def stamp_of(name: str) -> FileStamp | None:
    """The stamp of the file of this name; None if there is none."""
    try:
        return _STAMP(_TAKEN(os.stat(name)))  # noqa: PTH116 - a book has hundreds of files: this takes half the time
    except OSError:
        return None


def stamps_of(names: Sequence[str]) -> Stamps:
    """The stamps of many files: where all of them are there, without a call of ours for each."""
    try:
        return tuple(map(_STAMP, map(_TAKEN, map(os.stat, names))))
    except OSError:
        return tuple(map(stamp_of, names))


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look has seen so far: the Markdown files of folders, and the stamps of files.

    A path is asked for several times, and finding its name is what takes time: so it is known by its identity too.
    """

    folders: dict[Path, list[Path]] = field(default_factory=dict)
    stamps: dict[str, FileStamp | None] = field(default_factory=dict)
    by_id: dict[int, FileStamp | None] = field(default_factory=dict)
    alive: list[Mapping[int, Path]] = field(default_factory=list)
    """The paths whose identities are taken."""


_FOLDED: Callable[[str], str] = os.path.normcase if os.path.normcase("A") != "A" else str
"""A name as the file system compares it."""
_BY_NAME: Callable[[os.DirEntry[str]], str] = attrgetter("name")
_FOLDERS = 512
"""How many folders are remembered."""
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

    `now` is the time in seconds since 1970, `look` gives the stamps of the files of some names. Safe to use from
    several threads: at worst, two of them read the same file.
    """

    def __init__(self, now: Callable[[], float], look: Callable[[Sequence[str]], Stamps] = stamps_of) -> None:
        self._now = now
        self._look = look
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
        return self._look(tuple(map(str, places)))

    def _seen(self, places: Sequence[Path]) -> Stamps:
        """The stamps of files as they were when this look first met them."""
        look = _LOOK.get()
        if look is None:
            return self.stamps(places)
        try:
            return tuple(map(look.by_id.__getitem__, map(id, places)))
        except KeyError:
            self._meet(look, {id(place): place for place in places if id(place) not in look.by_id})
            return tuple(map(look.by_id.__getitem__, map(id, places)))

    def _meet(self, look: _Look, places: Mapping[int, Path]) -> None:
        look.alive.append(places)
        names = list(map(str, places.values()))
        unmet = list(set(names).difference(look.stamps))
        for name, stamp in zip(unmet, self._look(unmet), strict=True):
            look.stamps[name] = stamp
        for number, name in zip(places, names, strict=True):
            look.by_id[number] = look.stamps[name]

    def are_settled(self, stamps: Stamps, at: float | None = None) -> bool:
        """Whether a change after this moment (now, if not given) would show in the stamps."""
        at = self._now() if at is None else at
        return all(stamp is None or _is_settled(stamp, at) for stamp in stamps)


def _is_settled(stamp: FileStamp, at: float) -> bool:
    return at - max(stamp.modified, stamp.changed) / 1e9 > TICK_SECONDS


def markdown_in(folder: Path) -> list[Path]:
    """Every Markdown file below a folder, by name, without those that the Foreman saved beside one of the writer's."""
    look = _LOOK.get()
    if look is None:
        return _markdown_below(str(folder))
    if folder not in look.folders:
        look.folders[folder] = _markdown_below(str(folder))
    return look.folders[folder]


def _markdown_below(folder: str) -> list[Path]:
    """In the order of the paths' parts; links to folders are not followed."""
    stamp = stamp_of(folder)
    if stamp is None:
        return []
    listed = _listed if _is_settled(stamp, time.time()) else _listed.__wrapped__
    files, folders = listed(folder, stamp)
    if not folders:
        return list(files)
    below = {name: _markdown_below(str(place)) for name, place in folders.items()}
    found = {path.name: [path] for path in files}
    return [path for name in sorted(found | below) for path in (*found.get(name, ()), *below.get(name, ()))]


@lru_cache(maxsize=_FOLDERS)
def _listed(folder: str, stamp: FileStamp) -> tuple[tuple[Path, ...], Mapping[str, Path]]:
    """The Markdown files and the folders in a folder, while it has this stamp: what comes or goes changes it."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=_BY_NAME)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return (), {}
    named = (entry for entry in entries if _FOLDED(entry.name).endswith(".md") and BESIDE not in entry.name)
    folders = {entry.name: Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)}
    return tuple(_path(entry.path) for entry in named), folders


@lru_cache(maxsize=8192)
def _path(name: str) -> Path:
    """The same path every time, which makes it quick to compare."""
    return Path(name)


def _kind(key: Hashable) -> Hashable:
    return key[0] if isinstance(key, tuple) else key
