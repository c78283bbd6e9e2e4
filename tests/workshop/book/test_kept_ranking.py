"""An index that is kept and changed ranks as one that is made anew, and as the plain ranking does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.text.bm25 import bm25
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.ranked_knowledge import Knowledge, Place
from dramaturg.workshop.book.retrieval import KnowledgeIndex
from dramaturg.workshop.book.word_index import WordIndex
from tests.workshop.book.plain_ranking import plainly_ranked

WORDS = ("lamp", "mill", "ferry", "well", "bell", "flaw")
SAID = st.lists(st.sampled_from(WORDS), max_size=4)
KINDS = ("fact", "preference", "correction", "continuity")
ENTRIES = st.builds(
    KnowledgeEntry,
    category=st.sampled_from(["character", "constraint", "world", "structure", "preference"]),
    kind=st.sampled_from(["fact", "fact", *KINDS]),
    key=st.lists(st.sampled_from([*WORDS, "1", "2"]), min_size=1, max_size=3).map("_".join),
    value=SAID.map(" ".join),
    at=st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.5]),
)
PLACES = st.tuples(st.integers(0, 2), st.integers(0, 9))
Change: TypeAlias = Mapping[Place, KnowledgeEntry | None]
CHANGES = st.lists(st.dictionaries(PLACES, ENTRIES | st.none(), max_size=12), min_size=1, max_size=5)


@st.composite
def with_core(draw: st.DrawFn) -> list[Change]:
    """Changes in which some facts are of the protagonist's core, and None takes an entry away."""
    return [
        {
            place: one.model_copy(update={"is_core": one.kind == "fact" and draw(st.integers(0, 9)) == 0})
            if one
            else None
            for place, one in change.items()
        }
        for change in draw(CHANGES)
    ]


@given(st.lists(st.dictionaries(st.integers(0, 9), SAID | st.none(), max_size=6), min_size=1, max_size=6), SAID)
def test_the_scores_of_a_kept_word_index_are_those_of_plain_bm25(
    changes: list[dict[int, list[str] | None]], query: list[str]
) -> None:
    index, texts = WordIndex[int](), dict[int, list[str]]()
    for change in changes:
        for name, words in change.items():
            if texts.pop(name, None) is not None:
                index.remove(name)
            if words is not None:
                texts[name] = words
                index.add(name, words)
        scores = index.scores(query)
        assert [scores.get(name, 0.0) for name in texts] == bm25(list(texts.values()), query)


@given(with_core(), SAID, st.integers(0, 12))
def test_a_kept_index_ranks_as_the_plain_ranking_whatever_came_and_went(
    changes: list[Change], about: list[str], most: int
) -> None:
    index, held = KnowledgeIndex(), dict[Place, KnowledgeEntry]()
    said = " ".join(about)
    rankings = []
    for change in changes:
        new = {place: one for place, one in change.items() if one is not None}
        index.change([place for place in change if place in held], new)
        held = {place: one for place, one in (held | change).items() if one is not None}
        wanted = plainly_ranked([held[place] for place in sorted(held)], said)
        rankings.append((index.ranked(said), wanted))
    for ranked, wanted in rankings:  # one that was made before later changes stays as it was
        assert list(map(id, ranked)) == list(map(id, wanted))
        plain = Knowledge(wanted)
        assert (len(ranked), ranked[:most]) == (len(plain), plain[:most])
        assert ranked.core(most) == plain.core(most)
        for kinds in (("fact",), ("correction",), ("preference", "continuity"), KINDS):
            assert ranked.first(most, *kinds) == plain.first(most, *kinds)
