"""Which decisions come first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.ranked_knowledge import PLACES
from dramaturg.workshop.book.retrieval import ranked
from tests.workshop.books import entry

FLAW = entry(1, "mickey_fatal_flaw", "Mickey's fatal flaw is pride")


@pytest.mark.parametrize("category", ["structure", "world", "preference", "voice", "character", "constraint"])
def test_200_scene_decisions_never_push_out_mickeys_fatal_flaw_is_pride(category: str) -> None:
    scenes = [
        entry(n, f"scene_{n}_mickey", f"In scene {n} Mickey leaves O'Malley's by door {n}", category)
        for n in range(2, 202)
    ]
    order = ranked([FLAW, *scenes], "Let us write the scene where Mickey leaves O'Malley's by door 77")
    assert FLAW in order[:2]
    assert len(order) == 201


def test_a_flood_of_foundations_leaves_room_for_what_is_new() -> None:
    many = [entry(n, f"rule_{n}", f"A hard rule number {n}", "constraint") for n in range(2, 100)]
    fresh = entry(200, "midpoint_type", "A false victory", "structure")
    order = ranked([FLAW, *many, fresh], "the midpoint")
    assert order[3] == fresh


def test_the_nearest_comes_first_and_then_the_newest() -> None:
    docks = entry(1, "docks", "The docks close at dusk", "world")
    ships = entry(2, "ships", "Ships forget their pilots", "world")
    rain = entry(3, "rain", "It rains on Tuesdays", "world")
    assert ranked([docks, ships, rain], "When do the docks close?")[0] == docks
    assert tuple(ranked([docks, ships, rain], "Hello")) == (rain, ships, docks)


def test_a_correction_stands_before_what_it_corrects() -> None:
    gun = entry(1, "elena_gun", "Elena carries her father's gun", "character")
    lost = entry(2, "elena_gun_lost", "Chapter 3: Elena lost her gun", "world", "correction")
    order = ranked([gun, lost, FLAW], "Elena draws her gun")
    assert order.index(lost) < order.index(gun)


def test_words_without_meaning_make_nothing_relevant() -> None:
    rules = [entry(n, f"rule_{n}", "The end and the beginning of it", "world") for n in range(2)]
    assert tuple(ranked(rules, "the and of it")) == tuple(ranked(rules, "")) == (rules[1], rules[0])


DECISIONS = st.lists(
    st.tuples(
        st.sampled_from(["character", "constraint", "world", "structure", "preference", "voice"]),
        st.sampled_from(["fact", "correction", "preference"]),
        st.text("ab_", min_size=1, max_size=6),
        st.text(min_size=1, max_size=20),
    ),
    max_size=30,
).map(
    lambda drawn: [
        KnowledgeEntry(decision=n, category=c, kind=k, key=key, value=v, at=float(n))
        for n, (c, k, key, v) in enumerate(drawn)
    ]
)


@given(DECISIONS, st.text(max_size=40))
def test_nothing_is_lost_in_ranking_and_foundations_keep_their_places(drawn: list[KnowledgeEntry], about: str) -> None:
    order = ranked(drawn, about)
    assert sorted(one.decision for one in order) == [one.decision for one in drawn]
    plain = ranked([one for one in drawn if one.kind != "correction"], about)
    founding = [one for one in plain if one.category in ("character", "constraint")]
    wanted = min(len(founding), sum(PLACES[n % 5] for n in range(5)))
    assert sum(one in founding for one in plain[:5]) >= wanted
