"""What promises are checked against, read from a book's files; and what they have to say to a writer."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from dramaturg.kernel.errors import AuthorError
from dramaturg.workshop.book.file_cache import FileCache, Places, markdown_in
from dramaturg.workshop.book.manuscript import FOLDER as MANUSCRIPT
from dramaturg.workshop.book.manuscript import Manuscript, ManuscriptFile
from dramaturg.workshop.book.scaffolds import FOLDER as SCAFFOLDS
from dramaturg.workshop.book.scaffolds import Scaffolds, reading_order
from dramaturg.workshop.promises.ledger import FILE, read_ledger
from dramaturg.workshop.promises.standing import PlannedScene, PromiseBook, standing_promises
from dramaturg.workshop.promises.wire import Promise


class PromiseLedger(NamedTuple):
    """The promises of a book, and why the writer's own file cannot be read."""

    promises: tuple[Promise, ...]
    problem: str = ""


def promise_book(project: Path, cache: FileCache | None = None) -> PromiseBook:
    """The scenes of a book, written or planned, in reading order."""
    manuscript = Manuscript(project)
    files = {one.scene_id: one for one in manuscript.files(cache)}
    plans = Scaffolds(project).files(cache)
    scaffolds = {one.scaffold_id: one.scaffold for one in plans}
    names = sorted({*files, *scaffolds}, key=reading_order)
    texts: dict[str, str] = {}

    def prose(name: str) -> str:
        if name not in texts:
            texts[name] = manuscript.prose(files[name].path, cache) if name in files else ""
        return texts[name]

    return PromiseBook(
        scenes=tuple(
            PlannedScene(
                name,
                is_drafted=name in files and files[name].is_drafted,
                beat=_beat(files.get(name)) or (plan.beat_alignment if (plan := scaffolds.get(name)) else ""),
                is_planned=name in scaffolds,
            )
            for name in names
        ),
        prose=prose,
        scaffolds=tuple(one.scaffold for one in plans if one.scaffold is not None),
    )


def read_promises(project: Path, cache: FileCache | None = None) -> PromiseLedger:
    """Where every promise stands. Where the writer's own file cannot be read, those of the scaffolds are left."""
    if cache is None:
        return _read(project)
    places: Places = [project / FILE, markdown_in(project / MANUSCRIPT), markdown_in(project / SCAFFOLDS)]
    return cache.made(("promises", project), places, lambda: _read(project, cache))


def _read(project: Path, cache: FileCache | None = None) -> PromiseLedger:
    try:
        entries, problem = read_ledger(project).promises, ""
    except AuthorError as error:
        entries, problem = (), error.message
    book = promise_book(project, cache)
    if not entries and not any(one.callbacks or one.foreshadowing for one in book.scaffolds):
        return PromiseLedger((), problem)
    return PromiseLedger(standing_promises(entries, book), problem)


def _beat(file: ManuscriptFile | None) -> str:
    return file.beat if file else ""
