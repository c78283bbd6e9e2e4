"""Any graph at all, for the laws."""

from __future__ import annotations

from hypothesis import strategies as st

from dramaturg.workshop.graph.predicates import PREDICATES
from dramaturg.workshop.graph.values import Entity, Fact, GraphChange, SourceFile, StoryGraph

KINDS = ("character", "location", "event", "theme", "symbol", "rule", "object")
MODALITIES = ("narrated", "claimed", "believed", "dreamed", "planned")
# Characters that files get wrong: line endings, backslashes, markup, controls, other scripts.
texts = st.text(st.sampled_from("aZ \t\n\r\\u0&<>\"'\x01\x0b\x85\ufffe\u2028é火🎭;]"), max_size=12)
moments = st.floats(0, 1e12)


@st.composite
def graphs(draw: st.DrawFn, fewest: int = 0) -> StoryGraph:
    """Entities of which some are merged, facts of which some are retired, and files."""
    count = draw(st.integers(fewest, 6))
    entities = [
        Entity(
            number,
            draw(st.sampled_from(KINDS)),
            draw(texts),
            tuple(draw(st.lists(texts, max_size=2))),
            draw(st.none() | st.integers(1, number - 1)) if number > 1 else None,
            draw(texts),
            draw(moments),
            draw(st.booleans()),
        )
        for number in range(1, count + 1)
    ]
    facts = [draw(facts_of(number, count)) for number in range(1, draw(st.integers(0, 6)) + 1)] if count else []
    paths = draw(st.lists(texts, max_size=3, unique=True))
    sources = [SourceFile(path, draw(texts), draw(st.integers(-1, 9))) for path in sorted(paths)]
    return StoryGraph(tuple(entities), tuple(facts), tuple(sources))


def facts_of(number: int, entities: int) -> st.SearchStrategy[Fact]:
    some = st.integers(1, entities)
    return st.builds(
        Fact,
        st.just(number),
        some,
        st.sampled_from(sorted(PREDICATES)),
        st.none() | some,
        texts,
        st.sampled_from(MODALITIES),
        st.none() | some,
        texts,
        texts,
        texts,
        st.integers(0, 99),
        st.integers(0, 9999),
        texts,
        texts,
        moments,
        st.none() | moments,
        st.booleans(),
    )


@st.composite
def changes(draw: st.DrawFn, graph: StoryGraph) -> GraphChange:
    """A change to a graph: new ones, facts about old and new ones, and facts to retire."""
    fresh = [
        Entity(-number, draw(st.sampled_from(KINDS)), draw(texts), source=draw(texts))
        for number in range(1, draw(st.integers(0, 3)) + 1)
    ]
    ids = [*(one.id for one in graph.entities), *(one.id for one in fresh)]
    facts = [
        Fact(0, draw(st.sampled_from(ids)), "knows", draw(st.none() | st.sampled_from(ids)), draw(texts))
        for _ in range(draw(st.integers(0, 4)) if ids else 0)
    ]
    retired = draw(st.lists(st.sampled_from([one.id for one in graph.facts]), unique=True)) if graph.facts else []
    return GraphChange(tuple(fresh), None, tuple(facts), tuple(retired))
