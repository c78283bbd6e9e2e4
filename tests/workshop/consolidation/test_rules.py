"""What is a contradiction and what only looks like one, rule by rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.workshop.consolidation.conflicts import compare_facts
from tests.workshop.graph.stories import read, scene

# Facts as front matter states them: file, story time of its scene, facts.
Said = list[tuple[str, str, list[dict[str, str]]]]


def fact(subject: str, predicate: str, target: str = "", **more: str) -> dict[str, str]:
    return {"subject": subject, "predicate": predicate, **({"object": target} if target else {}), **more}


def found(tmp_path: Path, *scenes: tuple[str, str, list[dict[str, str]]]) -> list[str]:
    for number, (name, time, facts) in enumerate(scenes):
        matter = [f"time: {time}"] if time else []
        rows = [f"  - {json.dumps(one)}" for one in facts]
        scene(tmp_path, name or f"s{number}", "\n".join([*matter, "facts:", *rows]), "They waited.")
    graph = read(tmp_path)[0]
    compared = compare_facts(graph, frozenset(one.id for one in graph.facts), ())
    return [one.rule for one in compared.findings]


def two(one: dict[str, str], other: dict[str, str], *times: str) -> Said:
    first, second = times or ("", "")
    return [("a", first, [one]), ("b", second, [other])]


DEAD, ALIVE = fact("Okoro", "is_dead"), fact("Okoro", "is_alive")
ROAD = fact("Rome", "road_to", "Milan", kind="location", value="3 days")
AT_ROME, AT_MILAN = fact("Ruth", "is_at", "Rome"), fact("Ruth", "is_at", "Milan")


@pytest.mark.parametrize(
    ("rule", "scenes"),
    [
        ("single_value", two(fact("E", "eye_colour", "green"), fact("E", "eye_colour", "blue"))),
        ("single_value", two(fact("E", "born_on", "1923-05"), fact("E", "born_on", "1924"), "1950", "1960")),
        ("single_value", two(fact("E", "married_to", "Ann"), fact("Eve", "married_to", "Ann"), "1950", "1960")),
        ("single_value", two(fact("E", "hair_colour", "black"), fact("E", "hair_colour", "red"), "1950", "1951")),
        ("single_value", two(fact("E", "fatal_flaw", "pride"), fact("E", "fatal_flaw", "trusts nobody"))),
        ("life", two(DEAD, ALIVE)),
        ("life", two(ALIVE, DEAD, "1951", "1950")),
        ("life", two(fact("Ruth", "killed", "Okoro"), fact("Okoro", "travels_to", "Milan"), "1950", "1951")),
        ("life", two(fact("Okoro", "died_on", "1940"), ALIVE, "1960", "1950")),
        ("life", two(fact("Okoro", "is_dead", **{"from": "earlier"}), ALIVE, "1950", "1951")),
        ("place", two(AT_ROME, AT_MILAN, "1950-01-02 21:00", "1950-01-02 21:00")),
        ("journey", [("r", "", [ROAD]), *two(AT_ROME, AT_MILAN, "1950-01-02", "1950-01-04")]),
        ("journey", [("r", "", [ROAD]), *two(AT_ROME, AT_MILAN, "Cycle 4, day 12", "Cycle 4, day 13")]),
        ("possession", two(fact("E", "owns", "the key"), fact("R", "owns", "the key"), "1950", "1951")),
        ("possession", two(fact("E", "owns", "the watch"), fact("Ruth", "owns", "the watch"))),
        ("relation", two(fact("E", "mother_of", "Ruth"), fact("Ruth", "parent_of", "E"), "1950", "1960")),
        ("relation", two(fact("E", "sibling_of", "Ruth"), fact("Ruth", "child_of", "E"))),
        ("relation", [("a", "", [fact("E", "friend_of", "Ruth"), fact("Ruth", "enemy_of", "E")])]),
        ("age", two(fact("E", "age", "41"), fact("E", "age", "38"))),
        ("age", two(fact("E", "age", "41"), fact("E", "age", "44"), "1950", "1951")),
        ("age", two(fact("E", "born_on", "1900"), fact("E", "age", "41"), "1950", "1950")),
        ("date", two(fact("E", "born_on", "1950"), fact("E", "died_on", "1940"))),
        ("date", [("a", "", [fact("E", "born_on", "1900"), fact("R", "born_on", "899"), fact("E", "mother_of", "R")])]),
    ],
)  # fmt: skip
def test_a_contradiction_is_found(tmp_path: Path, rule: str, scenes: Said) -> None:
    assert found(tmp_path, *scenes) == [rule]


@pytest.mark.parametrize(
    "scenes",
    [
        two(fact("E", "eye_colour", "blue"), fact("E", "eye_colour", "grey-blue")),
        two(fact("E", "eye_colour", "blaue"), fact("E", "eye_colour", "blue")),
        two(fact("E", "eye_colour", "hazel"), fact("E", "eye_colour", "brown")),
        two(fact("E", "eye_colour", "green"), fact("Ruth", "eye_colour", "blue")),
        two(fact("E", "eye_colour", "green"), fact("E", "eye_colour", "blue", modality="claimed", by="Ruth")),
        two(fact("E", "eye_colour", "green"), fact("E", "eye_colour", "blue", modality="dreamed", by="E")),
        two(fact("E", "eye_colour", "green"), fact("E", "eye_colour", "blue", modality="believed", by="E")),
        two(fact("E", "eye_colour", "green"), fact("E", "eye_colour", "blue", modality="planned")),
        two(fact("E", "hair_colour", "black"), fact("E", "hair_colour", "white"), "1920", "1960"),
        two(fact("E", "born_on", "1923-05"), fact("E", "born_on", "1923")),
        two(fact("E", "married_to", "Ann"), fact("Ann", "married_to", "E")),
        [("a", "", [fact("E", "married_to", "Okoro"), DEAD]), ("b", "", [fact("E", "married_to", "Paul")])],
        two(fact("E", "has_trait", "kind"), fact("E", "has_trait", "cruel")),
        two(ALIVE, DEAD),
        two(DEAD, ALIVE, "1951", "1950"),
        two(DEAD, fact("Okoro", "is_alive", **{"from": "earlier"})),
        two(DEAD, ALIVE, "1950", ""),
        two(DEAD, fact("Okoro", "is_at", "the morgue")),
        two(fact("Okoro", "is_dead", modality="claimed", by="Ruth"), ALIVE),
        [("a", "", [ALIVE, DEAD])],
        two(AT_ROME, AT_MILAN, "1950-01-02", "1950-01-02"),
        two(AT_ROME, AT_MILAN),
        [("r", "", [ROAD]), *two(AT_ROME, AT_MILAN, "1950-01-02", "1950-01-06")],
        [
            ("r", "", [ROAD, fact("the inn", "located_in", "Rome", kind="location")]),
            *two(AT_ROME, fact("Ruth", "is_at", "the inn"), "1950-01-02", "1950-01-02"),
        ],
        [
            ("c", "1952", [fact("Ruth", "receives", "the watch")]),
            *two(fact("E", "owns", "the watch"), fact("Ruth", "owns", "the watch"), "1950", "1952"),
        ],
        two(fact("E", "owns", "the watch", to="1949"), fact("Ruth", "owns", "the watch"), "1940", "1950"),
        [("a", "", [fact("Okoro", "owns", "the cat"), DEAD]), ("b", "", [fact("Ruth", "owns", "the cat")])],
        two(fact("E", "carries", "the watch"), fact("Ruth", "carries", "the watch")),
        two(fact("E", "friend_of", "Ruth"), fact("E", "enemy_of", "Ruth")),
        two(fact("E", "loves", "Ruth"), fact("E", "hates", "Paul"), "1950", "1950"),
        two(fact("E", "age", "41"), fact("E", "age", "44")),
        two(fact("E", "age", "6"), fact("E", "age", "24"), "1871", "1889"),
        two(fact("E", "age", "41"), fact("E", "age", "forty-one or so")),
        two(fact("E", "age", "41"), fact("E", "age", "38"), "scene 4", "scene 9"),
    ],
)
def test_what_only_looks_like_one_is_left_alone(tmp_path: Path, scenes: Said) -> None:
    assert found(tmp_path, *scenes) == []


def told(tmp_path: Path, meeting: str) -> list[str]:
    secret = "the will is hidden in the clock"
    scene(tmp_path, "s1", f"cast: [Ann, Bea]\nfacts:\n  - {json.dumps(fact('Ann', 'knows', secret))}", "x")
    if meeting:
        scene(tmp_path, "s2", meeting, "y")
    scene(tmp_path, "s3", f"cast: [Carl]\nfacts:\n  - {json.dumps(fact('Carl', 'knows', secret))}", "z")
    graph = read(tmp_path)[0]
    return [one.rule for one in compare_facts(graph, frozenset(one.id for one in graph.facts), ()).findings]


def test_nobody_knows_what_nobody_told_them(tmp_path: Path) -> None:
    assert told(tmp_path / "alone", "cast: [Carl, Dan]") == ["knowledge"]
    assert told(tmp_path / "met", "cast: [Bea, Carl]") == []
    letter = json.dumps(fact("Ann", "loves", "Carl", modality="claimed", by="Ann"))
    assert told(tmp_path / "letter", f"cast: [Carl]\nfacts:\n  - {letter}") == []
    assert told(tmp_path / "unrecorded", "title: Somewhere") == []
    assert told(tmp_path / "soon", "") == ["knowledge"]


def test_only_new_facts_are_compared_and_the_old_one_stands(tmp_path: Path) -> None:
    scene(tmp_path, "a", f"facts:\n  - {json.dumps(fact('E', 'eye_colour', 'green'))}", "x")
    scene(tmp_path, "b", f"facts:\n  - {json.dumps(fact('E', 'eye_colour', 'blue'))}", "y")
    graph = read(tmp_path)[0]
    green, blue = (one for one in graph.facts if one.predicate == "eye_colour")
    assert compare_facts(graph, frozenset(), ()).findings == ()
    for new, old in ((blue, green), (green, blue)):
        compared = compare_facts(graph, frozenset({new.id}), ())
        assert [(one.old.id, one.new.id) for one in compared.findings] == [(old.id, new.id)]
        assert compared.aside == {new.id}
