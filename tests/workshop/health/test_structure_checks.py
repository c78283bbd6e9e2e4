"""A1 to A3: pacing, beats and timeline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.graph.values import Entity, Fact, StoryGraph
from dramaturg.workshop.health import beat_progress, pacing, timeline
from dramaturg.workshop.health.story_clock import Duration, duration, moment
from tests.workshop.health.shelf import a_book, scenes

DAYS = 86_400


def test_a_stretch_of_equal_tension_is_a_plateau_and_names_its_scenes() -> None:
    found = pacing.look(a_book(scenes(10, tension=[2, 5, 8, 6, 6, 6, 6, 3, 9, 2])))
    assert [(one.severity, one.subject) for one in found.findings] == [("warning", "ch04-sc01 to ch07-sc01")]
    assert [one.quote for one in found.findings[0].evidence] == ["6"] * 4
    assert "40% of the book" in found.findings[0].text


def test_a_book_that_varies_has_no_plateau_and_says_what_was_measured() -> None:
    found = pacing.look(a_book(scenes(8, tension=[1, 4, 2, 6, 3, 8, 5, 9])))
    assert (found.status, found.findings) == ("clear", ())
    assert "Tension of 8 of 8 scenes" in found.measured


def test_a_book_that_never_moves_is_one_plateau() -> None:
    assert pacing.look(a_book(scenes(7, tension=[5.0] * 7))).findings[0].subject == "ch01-sc01 to ch07-sc01"


@pytest.mark.parametrize("levels", [[5, None, None, None, None, None, None], [4, 5, 6, 7, 8]])
def test_too_few_levels_are_cannot_tell(levels: list[float | None]) -> None:
    found = pacing.look(a_book(scenes(len(levels), tension=levels)))
    assert found.status == "cannot_tell"
    assert "--extract" in found.missing


@given(st.lists(st.integers(0, 10), min_size=6, max_size=40), st.sampled_from([0.25, 0.5, 2.0, 4.0]))
def test_plateaus_depend_on_the_spread_of_the_book_and_not_on_the_scale(levels: list[int], scale: float) -> None:
    one = pacing.look(a_book(scenes(len(levels), tension=[float(level) for level in levels])))
    other = pacing.look(a_book(scenes(len(levels), tension=[level * scale for level in levels])))
    assert [found.subject for found in one.findings] == [found.subject for found in other.findings]


def test_turning_points_inside_their_bands_are_not_found() -> None:
    beats = ["Opening image", "Catalyst", "Break into two", None, "Midpoint", None, "All is lost", None, "Finale", None]
    found = beat_progress.look(a_book(scenes(10, beat=beats)))
    assert (found.status, found.findings) == ("clear", ())
    assert "band 39% to 67%" in found.measured


@pytest.mark.parametrize(
    ("beat", "at", "band"),
    [("Catalyst", 8, "between 4% and 29%"), ("Midpoint", 1, "between 39% and 67%"), ("All is lost", 3, "63% and 85%")],
)
def test_a_turning_point_outside_its_band_is_found(beat: str, at: int, band: str) -> None:
    beats: list[str | None] = [None] * 20
    beats[at], beats[18] = beat, "Finale"
    found = [one for one in beat_progress.look(a_book(scenes(20, beat=beats))).findings if one.subject == beat]
    assert len(found) == 1
    assert band in found[0].text
    assert found[0].files == (f"manuscript/ch{at + 1:02}-sc01.md",)


def test_a_book_without_an_end_is_judged_by_the_length_it_shall_have() -> None:
    records = scenes(10, beat=["Catalyst", *[None] * 9])
    assert "target_words" in beat_progress.look(a_book(records)).missing
    found = beat_progress.look(a_book(records, target_words=2000))
    assert [one.subject for one in found.findings] == ["Break into two", "Midpoint"]
    assert "50% of the book are written" in found.findings[0].text


def test_beats_in_another_order_than_the_sheet_are_found() -> None:
    beats = [None, "Catalyst", None, None, "All is lost", "Midpoint", None, None, None, "Finale"]
    found = beat_progress.look(a_book(scenes(10, beat=beats)))
    assert any(one.subject == "Midpoint and All is lost" for one in found.findings)


def test_nobody_is_in_two_places_at_one_hour() -> None:
    records = scenes(
        3, cast=[["Ines", "Tom"], ["Ines"], ["Ines"]], places=[["Varn"], ["Salt"], ["Varn"]],
        time=["1871-09-02 14:00", "1871-09-02 14:00", "1871-09-03"],
    )  # fmt: skip
    found = timeline.look(a_book(records)).findings
    assert [(one.severity, one.subject) for one in found] == [("critical", "Ines")]
    assert "at the same time" in found[0].text
    assert set(found[0].files) == {records[0].path, records[1].path}


@pytest.mark.parametrize(
    ("second", "is_possible"),
    [("1871-09-03", False), ("1871-09-04", True), ("1871-09-09", True), ("1871-09-02", False)],
)
def test_a_journey_must_have_the_time_it_takes(second: str, is_possible: bool) -> None:
    records = scenes(2, cast=[["Ines"], ["Ines", "Tom"]], places=[["Salt"], ["Varn"]], time=["1871-09-02", second])
    travel = {frozenset(("Salt", "Varn")): Duration(3 * DAYS, "3 days", "story-bible/salt.md")}
    found = timeline.look(a_book(records, travel=travel)).findings
    assert (not found) is is_possible
    if not is_possible:
        assert "the way takes 3 days" in found[0].text
        assert "story-bible/salt.md" in found[0].recommendation


def test_one_scene_in_the_way_of_several_is_told_once() -> None:
    places, days = [["Salt"], ["Salt"], ["Salt"], ["Varn"]], ["Day 1", "Day 1", "Day 2", "Day 2"]
    cast = [["Ines"], ["Ines", "Tom"], ["Ines"], ["Ines", "Tom"]]
    travel = {frozenset(("Salt", "Varn")): Duration(6 * DAYS, "6 days")}
    found = timeline.look(a_book(scenes(4, cast=cast, places=places, time=days), travel=travel)).findings
    assert [one.subject for one in found] == ["Ines and Tom"]
    assert "The same holds for 2 more scenes." in found[0].text
    assert len(found[0].files) == 4


@pytest.mark.parametrize("kind", ["flashback", "dream", "letter"])
def test_what_lies_outside_the_story_is_exempt(kind: str) -> None:
    records = scenes(
        3, cast=[["Ines"]] * 3, places=[["Salt"], ["Varn"], ["Salt"]], kind=["scene", kind, "scene"],
        time=["1871-09-02", "1871-09-02", "1871-09-04"],
    )  # fmt: skip
    travel = {frozenset(("Salt", "Varn")): Duration(9 * DAYS, "9 days")}
    found = timeline.look(a_book(records, travel=travel))
    assert (found.findings, "1 scenes are exempt" in found.measured) == ((), True)


def test_scenes_far_apart_in_the_book_are_compared_too() -> None:
    count = 60
    times = [f"Day {at}" for at in range(1, count)] + ["Day 1"]
    places = [["Salt"], *[["Tavern"]] * (count - 2), ["Varn"]]
    travel = {frozenset(("Salt", "Varn")): Duration(2 * DAYS, "2 days")}
    book = a_book(scenes(count, cast=[["Ines"]] * count, places=places, time=times), travel=travel)
    assert any(
        {"manuscript/ch01-sc01.md", "manuscript/ch60-sc01.md"} <= set(f.files) for f in timeline.look(book).findings
    )


def test_an_order_that_the_dates_contradict_is_found() -> None:
    records = scenes(2, time=["1871-09-02", "1871-08-01"])
    events = tuple(Entity(number, "event", f"ch0{number}-sc01") for number in (1, 2))
    fact = Fact(1, 2, "after", 1, file=records[1].path, quote="after: ch01-sc01")
    found = timeline.look(a_book(records, graph=StoryGraph(events, (fact,)))).findings
    assert found[0].evidence[0].quote == "after: ch01-sc01"


def test_a_place_within_a_place_is_no_journey() -> None:
    records = scenes(2, cast=[["Ines"]] * 2, places=[["The Docks"], ["The Docks, pier 4"]], time=["Day 1, 10:00"] * 2)
    assert timeline.look(a_book(records)).findings == ()


def test_without_times_nobody_can_tell() -> None:
    assert timeline.look(a_book(scenes(4))).status == "cannot_tell"


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("3 days", 3 * DAYS), ("half a day", DAYS / 2), ("an hour", 3600), ("40 min", 2400), ("1,5 Stunden", 5400),
     ("zwei Tage", None), ("far", None), ("", None), ("2 Wochen", 14 * DAYS), ("une heure", 3600)],
)  # fmt: skip
def test_lengths_of_ways(said: str, seconds: float | None) -> None:
    found = duration(said)
    assert (found.seconds if found else None) == seconds


@pytest.mark.parametrize("said", ["1871-02-30", "the night of the fire", "", "day", "Day 3 25:99", "9" * 400])
def test_what_is_no_date_is_no_moment(said: str) -> None:
    assert moment(said) is None
