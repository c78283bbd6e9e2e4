"""The knowledge graph on either database. Facts are added and retired, never deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

import orjson

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.store.database import Database, Insert, Statement, Transaction
from dramaturg.kernel.store.transactions import storable, write_retrying
from dramaturg.workshop.graph.values import Entity, Fact, GraphChange, SourceFile, StoryGraph, numbered

ENTITY = tuple(field.name for field in fields(Entity))
FACT = tuple(field.name for field in fields(Fact))
SOURCE = tuple(field.name for field in fields(SourceFile))
ENTITIES = f"SELECT {', '.join(ENTITY)} FROM graph_entities WHERE book = :book ORDER BY id"
FACTS = f"SELECT {', '.join(FACT)} FROM graph_facts WHERE book = :book ORDER BY id"
SOURCES = f"SELECT {', '.join(SOURCE)} FROM graph_sources WHERE book = :book"
LAST_ENTITY = "SELECT COALESCE(MAX(id), 0) FROM graph_entities WHERE book = :book"
LAST_FACT = "SELECT COALESCE(MAX(id), 0) FROM graph_facts WHERE book = :book"
VERSION = """
    SELECT
        (SELECT COALESCE(MAX(id), 0) FROM graph_entities WHERE book = :book),
        (SELECT COALESCE(SUM(merged_into), 0) FROM graph_entities WHERE book = :book),
        (SELECT COALESCE(MAX(id), 0) FROM graph_facts WHERE book = :book),
        (SELECT COUNT(retired_at) FROM graph_facts WHERE book = :book),
        (SELECT COALESCE(SUM(id), 0) FROM graph_facts WHERE book = :book AND retired_at IS NULL),
        (SELECT COUNT(*) FROM graph_entities WHERE book = :book AND withdrawn)
"""
DIGESTS = "SELECT path, digest, position FROM graph_sources WHERE book = :book ORDER BY path"
SET_ALIASES = "UPDATE graph_entities SET aliases = :aliases WHERE book = :book AND id = :id"
MERGE = "UPDATE graph_entities SET merged_into = :into WHERE book = :book AND id = :id"
RETIRE = "UPDATE graph_facts SET retired_at = :at WHERE book = :book AND id = :id AND retired_at IS NULL"
SET_ASIDE = """
    UPDATE graph_facts SET retired_at = COALESCE(retired_at, :at), set_aside = TRUE WHERE book = :book AND id = :id
