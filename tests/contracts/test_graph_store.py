"""The knowledge graph, on SQLite and on Postgres."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.store import Store
from dramaturg.workshop.graph.front import BookGraph
from dramaturg.workshop.graph.store import GraphStore
from dramaturg.workshop.graph.values import Entity, Fact, GraphChange, Moved, SourceFile, StoryGraph
from tests.workshop.graph.stories import said, scene, the_book

TWO = GraphChange(
    entities=(Entity(-1, "character", "Elena\0", ("Mrs Vance",)), Entity(-2, "character", "Marcus 🎭")),
    facts=(
        Fact(0, -1, "knows", -2, quote="Elena knew\nhim.", file="a.md", paragraph=3, start=40),
        Fact(0, -2, "age", None, "41", modality="claimed", holder=-1, time_from="Cycle 4", source="prose"),
    ),
    sources=(SourceFile("a.md", "d1", 0), SourceFile("story-bible/x.md", "d2")),
)


@pytest.fixture
def graphs(store: Store) -> GraphStore:
    return GraphStore(store.database, "main")


@pytest.fixture
def book(graphs: GraphStore, tmp_path: Path) -> BookGraph:
    return BookGraph(graphs, the_book(tmp_path), StillClock())


async def test_a_change_is_loaded_as_it_was_made(graphs: GraphStore) -> None:
    clean = GraphChange((Entity(-1, "character", "Elena\ufffd", ("Mrs Vance",)), TWO.entities[1]), None, *_rest(TWO))
    assert await graphs.apply(TWO, (0, 0), 1.5)
    expected = StoryGraph().changed(clean, 1.5)
    assert await graphs.load() == expected
    more = GraphChange(
        entities=(Entity(-1, "location", "the docks"),),
        aliases={2: ("the broker",)},
        facts=(Fact(0, 2, "is_at", -1),),
        retired=(1, 2),
        moved=(Moved(1, 7, 99),),
        sources=(SourceFile("a.md", "d3", 4),),
    )
    assert await graphs.apply(more, expected.last, 2.5)
    assert await graphs.load() == expected.changed(more, 2.5)


async def test_retiring_twice_keeps_the_first_date(graphs: GraphStore) -> None:
    await graphs.apply(TWO, (0, 0), 1.0)
    for at in (2.0, 3.0):
        await graphs.apply(GraphChange(retired=(1,)), (2, 2), at)
    assert [one.retired_at for one in (await graphs.load()).facts] == [2.0, None]


async def test_of_two_that_read_at_once_one_is_told_to_look_again(graphs: GraphStore) -> None:
    done = await asyncio.gather(*(graphs.apply(TWO, (0, 0), 1.0) for _ in range(4)))
    assert sorted(done) == [False, False, False, True]
    assert len((await graphs.load()).facts) == 2


async def test_books_do_not_see_each_other(store: Store, graphs: GraphStore) -> None:
    await graphs.apply(TWO, (0, 0), 1.0)
    assert await GraphStore(store.database, "other").load() == StoryGraph()


async def test_every_change_gives_another_version(graphs: GraphStore) -> None:
    versions = [await graphs.version()]
    await graphs.apply(TWO, (0, 0), 1.0)
    versions.append(await graphs.version())
    await graphs.merge(1, 2)
    versions.append(await graphs.version())
    await graphs.apply(GraphChange(retired=(2,)), (2, 2), 2.0)
    versions.append(await graphs.version())
    await graphs.apply(GraphChange(sources=(SourceFile("a.md", "d9"),)), (2, 2), 2.0)
    versions.append(await graphs.version())
    assert len(set(versions)) == 5
    assert await graphs.version() == versions[-1]


async def test_a_book_is_read_stored_and_not_read_again(book: BookGraph, graphs: GraphStore) -> None:
    first = await book.read()
    assert await graphs.load() == first.graph
    again = await book.read()
    assert (again.graph, again.intake.read, again.intake.unchanged) == (first.graph, 0, 3)


async def test_a_preview_stores_nothing_and_has_it_all(book: BookGraph, graphs: GraphStore) -> None:
    network = await book.preview()
    assert ("Marcus", "owns", "the Meridian") in said(network.graph)
    assert await graphs.load() == StoryGraph()
    assert (await book.preview()) is network


async def test_two_processes_that_read_one_book_keep_each_fact_once(
    store: Store, book: BookGraph, graphs: GraphStore, tmp_path: Path
) -> None:
    other = BookGraph(GraphStore(store.database, "main"), tmp_path, StillClock())
    await asyncio.gather(book.read(), other.read())
    facts = (await graphs.load()).facts
    assert len({one.key for one in facts}) == len(facts)


async def test_merged_names_are_one_and_split_again_they_are_two(
    book: BookGraph, graphs: GraphStore, tmp_path: Path
) -> None:
    scene(tmp_path, "ch03", "cast: [the broker, Ruth]")
    before = (await book.read()).graph
    into = await book.merge("the broker", "Marcus")
    assert into.name == "Marcus"
    merged = (await book.read()).graph
    assert ("Marcus", "present_at", "ch03") in said(merged)
    assert len(merged.facts) == len(before.facts)
    with pytest.raises(InvalidConfig, match="are one already"):
        await book.merge("Marcus", "the broker")
    await book.split("the broker")
    assert (await book.read()).graph == before
    with pytest.raises(NotFound, match="is not merged into another"):
        await book.split("the broker")


async def test_a_mother_and_her_child_are_not_merged(book: BookGraph, tmp_path: Path) -> None:
    scene(tmp_path, "ch03", "facts:\n  - {subject: Ruth, predicate: mother_of, object: Elena}")
    with pytest.raises(InvalidConfig, match="is the mother of"):
        await book.merge("Ruth", "Elena")
    with pytest.raises(InvalidConfig, match="they stay two"):
        await book.merge("Ruth", "the Meridian")


@pytest.mark.parametrize("graphml", [True, False])
async def test_an_export_fills_an_empty_book_and_no_other(
    store: Store, book: BookGraph, graphs: GraphStore, tmp_path: Path, graphml: bool
) -> None:
    data = await book.export(graphml=graphml)
    copy = GraphStore(store.database, "copy")
    await BookGraph(copy, tmp_path / "empty", StillClock()).fill(data)
    assert await copy.load() == await graphs.load()
    with pytest.raises(InvalidConfig, match="has a knowledge graph already"):
        await book.fill(data)


def _rest(change: GraphChange) -> tuple[object, ...]:
    return change.facts, change.retired, change.moved, change.sources
