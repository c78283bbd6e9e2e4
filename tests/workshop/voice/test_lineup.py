"""The line-up: shuffled by its seed, blind, and honest about the chooser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.voice.lineup import (
    Choice,
    Way,
    blind_report,
    blind_view,
    check_choice,
    draw_lineup,
    leading,
)

CELLS = st.lists(st.integers(1, 26), min_size=2, max_size=12, unique=True)


@given(CELLS, st.sampled_from(["pairs", "all"]), st.integers(0, 99), st.booleans())
def test_every_passage_has_one_letter_and_the_seed_fixes_which(
    cells: list[int], way: Way, seed: int, own: bool
) -> None:
    page = "My own page." if own else ""
    lineup = draw_lineup(cells, way=way, seed=seed, own=page)
    assert lineup == draw_lineup(cells, way=way, seed=seed, own=page)
    assert sorted(lineup.order) == sorted([*cells, *([0] if own else [])])
    assert [lineup.cell_of(letter) for letter in lineup.letters] == list(lineup.order)


@given(CELLS, st.integers(0, 99))
def test_every_pair_comes_once_and_some_come_again_with_their_sides_exchanged(cells: list[int], seed: int) -> None:
    pairs = draw_lineup(cells, way="pairs", seed=seed).pairs
    once = len(cells) * (len(cells) - 1) // 2
    first, again = pairs[: min(once, 60)], pairs[min(once, 60) :]
    assert len({frozenset(pair) for pair in first}) == len(first)
    assert again
    assert all(pair[::-1] in first for pair in again)


def test_the_letters_do_not_follow_the_cells_for_every_seed() -> None:
    assert len({draw_lineup(range(1, 6), way="all", seed=seed).order for seed in range(20)}) > 10


@given(CELLS, st.integers(0, 99), st.data())
def test_the_report_counts_alike_exactly_the_repeats_that_were_chosen_alike(
    cells: list[int], seed: int, data: st.DataObject
) -> None:
    lineup = draw_lineup(cells, way="pairs", seed=seed)
    choices = [
        Choice(pair=number, letter=data.draw(st.sampled_from(pair)))
        for number, pair in enumerate(lineup.pairs, start=1)
    ]
    report = blind_report(lineup, choices)
    held = {one.pair: one.letter for one in choices}
    seen: dict[frozenset[str], list[str]] = {}
    for number, pair in enumerate(lineup.pairs, start=1):
        seen.setdefault(frozenset(pair), []).append(held[number])
    twice = [letters for letters in seen.values() if len(letters) > 1]
    assert report.repeated == len(twice)
    assert report.alike == sum(len(set(letters)) == 1 for letters in twice)
    assert sum(one.won for one in report.wins) == len(lineup.pairs)


def test_the_report_says_whether_the_writer_knew_their_own_page() -> None:
    lineup = draw_lineup([1, 2, 3], way="all", seed=4, own="Mine.")
    own = next(letter for letter in lineup.letters if lineup.cell_of(letter) == 0)
    other = next(letter for letter in lineup.letters if letter != own)
    assert blind_report(lineup, (), guessed_own=own.lower()).knew_own_page is True
    assert blind_report(lineup, (), guessed_own=other).knew_own_page is False
    unasked = blind_report(lineup, ())
    assert unasked.knew_own_page is None
    assert f"Your own page was {own}" in unasked.says[0]


def test_a_view_before_the_choice_has_texts_and_letters_and_no_cells() -> None:
    lineup = draw_lineup([7, 8, 9], way="pairs", seed=1, own="Mine.")
    shown = blind_view("run", lineup, ["one", "two", "three", "four"], ()).model_dump(by_alias=False)
    assert set(shown) == {"tournament", "way", "passages", "pairs", "has_own", "left", "leads"}
    assert set(shown["passages"][0]) == {"letter", "text"}


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (Choice(letter="Z"), "no passage 'Z'"),
        (Choice(pair=99, letter="A"), "no pair 99"),
        (Choice(letter=""), "no passage ''"),
    ],
)
def test_what_the_lineup_does_not_offer_cannot_be_chosen(choice: Choice, says: str) -> None:
    with pytest.raises(InvalidConfig, match=says):
        check_choice(draw_lineup([1, 2, 3], way="pairs", seed=1), choice)


def test_a_letter_of_another_pair_is_refused_and_small_letters_will_do() -> None:
    lineup = draw_lineup([1, 2, 3], way="pairs", seed=1)
    left, right = lineup.pairs[0]
    (other,) = set(lineup.letters) - {left, right}
    assert check_choice(lineup, Choice(pair=1, letter=left.lower())).letter == left
    with pytest.raises(InvalidConfig, match="choose one of them"):
        check_choice(lineup, Choice(pair=1, letter=other))


def test_nobody_leads_before_a_choice_and_the_last_choice_of_all_leads() -> None:
    lineup = draw_lineup([1, 2, 3], way="pairs", seed=1)
    assert leading(lineup, ()) == ""
    assert leading(lineup, [Choice(letter="A"), Choice(letter="C")]) == "C"


@pytest.mark.parametrize("cells", [[], [1], list(range(1, 28))])
def test_one_passage_is_no_lineup_and_27_are_too_many(cells: list[int]) -> None:
    with pytest.raises(InvalidConfig, match="line-up"):
        draw_lineup(cells, way="all", seed=1)
