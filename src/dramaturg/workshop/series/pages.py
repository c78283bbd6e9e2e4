"""The pages of a series as a graph: characters, places, rules, and a timeline that its books share.

A page, or a fact on one, with `book: second-wind` holds from that book on; earlier ones are not told of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.file_cache import FileCache, markdown_in
from dramaturg.workshop.book.files import ProjectFiles
from dramaturg.workshop.book.manuscript import MOST_BYTES
from dramaturg.workshop.graph.bible_facts import page_facts, register_page
from dramaturg.workshop.graph.front_matter import StoryMatter, read_matter
from dramaturg.workshop.graph.register import Register
from dramaturg.workshop.graph.values import Fact, GraphChange, StoryGraph
from dramaturg.workshop.graph.written_facts import SOURCE, quoted

BOOK = "book"


@dataclass(frozen=True, slots=True)
class SeriesPages:
    """What the pages say to one book, and what could not be read."""

    graph: StoryGraph
    problems: tuple[str, ...] = ()


def read_series_pages(folder: Path, cache: FileCache, known: Collection[str], told: Collection[str]) -> SeriesPages:
    """The pages of a series for a reader who may be told of these books. `known` are all its books."""
    register, files = Register(StoryGraph()), ProjectFiles(folder)
    pages: list[tuple[str, str, StoryMatter]] = []
    for place in markdown_in(folder):
        path = place.relative_to(folder).as_posix()
        try:
            text = cache.text(place, partial(files.text, path, MOST_BYTES))
        except InvalidConfig as error:
            register.problems.append(error.message)
            continue
        matter = read_matter(path, text)
        if matter.problem:
            register.problems.append(matter.problem)
            continue
        shown = _shown(path, matter, register, known, told)
        if shown is not None:
            pages.append((path, text, shown))
    for path, _, matter in pages:
        register_page(path, matter, register)
    for _ in range(2):  # a page may name whom a later one introduces
        problems = list(register.problems)
        facts = [fact for path, text, matter in pages for fact in _facts(path, text, matter, register)]
        found, register.problems = register.problems, problems
    change = GraphChange(register.new, register.aliases or None, tuple({one.key: one for one in facts}.values()))
    return SeriesPages(StoryGraph().changed(change, 0.0), tuple(dict.fromkeys(found)))


def _facts(path: str, text: str, matter: StoryMatter, register: Register) -> list[Fact]:
    """The facts of a page; a rule without any states its own name."""
    found = page_facts(path, text, matter, register)
    if matter.kind == "rule" and matter.name and not matter.facts:
        start, quote = quoted(text, "", matter.name, matter.head)
        rule = register.entity("rule", matter.name, path)
        found.append(Fact(0, rule.id, "states", None, matter.name, file=path, start=start, quote=quote, source=SOURCE))
    return found


def _shown(
    path: str, matter: StoryMatter, register: Register, known: Collection[str], told: Collection[str]
) -> StoryMatter | None:
    """A page as far as a reader may be told of it; None if nothing of it."""
    if not _may_tell(path, matter.said.get(BOOK), register, known, told):
        return None
    facts: list[object] = []
    for one in matter.facts:
        if isinstance(one, Mapping) and BOOK in one:
            if _may_tell(path, one[BOOK], register, known, told):
                facts.append({key: value for key, value in one.items() if key != BOOK})
        else:
            facts.append(one)
    return replace(matter, facts=tuple(facts))


def _may_tell(path: str, book: object, register: Register, known: Collection[str], told: Collection[str]) -> bool:
    """Whether something of a book may be told. What names a book that is not there is told to nobody."""
    if book is None:
        return True
    if str(book) not in known:
        register.problems.append(f"{path}: 'book: {book}' is no book of the series (there are: {', '.join(known)}).")
        return False
    return str(book) in told
