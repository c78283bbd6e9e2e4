"""B1 to C2 and the two of continuity: flaw, cast, symbols, theme, names, props."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.workshop.graph.values import Entity, StoryGraph
from dramaturg.workshop.health import cast_function, flaw_challenge, name_drift, props, symbols, theme
from dramaturg.workshop.health.name_drift import distance
from tests.workshop.graph.stories import scene, write
from tests.workshop.health.shelf import a_book, read_book, scenes


def test_a_flaw_left_in_peace_is_found_with_the_last_challenge() -> None:
    hits = [False, True, *[False] * 7, True]
    found = flaw_challenge.look(a_book(scenes(10, challenge=hits))).findings
    assert [one.severity for one in found] == ["warning"]
    assert "not challenged in 7 scenes, 70% of the book" in found[0].text
    assert "Last challenge: ch02-sc01" in found[0].text


def test_a_flaw_that_nothing_challenges_is_critical() -> None:
    found = flaw_challenge.look(a_book(scenes(6, challenge=[False] * 6))).findings
    assert [(one.severity, one.subject) for one in found] == [("critical", "Ines")]


def test_the_end_must_ask_for_what_the_flaw_forbids() -> None:
    hits, beats = [False, True, False, False, True, False, False, False], [*[None] * 7, "Final image"]
    found = flaw_challenge.look(a_book(scenes(8, challenge=hits, beat=beats))).findings
    assert ["last quarter" in one.text for one in found] == [True]


def test_silence_is_no_proof() -> None:
    assert flaw_challenge.look(a_book(scenes(6))).status == "cannot_tell"
    mostly_silent = [True, *[None] * 8, True]
    assert [one.severity for one in flaw_challenge.look(a_book(scenes(10, challenge=mostly_silent))).findings] == [
        "info"
    ]
    assert flaw_challenge.look(a_book(scenes(3), flaw="")).status == "cannot_tell"


def test_someone_of_whom_nothing_depends_is_named_and_what_depends_on_the_others_is_told() -> None:
    cast = [["Ines", "Tom", "Bo"], ["Ines", "Tom", "Bo", "Al"], ["Ines", "Tom"], ["Ines", "Bo", "Al", "Tom"]]
    found = cast_function.look(a_book(scenes(4, cast=cast)))
    assert [one.subject for one in found.findings] == ["Al", "Bo"]
    assert "Tom: ch03-sc01 is between two, and they are one of them" in found.details
    assert cast_function.look(a_book(scenes(4))).status == "cannot_tell"


def test_someone_who_is_only_named_is_not_there(tmp_path: Path) -> None:
    write(tmp_path, "story-bible/tom.md", "---\nkind: character\nname: Tom\n---\n")
    for number in range(1, 5):
        scene(tmp_path, f"ch0{number}-sc01", "tension: 3", "They spoke of Tom, and of Tom again.")
    assert cast_function.look(read_book(tmp_path)).status == "cannot_tell"


@pytest.mark.parametrize(
    ("shown", "severity", "words"),
    [
        ([0], "info", "seen once"),
        ([0, 2], "warning", "never after"),
        ([9], "info", "seen once"),
        ([8, 9], None, ""),
        ([0, 5, 9], None, ""),
    ],
)
def test_symbols_are_followed_over_the_whole_book(shown: list[int], severity: str | None, words: str) -> None:
    held = [["the compass"] if at in shown else [] for at in range(10)]
    found = symbols.look(a_book(scenes(10, symbols=held))).findings
    assert [one.severity for one in found] == ([severity] if severity else [])
    assert all(words in one.text for one in found)


def test_a_symbol_that_is_declared_and_never_shown_is_found() -> None:
    graph = StoryGraph((Entity(1, "symbol", "the owl", source="story-bible/owl.md"),))
    found = symbols.look(a_book(scenes(5), graph=graph)).findings
    assert [(one.subject, one.files) for one in found] == [("the owl", ("story-bible/owl.md",))]


def test_the_theme_must_not_be_silent_for_half_of_the_book_nor_at_its_end() -> None:
    levels = [7.0, *[0.0] * 8, 1.0]
    found = theme.look(a_book(scenes(10, resonance=levels, beat=[*[None] * 9, "Finale"]))).findings
    assert {one.subject for one in found} == {"ch02-sc01 to ch10-sc01", "the end"}
    assert theme.look(a_book(scenes(10), theme="")).status == "cannot_tell"
    assert "overrides" in theme.look(a_book(scenes(10))).missing


def test_the_writers_number_overrides_what_a_model_read(tmp_path: Path) -> None:
    scene(tmp_path, "ch01-sc01", "resonance: 9", "A sentence.")
    record = read_book(tmp_path).records[0]
    assert record.resonance is not None
    assert (record.resonance.value, record.resonance.evidence.quote) == (9.0, "resonance: 9")


def test_a_name_that_is_spelled_otherwise_once_is_found_with_its_line(tmp_path: Path) -> None:
    scene(
        tmp_path, "ch01-sc01", "cast: [Katharina, Tom]", "Then Katharina came. So Katharina sat. And Katharina spoke."
    )
    scene(tmp_path, "ch02-sc01", "cast: [Katharina]", "At last Katherina left.\n\nKatharinas Mantel blieb.")
    found = name_drift.look(read_book(tmp_path)).findings
    assert [(one.subject, one.evidence[0].quote) for one in found] == [("Katharina", "At last Katherina left.")]
    assert "“Katherina” is written once, “Katharina” 3 times" in found[0].text


def test_two_people_with_like_names_and_common_words_are_no_drift(tmp_path: Path) -> None:
    prose = "So Jana and Jane met Will. Jana laughed, and Jane too. Jana left. They Well knew. Wills came; Jane sat."
    scene(tmp_path, "ch01-sc01", "cast: [Jana, Jane, Will]", prose)
    assert name_drift.look(read_book(tmp_path)).findings == ()


@pytest.mark.parametrize(("one", "other", "far"), [("tobias", "tobais", 1), ("hanna", "hannah", 1), ("abc", "xyz", 3)])
def test_the_distance_of_two_spellings(one: str, other: str, far: int) -> None:
    assert distance(one, other) == far


def test_a_prop_that_vanishes_is_found_and_one_that_returns_is_not() -> None:
    held = [["the knife", "the lamp"], ["the knife"], ["the lamp"], [], [], [], [], ["the lamp"]]
    found = props.look(a_book(scenes(8, objects=held))).findings
    assert [one.subject for one in found] == ["the knife"]
    assert props.look(a_book(scenes(8))).status == "cannot_tell"
