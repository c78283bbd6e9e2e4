"""The front of the graph where the world is against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import InvalidConfig, NotFound, StoreUnavailable
from dramaturg.kernel.store import Store
from dramaturg.workshop.graph.front import BookGraph
from dramaturg.workshop.graph.store import GraphStore
from dramaturg.workshop.graph.values import GraphChange, StoryGraph
from tests.workshop.graph.stories import read, scene, the_book, write


class ReadOnlyStore(GraphStore):
    """A store whose disk cannot be written."""

    async def apply(self, change: GraphChange, last: tuple[int, int], at: float) -> bool:
        raise StoreUnavailable("The disk is read-only.")


async def test_with_a_store_that_cannot_be_written_the_graph_answers_and_says_so(
    local_store: Store, tmp_path: Path
) -> None:
    store = ReadOnlyStore(local_store.database, "main")
    book = BookGraph(store, the_book(tmp_path), StillClock())
    ranks = await book.characters()
    assert [one.entity.name for one in ranks.characters] == ["Elena", "Marcus", "Ruth"]
    assert "it is not saved" in ranks.problems[-1]
    assert await store.load() == StoryGraph()


async def test_an_alias_of_two_asks_for_the_number(local_store: Store, tmp_path: Path) -> None:
    for name in ("Elena", "Ruth"):
        write(tmp_path, f"story-bible/{name}.md", f"---\nkind: character\nname: {name}\naliases: the widow\n---\n")
    book = BookGraph(GraphStore(local_store.database, "main"), tmp_path, StillClock())
    with pytest.raises(InvalidConfig, match=r"several: #1 Elena \(character\), #2 Ruth \(character\)"):
        await book.who("The Widow")
    assert (await book.who("#2")).entity.name == "Ruth"
    with pytest.raises(NotFound):
        await book.who("#99")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[1",
        b"<graphml",
        b"\xff<",
        b'<!DOCTYPE x [<!ENTITY a "b">]><graphml/>',
        b'<graphml><graph><node id="n0"/></graph></graphml>',
        b'{"format": "dramaturg-graph", "version": 1, "entities": [{"id": 1}]}',
        b'{"format": "dramaturg-graph", "version": 1, "entities": [{"id": 1, "kind": "event", "name": "a", '
        b'"merged_into": 1}]}',
        b'{"format": "dramaturg-graph", "version": 1, "facts": [{"id": 1, "subject": 4, "predicate": "knows"}]}',
    ],
)
async def test_a_file_that_is_no_graph_is_refused_and_nothing_is_stored(
    local_store: Store, tmp_path: Path, data: bytes
) -> None:
    store = GraphStore(local_store.database, "main")
    with pytest.raises(InvalidConfig):
        await BookGraph(store, tmp_path, StillClock()).fill(data)
    assert await store.load() == StoryGraph()


def test_links_out_of_the_project_and_folders_named_like_scenes_are_not_read(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "secret.md"
    outside.write_text("---\ncast: [Intruder]\n---\n", encoding="utf-8")
    scene(project, "a", "cast: [Elena]")
    (project / "manuscript" / "link.md").symlink_to(outside)
    (project / "manuscript" / "folder.md").mkdir()
    graph, intake = read(project)
    assert [one.name for one in graph.entities if one.kind == "character"] == ["Elena"]
    assert len(intake.problems) == 2
