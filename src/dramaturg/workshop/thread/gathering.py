"""Everything that a thread is pulled through, as it stands now: graph, files, decisions, conversation, long works."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from dramaturg.kernel.errors import DramaturgError, InvalidConfig, NotFound
from dramaturg.kernel.runs.ids import id_for
from dramaturg.workshop.book.bible import FOLDER as BIBLE
from dramaturg.workshop.book.file_cache import markdown_in
from dramaturg.workshop.book.files import ProjectFiles
from dramaturg.workshop.book.manuscript import FOLDER as MANUSCRIPT
from dramaturg.workshop.book.manuscript import MOST_BYTES
from dramaturg.workshop.book.scaffolds import FOLDER as SCAFFOLDS
from dramaturg.workshop.graph.entries import SERIES
from dramaturg.workshop.graph.values import in_book
from dramaturg.workshop.promises.material import read_promises
from dramaturg.workshop.sources import BookSources, SeriesLinks
from dramaturg.workshop.state import ForemanState, foreman_state
from dramaturg.workshop.thread.strands import ThreadSources, ToldRun
from dramaturg.workshop.turn_context import FOREMAN
from dramaturg.workshop.works.events import FactsTold
from dramaturg.workshop.works.kind import WorkKind

MOST_RUNS = 200


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The texts of the series and of its other books, by paths that carry their book."""

    manuscript: dict[str, str] = field(default_factory=dict)
    scaffolds: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)


def _elsewhere(series: SeriesLinks) -> Elsewhere:
    found = Elsewhere()
    for book, folder in series.folders().items():
        parts = (
            {"": found.pages}
            if book == SERIES
            else {MANUSCRIPT: found.manuscript, SCAFFOLDS: found.scaffolds, BIBLE: found.pages}
        )
        for part, held in parts.items():
            held.update({in_book(book, path): text for path, text in texts_in(folder, part)[0].items()})
    return found


async def thread_sources(book: BookSources, *, later: bool = True) -> tuple[ThreadSources, tuple[str, ...]]:
    """The sources of a book, and what of it could not be read.

    Without `later`, there is nothing of a later book of the series in them, so that a model may be told of it.
    """
    reading = await book.graph.read()
    graph, elsewhere = reading.graph, Elsewhere()
    if book.series is not None:
        graph = await asyncio.to_thread(book.series.every if later else book.series.earlier, graph)
        elsewhere = await asyncio.to_thread(_elsewhere, book.series) if later else elsewhere
    folders = [await asyncio.to_thread(texts_in, book.project, one) for one in (MANUSCRIPT, SCAFFOLDS, BIBLE)]
    sources = ThreadSources(
        graph=graph,
        manuscript=folders[0][0] | elsewhere.manuscript,
        scaffolds=folders[1][0] | elsewhere.scaffolds,
        pages=folders[2][0] | elsewhere.pages,
        decisions=await book.knowledge.current(),
        talk=await _talk(book),
        runs=await _runs(book),
        promises=(await asyncio.to_thread(read_promises, book.project, book.cache)).promises,
    )
    unread = [problem for _, problems in folders for problem in problems]
    return sources, tuple(dict.fromkeys([*reading.problems, *unread]))


def texts_in(project: Path, folder: str) -> tuple[dict[str, str], list[str]]:
    """The texts below a folder of a project by their paths, and the problems of those that cannot be read."""
    files, texts = ProjectFiles(project), {}
    problems: list[str] = []
    for place in markdown_in(project / folder):
        path = place.relative_to(project).as_posix()
        try:
            text = files.text(path, MOST_BYTES)
        except InvalidConfig as error:
            problems.append(error.message)
            continue
        if text is not None:
            texts[path] = text
    return texts, problems


async def _talk(book: BookSources) -> ForemanState:
    try:
        return foreman_state((await book.resources.runs.open(id_for(FOREMAN, book.name))).entries)
    except NotFound:
        return ForemanState()


async def _runs(book: BookSources) -> tuple[ToldRun, ...]:
    """The newest long works of the book that told facts, oldest first. One that cannot be read is left out."""
    runs, found = book.resources.runs, []
    for record in await runs.find(limit=MOST_RUNS):
        if record.name != book.name or not runs.can_play(record):
            continue
        kind = runs.kind_of(record)
        if not isinstance(kind, WorkKind):
            continue
        try:
            run = await runs.open(record.id)
        except DramaturgError:
            continue
        told = tuple(one.event for one in run.entries if isinstance(one.event, FactsTold))
        if told:
            found.append(ToldRun(record.id, kind.noun, told))
    return tuple(reversed(found))
