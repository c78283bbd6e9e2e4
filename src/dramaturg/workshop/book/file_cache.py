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
from functools import cached_property, lru_cache, partial
from itertools import chain
from operator import attrgetter, is_
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import is_text

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


Stamps: TypeAlias = tuple[FileStamp | None, ...]

_TAKEN = attrgetter("st_mtime_ns", "st_ctime_ns", "st_size", "st_ino")
_STAMP: Callable[[tuple[int, ...]], FileStamp] = partial(tuple.__new__, FileStamp)


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


class Listing(tuple[Path, ...]):
    """The Markdown files below a folder, in order. It is the same object for as long as the folder has rested.

    A book has hundreds of files and is looked at in every turn: what is the same object need not be compared.
    """

    left_out: tuple[Path, ...] = ()
    """Files and folders whose names are no text."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(map(str, self))

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Where each name stands."""
        return {name: number for number, name in enumerate(self.names)}


Places: TypeAlias = Sequence[Path | Listing]
"""Files, and whole folders of them."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look has seen so far: the Markdown files of folders, and the stamps of files."""

    folders: dict[Path, Listing] = field(default_factory=dict)
    listings: dict[int, tuple[Listing, Stamps]] = field(default_factory=dict)
    """By identity."""
    files: dict[str, FileStamp | None] = field(default_factory=dict)
    """Those that were asked for one by one."""


_FOLDED: Callable[[str], str] = os.path.normcase if os.path.normcase("A") != "A" else str
"""A name as the file system compares it."""
_BY_NAME: Callable[[os.DirEntry[str]], str] = attrgetter("name")
_FOLDERS = 512
"""How many folders are remembered."""
_NOTHING = Listing()
_JOINED: dict[str, tuple[tuple[Listing, ...], Listing]] = {}
"""For a folder with folders in it: what was listed in each, and all of it."""
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
    places: tuple[Path | Listing, ...]
    stamps: tuple[Stamps, ...]
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
        self._listings: dict[int, tuple[Listing, Stamps]] = {}
        """The stamps of last time, by the identity of what they are of."""
        self.reads = 0

    def read(self, key: Hashable, places: Places, load: Callable[[], T]) -> T:
        """What `load` reads from these files: the value of last time, if none of them has changed since."""
        return self._found(key, places, load, counted=True)

    def made(self, key: Hashable, places: Places, make: Callable[[], T]) -> T:
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

    def _found(self, key: Hashable, given: Places, load: Callable[[], T], *, counted: bool) -> T:
        places: tuple[Path | Listing, ...] = (given,) if isinstance(given, Listing) else tuple(given)
        stamps, asked = self._seen(places), self._now()
        of_its_kind = self._held.setdefault(_kind(key), {})
        held = of_its_kind.get(key)
        if held is not None and held.is_settled and held.places == places and held.stamps == stamps:
            found: T = held.value
            return found
        value = load()
        if counted:
            self.reads += sum(stamp is not None for stamp in chain.from_iterable(stamps))
        is_settled = _are_settled(stamps, asked) and tuple(map(self._stamps, places)) == stamps
        of_its_kind[key] = _Held(places, stamps, is_settled, value)
        return value

    def keep_only(self, keys: Iterable[Hashable], of: str) -> None:
        """Forgets what was read under other keys that begin with the word `of`: their files are gone."""
        wanted, held = set(keys), self._held.get(of, {})
        for key in [key for key in held if key not in wanted]:
            held.pop(key, None)

    def _stamps(self, place: Path | Listing) -> Stamps:
        """The stamps of a file or of a folder's as they are now."""
        return self._look(place.names if isinstance(place, Listing) else (str(place),))

    def _seen(self, places: Iterable[Path | Listing]) -> tuple[Stamps, ...]:
        """The stamps as they were when this look first met them."""
        look = _LOOK.get()
        if look is None:
            return tuple(map(self._stamps, places))
        return tuple(
            self._listed(look, place) if isinstance(place, Listing) else (self._met(look, place),) for place in places
        )

    def _listed(self, look: _Look, listing: Listing) -> Stamps:
        if (seen := look.listings.get(id(listing))) is not None:
            return seen[1]
        stamps = self._stamps(listing)
        if met := look.files.keys() & listing.numbers.keys():
            stamps = tuple(look.files[name] if name in met else stamps[at] for at, name in enumerate(listing.names))
        before = self._listings.get(id(listing))
        if before is not None and before[1] == stamps:
            stamps = before[1]
        if len(self._listings) > _FOLDERS:
            self._listings.clear()
        look.listings[id(listing)] = self._listings[id(listing)] = listing, stamps
        return stamps

    def _met(self, look: _Look, place: Path) -> FileStamp | None:
        name = str(place)
        for listing, stamps in look.listings.values():
            if (number := listing.numbers.get(name)) is not None:
                return stamps[number]
        if name not in look.files:
            look.files[name] = self._stamps(place)[0]
        return look.files[name]


