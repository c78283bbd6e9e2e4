"""Questions to the graph: who matters, how two are connected, what is near a scene, who knows what, who met whom."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidSettings, NotFound
from dramaturg.workshop.graph.network import StoryNetwork
from dramaturg.workshop.graph.story_time import circle_in, compared, overlap
from tests.workshop.graph.stories import named, read, scene, the_book


@pytest.fixture
def network(tmp_path: Path) -> StoryNetwork:
    return StoryNetwork(read(the_book(tmp_path))[0])


def known(network: StoryNetwork, who: str, at: str = "") -> set[tuple[str, str]]:
    """How a character knows what, without the facts about scenes."""
    found = network.knowledge(named(network.graph, who).id, at)
    return {(one.way, one.fact.predicate) for one in found if one.fact.predicate not in SCENES}


SCENES = ("present_at", "takes_place_at", "happens_at", "shows")


def test_the_one_whom_all_meet_is_the_most_central(tmp_path: Path) -> None:
    for number, other in enumerate(["Ann", "Ben", "Cid", "Dee"]):
        scene(tmp_path, f"s{number}", f"cast: [Hub, {other}]")
    ranks = StoryNetwork(read(tmp_path)[0]).ranks()
    assert ranks[0].entity.name == "Hub"
    assert sum(one.rank for one in ranks) == pytest.approx(1)
    assert {round(one.rank, 6) for one in ranks[1:]} == {round(ranks[1].rank, 6)}


def test_a_graph_without_anyone_has_no_ranks() -> None:
    from dramaturg.workshop.graph.values import StoryGraph

    assert StoryNetwork(StoryGraph()).ranks() == ()


def test_a_path_names_the_facts_on_the_way(network: StoryNetwork) -> None:
    graph = network.graph
    steps = network.path(named(graph, "the Meridian").id, named(graph, "Elena").id)
    assert [(one.start.name, one.end.name) for one in steps] == [
        ("the Meridian", "Marcus"),
        ("Marcus", "Elena"),
    ]
    assert steps[0].facts[0].predicate == "owns"
    assert network.path(named(graph, "Elena").id, named(graph, "Elena").id) == ()


def test_two_whom_nothing_connects_have_no_path(tmp_path: Path) -> None:
    scene(tmp_path, "a", "cast: [Elena]")
    scene(tmp_path, "b", "cast: [Ruth]")
    graph, _ = read(tmp_path)
    with pytest.raises(NotFound, match="Nothing that is known connects Elena and Ruth"):
        StoryNetwork(graph).path(named(graph, "Elena").id, named(graph, "Ruth").id)


def test_around_a_scene_the_nearest_comes_first(network: StoryNetwork) -> None:
    near = network.around(named(network.graph, "ch01-sc01").id)
    distances = [one.distance for one in near]
    assert distances == sorted(distances)
    by_predicate = {one.fact.predicate: one.distance for one in reversed(near)}
    assert by_predicate["takes_place_at"] < by_predicate["owns"] < by_predicate["knows"]
    assert network.around(named(network.graph, "ch01-sc01").id, reach=0.5) == tuple(
        one for one in near if one.distance == 0
    )


def test_who_was_there_knows_what_was_narrated_and_has_heard_what_was_claimed(network: StoryNetwork) -> None:
    assert known(network, "Elena", "manuscript/ch01-sc01.md") == {
        ("witnessed", "owns"),
        ("heard", "described_as"),
        ("witnessed", "has_trait"),
    }
    assert known(network, "Marcus") == {("witnessed", "owns"), ("holds", "described_as")}


def test_nobody_knows_what_another_keeps_in_mind(network: StoryNetwork) -> None:
    assert ("knows", "knows") in known(network, "Ruth")
    assert "knows" not in {predicate for _, predicate in known(network, "Marcus")}


def test_a_flashback_that_is_read_later_is_remembered_and_nothing_later_is_known_in_it(network: StoryNetwork) -> None:
    assert ("witnessed", "has_trait") in known(network, "Elena", "manuscript/ch01-sc01.md")
    assert known(network, "Elena", "manuscript/ch10-sc01.md") == {("witnessed", "has_trait")}


def test_without_story_time_a_place_in_the_book_is_one_of_reading_order(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        scene(
            tmp_path,
            f"s{number}",
            f"cast: [Ann]\nfacts:\n  - {{subject: Ann, predicate: has_trait, object: t{number}}}",
        )
    network = StoryNetwork(read(tmp_path)[0])
    ann = named(network.graph, "Ann").id
    values = [one.fact.value for one in network.knowledge(ann, "manuscript/s2.md") if one.fact.value]
    assert values == ["t1", "t2"]


def test_retired_facts_are_neither_known_nor_on_a_path(network: StoryNetwork) -> None:
    graph = network.graph
    gone = replace(graph, facts=tuple(replace(one, retired_at=9.0) for one in graph.facts))
    with pytest.raises(NotFound):
        StoryNetwork(gone).path(named(graph, "Elena").id, named(graph, "Marcus").id)
    assert StoryNetwork(gone).knowledge(named(graph, "Elena").id) == ()


def test_who_was_together_when(network: StoryNetwork) -> None:
    graph = network.graph
    (meeting,) = network.meetings(named(graph, "Marcus").id, named(graph, "Elena").id)
    assert (meeting.scene.name, meeting.time_from) == ("ch01-sc01", "2190-05-04")
    assert [one.name for one in meeting.cast] == ["Elena", "Marcus"]
    assert [one.scene.name for one in network.meetings(named(graph, "Marcus").id)] == ["ch01-sc01", "ch02-sc01"]


def test_a_missing_extra_is_one_clear_sentence(network: StoryNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rustworkx", None)
    with pytest.raises(InvalidSettings, match=r"needs rustworkx: pip install '\.\[workshop\]'"):
        network.ranks()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("2190-05-04", "2190-05-06", -1),
        ("2190", "2190-05", 0),
        ("12", "7", 1),
        ("-44", "12", -1),
        ("44 BC", "12 BC", -1),
        ("Cycle 4, day 12", "Cycle 4, Day 9", 1),
        ("Third Age 3019-03-25", "Third Age 3018-12-01", 1),
        ("Third Age 1", "Second Age 9", None),
        ("dusk", "dawn", None),
        ("dusk", "dusk", None),
        ("", "12", None),
    ],
)
def test_story_times_of_one_form_have_an_order(one: str, other: str, expected: int | None) -> None:
    assert compared(one, other) == expected


def test_spans_overlap_unless_one_ends_before_the_other_begins() -> None:
    assert overlap(("1", "4"), ("4", "")) is True
    assert overlap(("1", "3"), ("4", "")) is False
    assert overlap(("dusk", "dawn"), ("4", "5")) is None


def test_a_circle_is_found_in_a_long_chain() -> None:
    chain = {str(number): [str(number + 1)] for number in range(5000)}
    assert circle_in(chain) == ()
    assert circle_in({**chain, "5000": ["4998"]}) == ("4998", "4999", "5000", "4998")
