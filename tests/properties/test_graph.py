"""Laws of the knowledge graph: nothing is lost, whatever is done."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.graph.exchange import from_graphml, from_json, to_graphml, to_json
from dramaturg.workshop.graph.story_time import compared, overlap
from dramaturg.workshop.graph.values import StoryGraph
from tests.workshop.graph.graphs import changes, graphs, texts


@given(graphs())
def test_what_is_exported_as_json_is_imported_without_loss(graph: StoryGraph) -> None:
    assert from_json(to_json(graph)) == graph


@given(graphs())
def test_what_is_exported_as_graphml_is_imported_without_loss(graph: StoryGraph) -> None:
    assert from_graphml(to_graphml(graph)) == graph


@given(graphs().flatmap(lambda graph: st.tuples(st.just(graph), changes(graph))))
def test_no_fact_vanishes_and_no_fact_changes_but_to_be_retired(drawn: tuple[StoryGraph, object]) -> None:
    graph, change = drawn
    after = graph.changed(change, 5.0)  # type: ignore[arg-type]
    by_id = {one.id: one for one in after.facts}
    for fact in graph.facts:
        kept = by_id[fact.id]
        assert kept == fact or kept == replace(fact, retired_at=5.0)
        assert fact.holds or kept == fact
    assert len(by_id) == len(after.facts) == len(graph.facts) + len(change.facts)  # type: ignore[attr-defined]


@given(graphs(fewest=2), st.data())
def test_merging_and_splitting_again_restores_the_graph(graph: StoryGraph, data: st.DataObject) -> None:
    roots = sorted({graph.roots[one.id] for one in graph.entities})
    if len(roots) < 2:
        return
    one, other = data.draw(st.permutations(roots))[:2]
    merged = _pointing(graph, one, other)
    assert merged.roots[one] == merged.roots[other] == other
    assert merged.facts == graph.facts
    assert _pointing(merged, one, None) == graph


@given(texts | st.from_regex(r"[a-z ]{0,6}-?\d{1,4}(-\d{1,2}){0,2}", fullmatch=True), st.data())
def test_story_times_are_compared_the_same_from_both_sides(one: str, data: st.DataObject) -> None:
    other = data.draw(st.just(one) | st.from_regex(r"[a-z ]{0,6}-?\d{1,4}(-\d{1,2}){0,2}", fullmatch=True))
    back = compared(other, one)
    assert compared(one, other) == (None if back is None else -back)
    assert overlap((one, ""), (other, "")) is True


def _pointing(graph: StoryGraph, entity: int, into: int | None) -> StoryGraph:
    entities = tuple(replace(one, merged_into=into) if one.id == entity else one for one in graph.entities)
    return replace(graph, entities=entities)
