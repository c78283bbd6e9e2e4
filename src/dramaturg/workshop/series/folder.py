"""The folder of a series: `series.yaml` lists the books in order, the pages beside it hold what they share.

The books lie beside the folder, one folder each. Nothing else is read: a book is named by its folder, not by a path.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from dramaturg.authored import AuthoredForm
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.files import is_inside, leads_out
from dramaturg.kernel.values import Value
from dramaturg.workshop.graph.entries import SERIES

FILE = "series.yaml"
MOST_BOOKS = 100
_NAME = re.compile(r"[^\W_][\w .'’()-]{0,119}")


class ListedBook(Value):
    """A book as `series.yaml` lists it."""

    folder: str = Field(min_length=1, max_length=120, description="the name of its folder, beside that of the series")
    title: str = ""
    number: int | None = Field(None, ge=1, le=10_000, description="its place in the order; that in the list if not set")


class SeriesFile(Value):
    """What `series.yaml` says."""

    title: str = ""
    books: tuple[ListedBook, ...] = Field(min_length=1, max_length=MOST_BOOKS)


@dataclass(frozen=True, slots=True)
class SeriesBook:
    """A book of a series, in its folder. `is_there` says whether there is such a folder."""

    name: str
    number: int
    folder: Path
    title: str = ""
    is_own: bool = False
    is_there: bool = True


@dataclass(frozen=True, slots=True)
class Series:
    """A series: its folder and its books in order."""

    folder: Path
    title: str
    books: tuple[SeriesBook, ...]

    @property
    def own(self) -> SeriesBook | None:
        return next((one for one in self.books if one.is_own), None)

    @property
    def earlier(self) -> tuple[SeriesBook, ...]:
        """The books before this one that can be read; none if this one is not listed."""
        own = self.own
        return tuple(one for one in self.books if own is not None and one.number < own.number and one.is_there)

    @property
    def others(self) -> tuple[SeriesBook, ...]:
        """All other books that can be read."""
        return tuple(one for one in self.books if not one.is_own and one.is_there)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong and can be worked around."""
        missing = (
            f"Book {one.number} of the series, {one.name}: there is no such folder beside {self.folder.name}/."
            for one in self.books
            if not one.is_there
        )
        unlisted = f"This book is not listed in {self.folder.name}/{FILE}; it reads only the pages of the series."
        return (*missing, *(() if self.own else (unlisted,)))


FORM = AuthoredForm(SeriesFile, "series", such_as="title and books", named_by_file=False)


def read_series(project: Path, named: Path) -> Series:
    """The series in a folder that is named relative to a project. Raises NotFound or InvalidConfig."""
    folder = project / named
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder} for the series. Make it, or correct [workshop] series.")
    if ".." not in named.parts and leads_out(folder, project):
        raise InvalidConfig(f"{folder} is a link out of the project. Name the folder of the series itself.")
    if is_inside(project, folder):
        raise InvalidConfig(f"The series in {folder} contains this book. Put its folder beside those of the books.")
    listed = FORM.read(folder / FILE, project=folder)
    beside = folder.resolve().parent
    books = tuple(_book(one, place, beside, folder, project) for place, one in enumerate(listed.books, start=1))
    _check(books, folder)
    return Series(folder, listed.title, tuple(sorted(books, key=lambda one: one.number)))


def _book(one: ListedBook, place: int, beside: Path, series: Path, project: Path) -> SeriesBook:
    where = f"{series.name}/{FILE}, book {place}"
    if not _NAME.fullmatch(one.folder) or one.folder.casefold() == SERIES:
        raise InvalidConfig(
            f"{where}: '{one.folder}' is no name of a folder beside {series.name}/. Give the name alone, no path."
        )
    folder = beside / one.folder
    if folder.resolve() == series.resolve():
        raise InvalidConfig(f"{where}: '{one.folder}' is the folder of the series itself, so that it goes in a circle.")
    there = folder.is_dir()
    if there and (not is_inside(folder, beside) or is_inside(series, folder)):
        raise InvalidConfig(
            f"{where}: '{one.folder}' leads elsewhere, or contains the series. Put the folder itself there."
        )
    own = there and folder.resolve() == project.resolve()
    return SeriesBook(one.folder, one.number or place, folder, one.title, own, there)


def _check(books: Sequence[SeriesBook], folder: Path) -> None:
    by_number: dict[int, SeriesBook] = {}
    by_place: dict[Path, SeriesBook] = {}
    for one in books:
        other = by_number.setdefault(one.number, one)
        if other is not one:
            raise InvalidConfig(
                f"{folder.name}/{FILE}: {other.name} and {one.name} are both book {one.number}. Give each its own."
            )
        twin = by_place.setdefault(one.folder.resolve(), one)
        if twin is not one:
            raise InvalidConfig(f"{folder.name}/{FILE}: {twin.name} and {one.name} are the same folder. List it once.")
