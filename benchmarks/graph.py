"""The knowledge graph at 100,000 facts: CPU seconds and memory, beside plain networkx in the same run."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx

from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import open_store
from dramaturg.workshop.consolidation.conflicts import compare_facts
from dramaturg.workshop.graph.network import REACH, StoryNetwork
from dramaturg.workshop.graph.predicates import PREDICATES
from dramaturg.workshop.graph.store import GraphStore
from dramaturg.workshop.graph.values import Entity, Fact, SourceFile, StoryGraph

SIZES = (25_000, 50_000, 100_000)
PREDICATE = ("present_at", "present_at", "mentioned_in", "knows", "owns", "has_trait", "friend_of")


def story(facts: int) -> StoryGraph:
    """A long series of books: 200 facts for each scene, half as many characters as scenes."""
    chance, scenes = random.Random(7), max(1, facts // 200)
    characters = max(2, scenes // 2)
    entities = [Entity(number, "character", f"Person {number}") for number in range(1, characters + 1)]
    entities += [Entity(characters + number, "event", f"s{number:05}") for number in range(1, scenes + 1)]
    sources = [SourceFile(f"manuscript/s{number:05}.md", "x", number) for number in range(1, scenes + 1)]
    told = []
    for number in range(1, facts + 1):
        scene, predicate = 1 + number % scenes, chance.choice(PREDICATE)
        # Mostly people of the same volume, as in a book.
        near = 1 + (scene // 2 + int(chance.gauss(0, 8))) % characters
        other = 1 + (near + int(chance.gauss(0, 8))) % characters
        target = characters + scene if predicate in ("present_at", "mentioned_in") else other
        told.append(
            Fact(
                number, near, predicate, target if predicate != "has_trait" else None, "x",
                file=f"manuscript/s{scene:05}.md", quote="They stood at the rail and said nothing.",
            )
        )  # fmt: skip
    return StoryGraph(tuple(entities), tuple(told), tuple(sources))


def plain_networkx(graph: StoryGraph) -> nx.MultiGraph:
    """The same network as one would build it with networkx."""
    network = nx.MultiGraph()
    network.add_nodes_from(one.id for one in graph.entities)
    for fact in graph.current:
        if fact.object is not None and fact.object != fact.subject:
            network.add_edge(fact.subject, fact.object, fact=fact, distance=PREDICATES[fact.predicate].distance)
    return network


def measured(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU seconds without, and the most memory in MB with, the tracing of memory."""
    began = time.process_time()
    result = work()
    took = time.process_time() - began
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return took, peak / 1e6, result


async def _loaded(folder: Path, graph: StoryGraph) -> tuple[float, float]:
    """The CPU seconds to store and to load a graph."""
    store = await open_store(Settings(project=folder))
    try:
        graphs = GraphStore(store.database, "main")
        began = time.process_time()
        await graphs.fill(graph)
        stored = time.process_time() - began
        began = time.process_time()
        loaded = await graphs.load()
        took = time.process_time() - began
    finally:
        await store.close()
    if loaded != graph:
        raise SystemExit("The graph that was loaded is not the one that was stored.")
    return stored, took


def main() -> None:
    print("| facts | work | ours, s | networkx, s | ours, MB | networkx, MB |")
    print("|--:|---|--:|--:|--:|--:|")
    for size in SIZES:
        graph = story(size)
        with tempfile.TemporaryDirectory() as folder:
            stored, loaded = asyncio.run(_loaded(Path(folder), graph))
        print(f"| {size} | stored in SQLite | {stored:.2f} | – | – | – |")
        print(f"| {size} | loaded from SQLite | {loaded:.2f} | – | – | – |")
        for name, ours, theirs in _works(graph):
            mine, other = measured(ours), measured(theirs)
            print(f"| {size} | {name} | {mine[0]:.3f} | {other[0]:.3f} | {mine[1]:.1f} | {other[1]:.1f} |")


def _works(graph: StoryGraph) -> list[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    scene = next(one.id for one in reversed(graph.entities) if one.kind == "event")
    held = StoryNetwork(graph)
    held.path(1, scene)
    theirs = plain_networkx(graph)

    def build() -> object:
        return StoryNetwork(StoryGraph(graph.entities, graph.facts, graph.sources)).path(1, 1)

    def around() -> object:
        lengths = nx.single_source_dijkstra_path_length(theirs, scene, cutoff=REACH, weight="distance")
        return [fact for one, other, fact in theirs.edges(lengths, data="fact") if one in lengths and other in lengths]

    last = graph.facts[-1].file
    new = frozenset(fact.id for fact in graph.facts if fact.file == last)

    def contradicted() -> object:
        """The same with networkx, for possession alone: every two facts about one object."""
        fresh = [fact for _, _, fact in theirs.edges(data="fact") if fact.id in new and fact.predicate == "owns"]
        return [
            (fact, old)
            for fact in fresh
            for _, _, old in theirs.edges(fact.object, data="fact")
            if old.predicate == "owns" and old.object == fact.object and old.subject != fact.subject
        ]

    def knowledge() -> object:
        there = {fact.file for _, _, fact in theirs.edges(1, data="fact") if fact.predicate == "present_at"}
        return [fact for _, _, fact in theirs.edges(data="fact") if fact.file in there]

    return [
        ("built in memory", build, lambda: plain_networkx(graph)),
        ("PageRank", held.ranks, lambda: _pagerank(theirs)),
        ("scene subgraph", lambda: held.around(scene), around),
        ("who knows what", lambda: held.knowledge(1), knowledge),
        ("conflict check of a new scene", lambda: compare_facts(graph, new, ()), contradicted),
    ]


def _pagerank(network: nx.MultiGraph) -> object:
    """networkx's own PageRank needs scipy; this is the same iteration over its graph."""
    ranks = dict.fromkeys(network, 1 / len(network))
    weights = {one: sum(1 / data["distance"] for _, _, data in network.edges(one, data=True)) for one in network}
    for _ in range(100):
        spread = dict.fromkeys(network, 0.15 / len(network))
        for one, rank in ranks.items():
            for _, other, distance in network.edges(one, data="distance"):
                spread[other] += 0.85 * rank / distance / weights[one]
        moved = sum(abs(spread[one] - ranks[one]) for one in network)
        ranks = spread
        if moved < 1e-6 * len(network):
            break
    return ranks