def _are_settled(stamps: Iterable[Stamps], at: float) -> bool:
    """Whether a change after this moment would show in the stamps."""
    return all(stamp is None or _is_settled(stamp, at) for stamp in chain.from_iterable(stamps))


def _is_settled(stamp: FileStamp, at: float) -> bool:
    return at - max(stamp.modified, stamp.changed) / 1e9 > TICK_SECONDS


def markdown_in(folder: Path) -> Listing:
    """Every Markdown file below a folder, by name, without those that the Foreman saved beside one of the writer's."""
    look = _LOOK.get()
    if look is None:
        return _markdown_below(str(folder))
    if folder not in look.folders:
        look.folders[folder] = _markdown_below(str(folder))
    return look.folders[folder]


def _markdown_below(folder: str) -> Listing:
    """In the order of the paths' parts; links to folders are not followed."""
    stamp = stamp_of(folder)
    if stamp is None:
        return _NOTHING
    listed = _listed if _is_settled(stamp, time.time()) else _listed.__wrapped__
    files, folders = listed(folder, stamp)
    if not folders:
        return files
    below = {name: _markdown_below(str(place)) for name, place in folders.items()}
    parts, joined = _JOINED.get(folder, ((), _NOTHING))
    if len(parts) == len(below) + 1 and all(map(is_, parts, (files, *below.values()))):
        return joined
    found = {path.name: (path,) for path in files}
    joined = Listing(path for name in sorted(found | below) for path in (*found.get(name, ()), *below.get(name, ())))
    joined.left_out = tuple(path for one in (files, *below.values()) for path in one.left_out)
    if len(_JOINED) > _FOLDERS:
        _JOINED.clear()
    _JOINED[folder] = (files, *below.values()), joined
    return joined


@lru_cache(maxsize=_FOLDERS)
def _listed(folder: str, stamp: FileStamp) -> tuple[Listing, Mapping[str, Path]]:
    """The Markdown files and the folders in a folder, while it has this stamp: what comes or goes changes it."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=_BY_NAME)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return _NOTHING, {}
    folders = {entry.name: Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)}
    pages = [entry for entry in entries if _FOLDED(entry.name).endswith(".md") and BESIDE not in entry.name]
    names = [page.name for page in pages] + [*folders]
    if is_text("".join(names)):
        return Listing(_path(page.path) for page in pages), folders
    listing = Listing(_path(page.path) for page in pages if is_text(page.name))
    listing.left_out = tuple(Path(folder, name) for name in names if not is_text(name))
    return listing, {name: place for name, place in folders.items() if is_text(name)}


@lru_cache(maxsize=8192)
def _path(name: str) -> Path:
    """The same path every time, which makes it quick to compare."""
    return Path(name)


def _kind(key: Hashable) -> Hashable:
    return key[0] if isinstance(key, tuple) else key
