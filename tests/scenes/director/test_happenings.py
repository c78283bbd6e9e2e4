"""World events fit the place, come seldom and never twice."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.scenes.director.happenings import happenings, happenings_abroad, may_happen, propose_event

CAST = ("Alice", "Bob")
PLACES = {place.place: place for place in happenings()}


def filled(*places: str) -> set[str]:
    return {event.replace("{name}", name) for place in places for event in PLACES[place].events for name in CAST}


def test_there_is_enough_to_happen() -> None:
    events = [event for place in happenings() for event in place.events]
    assert len(events) == len(set(events)) >= 60
    assert len(PLACES["anywhere"].events) >= 10


def test_an_event_is_short_and_has_no_slot_but_a_name() -> None:
    for place in happenings():
        for event in place.events:
            assert len(event) <= 100, event
            assert event[-1] not in ".!", event
            assert "{" not in event.replace("{name}", ""), event


@pytest.mark.parametrize(
    ("setting", "prompt", "places"),
    [
        ("Office conference room, late afternoon", "Bob missed a deadline.", ["office"]),
        ("A trench at the front", "The soldiers wait.", ["war"]),
        ("A flooded mine gallery, one lamp", "The water is rising in gallery nine.", ["mine"]),
        ("A gallery before the opening", "Two painters hang their work.", ["studio"]),
        ("Hospital ward", "Ruth waits for the doctor.", ["hospital"]),
        ("Night train to Trieste", "", ["train", "night"]),
        ("", "Two knights argue in the castle.", ["castle"]),
        ("A bare white room", "Two strangers.", ["anywhere"]),
        ("Bridge of a starship in orbit", "", ["space"]),
    ],
)
def test_an_event_fits_the_place(setting: str, prompt: str, places: list[str]) -> None:
    for beat in range(20):
        assert propose_event(setting, prompt, CAST, [], 7, beat) in filled(*places)


def test_the_same_scene_and_beat_give_the_same_event() -> None:
    first, again = (propose_event("Office", "", CAST, [], 3, 5) for _ in range(2))
    assert first == again


def test_other_seeds_give_other_events() -> None:
    assert len({propose_event("Office", "", CAST, [], seed, 5) for seed in range(20)}) > 4


def test_when_the_place_is_used_up_the_world_goes_on() -> None:
    used: list[str] = []
    for beat in range(60):
        used.append(propose_event("Office", "", CAST, used, 1, beat))
    assert len(set(used)) == len(used)
    assert used[0] in filled("office")
    assert used[12] in filled("anywhere")
    assert used[-1].startswith("Far off, a bell strikes")


def test_an_event_with_one_name_is_not_used_again_with_another() -> None:
    used = ["Phone rings loudly on Bob's desk"]
    proposed = {propose_event("Office", "", CAST, used, seed, 2) for seed in range(60)}
    assert not any("Phone rings loudly" in event for event in proposed)


def test_without_a_cast_no_event_has_a_name() -> None:
    assert not any("{" in propose_event("Office", "", (), [], seed, 2) for seed in range(60))


@pytest.mark.parametrize(
    ("since", "beat", "may"),
    [(None, 0, False), (None, 1, False), (None, 2, True), (1, 9, False), (3, 9, False), (4, 9, True), (9, 1, False)],
)
def test_events_come_seldom(since: int | None, beat: int, may: bool) -> None:
    assert may_happen(since, beat) is may


def test_every_place_is_known_by_its_own_words() -> None:
    for name, place in PLACES.items():
        assert bool(place.words) == (name != "anywhere")
        assert len(set(place.words)) == len(place.words), name


@given(
    st.text(max_size=40),
    st.text(max_size=60),
    st.lists(st.text(min_size=1, max_size=8), max_size=4),
    st.lists(st.sampled_from(sorted(filled(*PLACES))), max_size=40),
    st.integers(),
    st.integers(0, 500),
)
def test_an_event_is_never_one_that_has_happened(
    setting: str, prompt: str, cast: list[str], used: list[str], seed: int, beat: int
) -> None:
    event = propose_event(setting, prompt, cast, used, seed, beat)
    assert event
    assert event not in used


@pytest.mark.parametrize(
    ("setting", "prompt"),
    [
        ("The marshal's office in Abilene, 1871", "Silas has come back to the office to give up his gun."),
        ("A castle kitchen", "The cook of a medieval castle has lost the salt."),
        ("A tavern by the road, the eighteenth century", "Two travellers wait for the ferry."),
    ],
)
def test_nothing_happens_that_the_period_does_not_know(setting: str, prompt: str) -> None:
    used: list[str] = []
    for beat in range(2, 40):
        used.append(propose_event(setting, prompt, ["Silas", "Etta"], used, 1, beat))
    modern = re.compile(r"phone|projector|printer|lights go|fridge|refrigerator|alarm|engine|timer|radio|lift\b", re.I)
    assert not [event for event in used if modern.search(event)]


@pytest.mark.parametrize(
    ("language", "prompt", "goal"),
    [
        ("de", "Bob hat den Zug verpasst, und Alice wartet nicht mehr auf ihn.", ""),
        ("de", "Am Zoll.", "Alice lässt Bob durch, und Bob bedankt sich bei ihr"),
        ("fr", "Bob attend son frère dans la cuisine. Il a perdu la lettre de sa mère.", ""),
        ("es", "Bob ha perdido la carta de su madre y no lo dice.", ""),
        ("ru", "Bob опоздал на поезд, а Alice его не дождалась.", ""),
        ("ar", "ليلى تنتظر عمر منذ ساعتين.", ""),
        ("ja", "空は宿題をなくした。", ""),
        ("zh", "王伟弄丢了李梅的信。", ""),
    ],
)
def test_what_happens_is_told_in_the_language_of_the_scene(language: str, prompt: str, goal: str) -> None:
    used: list[str] = []
    for beat in range(7):
        used.append(propose_event("", prompt, CAST, used, 7, beat, goal))
    assert set(used[:5]) == set(happenings_abroad()[language].events)
    assert len(set(used)) == 7


@pytest.mark.parametrize(
    ("prompt", "cast"),
    [
        ("李梅 and 王伟 argue about a letter at the customs.", ("李梅", "王伟")),
        ("The word 愛 is on the wall.", CAST),
        ("", CAST),
    ],
)
def test_a_foreign_name_or_word_does_not_change_the_language_of_a_scene(prompt: str, cast: tuple[str, ...]) -> None:
    told = {event for place in happenings_abroad().values() for event in place.events}
    assert not {propose_event("", prompt, cast, [], 7, beat) for beat in range(20)} & told


def test_what_happens_abroad_is_short_and_names_nobody() -> None:
    for place in happenings_abroad().values():
        assert len(place.events) == len(set(place.events)) == 5
        assert place.bell.count("{times}") == 1
        assert all(len(event) <= 100 and event[-1] not in ".!。" and "{" not in event for event in place.events)