"""
RESTORE = "UPDATE graph_facts SET retired_at = NULL, set_aside = FALSE WHERE book = :book AND id = :id"
WITHDRAW = "UPDATE graph_entities SET withdrawn = TRUE WHERE book = :book AND id = :id"
MOVE = "UPDATE graph_facts SET paragraph = :paragraph, start = :start WHERE book = :book AND id = :id"
DROP_SOURCE = "DELETE FROM graph_sources WHERE book = :book AND path = :path"
_ALIASES = ENTITY.index("aliases")
_VALUES: Mapping[type, Callable[[Any], tuple[Any, ...]]] = {
    Entity: attrgetter(*ENTITY),
    Fact: attrgetter(*FACT),
    SourceFile: attrgetter(*SOURCE),
}


class GraphStore:
    """The knowledge graph of one book."""

    def __init__(self, database: Database, book: str) -> None:
        self._database = database
        self._book = book

    async def load(self) -> StoryGraph:
        """Everything, retired facts included."""
        asked = {"book": self._book}
        entities = await self._database.read(Statement(ENTITIES, asked))
        facts = await self._database.read(Statement(FACTS, asked))
        sources = await self._database.read(Statement(SOURCES, asked))
        return await asyncio.to_thread(_graph, entities, facts, sources)

    async def version(self) -> tuple[object, ...]:
        """A value that is another after each change to the graph."""
        asked = {"book": self._book}
        counted = await self._database.read(Statement(VERSION, asked))
        digests = await self._database.read(Statement(DIGESTS, asked))
        return (*counted[0], *(tuple(row) for row in digests))

    async def apply(self, change: GraphChange, last: tuple[int, int], at: float) -> bool:
        """Stores a change to the graph whose highest numbers were `last`, whole or not at all.

        False if another process has added to the graph since; then nothing is stored.
        """
        return await write_retrying(
            self._database, lambda: apply_change(self._book, change, last, at), "The knowledge graph"
        )

    async def merge(self, entity: int, into: int | None) -> None:
        """Makes an entity part of another one, or takes it out again."""
        asked = {"book": self._book, "id": entity, "into": into}
        await self._database.write(_once(Statement(MERGE, asked)))

    async def fill(self, graph: StoryGraph) -> None:
        """Stores a whole graph with its numbers and dates. Raises InvalidConfig if the book has one already."""
        filled = await write_retrying(self._database, lambda: _fill(self._book, graph), "The knowledge graph")
        if not filled:
            raise InvalidConfig("This book has a knowledge graph already. Import into a project that has none.")


def apply_change(book: str, change: GraphChange, last: tuple[int, int], at: float) -> Transaction[bool]:
    """The statements that store a change; False, and none of them, if the graph has grown since `last`."""
    entity = yield Statement(LAST_ENTITY, {"book": book})
    fact = yield Statement(LAST_FACT, {"book": book})
    if (int(entity[0][0]), int(fact[0][0])) != last:
        return False
    new = numbered(change, last, at)
    yield from _insert(book, new.entities, new.facts)
    if new.aliases:
        yield from name_again(book, new.aliases)
    if new.retired:
        yield Statement(RETIRE, [{"book": book, "id": number, "at": at} for number in new.retired])
    if new.moved:
        rows = [{"book": book, "id": one.fact, "paragraph": one.paragraph, "start": one.start} for one in new.moved]
        yield Statement(MOVE, list(rows))
    yield from _sources(book, new.sources)
    return True


def name_again(book: str, aliases: Mapping[int, tuple[str, ...]]) -> Transaction[None]:
    """Gives entities other aliases."""
    if aliases:
        rows = [{"book": book, "id": number, "aliases": _packed(names)} for number, names in aliases.items()]
        yield Statement(SET_ALIASES, list(rows))


def settle_facts(
    book: str, at: float, *, aside: Iterable[int] = (), restored: Iterable[int] = (), retired: Iterable[int] = ()
) -> Transaction[None]:
    """Sets facts aside, lets others hold again, and retires others for good."""
    for sql, numbers in ((RESTORE, (*restored, *retired)), (RETIRE, retired), (SET_ASIDE, aside)):
        rows = [{"book": book, "id": number, "at": at} for number in dict.fromkeys(numbers)]
        if rows:
            yield Statement(sql, [row if sql != RESTORE else {"book": book, "id": row["id"]} for row in rows])


def withdraw(book: str, entities: Iterable[int]) -> Transaction[None]:
    """Takes entities out of the book; their numbers stay."""
    rows = [{"book": book, "id": number} for number in entities]
    if rows:
        yield Statement(WITHDRAW, list(rows))


def _fill(book: str, graph: StoryGraph) -> Transaction[bool]:
    entity = yield Statement(LAST_ENTITY, {"book": book})
    fact = yield Statement(LAST_FACT, {"book": book})
    if entity[0][0] or fact[0][0]:
        return False
    yield from _insert(book, graph.entities, graph.facts)
    yield from _sources(book, graph.sources)
    return True


def _insert(book: str, entities: tuple[Entity, ...], facts: tuple[Fact, ...]) -> Transaction[None]:
    if entities:
        rows = [(book, *_row(one)[:_ALIASES], _packed(one.aliases), *_row(one)[_ALIASES + 1 :]) for one in entities]
        yield Insert("graph_entities", ("book", *ENTITY), rows)
    if facts:
        yield Insert("graph_facts", ("book", *FACT), [(book, *_row(one)) for one in facts])


def _sources(book: str, sources: tuple[SourceFile, ...]) -> Transaction[None]:
    if sources:
        yield Statement(DROP_SOURCE, [{"book": book, "path": one.path} for one in sources])
        yield Insert("graph_sources", ("book", *SOURCE), [(book, *_row(one)) for one in sources])


def _graph(
    entities: Sequence[Sequence[Any]], facts: Sequence[Sequence[Any]], sources: Sequence[Sequence[Any]]
) -> StoryGraph:
    by_path = sorted((SourceFile(*row) for row in sources), key=lambda one: one.path)
    return StoryGraph(tuple(map(_entity, entities)), tuple(map(_fact, facts)), tuple(by_path))


def _once(statement: Statement) -> Transaction[None]:
    yield statement


def _row(one: Entity | Fact | SourceFile) -> tuple[Any, ...]:
    return tuple(storable(held) if isinstance(held, str) else held for held in _VALUES[type(one)](one))


def _packed(aliases: tuple[str, ...]) -> str:
    return orjson.dumps([storable(one) for one in aliases]).decode()


def _fact(row: Sequence[Any]) -> Fact:
    held: tuple[Any, ...] = (*row[:-1], bool(row[-1]))  # SQLite has no truth values
    return Fact(*held)


def _entity(row: Sequence[Any]) -> Entity:
    held = dict(zip(ENTITY, row, strict=True))
    return Entity(**{**held, "aliases": tuple(orjson.loads(held["aliases"])), "withdrawn": bool(held["withdrawn"])})
