"""Talk that goes in circles is told from talk that gets somewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.scenes.director.circles import CIRCULAR, circle_score
from dramaturg.scenes.director.evidence import QuotableLine
from tests.scenes.director.samples import dialogues

CIRCLES, HEALTHY = dialogues("circling"), dialogues("healthy")
MARGIN = 0.05

WORDS = st.sampled_from(
    ("the", "of", "you", "I", "never", "told", "harbour", "money", "goodbye", "thanks", "yes", "1912", "où")
)
LINES = st.lists(
    st.builds(
        QuotableLine,
        st.sampled_from(["Ann", "Ben", "Cy"]),
        st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=30),
    ),
    max_size=20,
)


@pytest.mark.parametrize("title", CIRCLES)
def test_a_talk_in_circles_is_noticed(title: str) -> None:
    assert circle_score(CIRCLES[title]).score >= CIRCULAR + MARGIN


@pytest.mark.parametrize("title", HEALTHY)
def test_a_talk_that_gets_somewhere_is_left_alone_at_every_line(title: str) -> None:
    lines = HEALTHY[title]
    assert max(circle_score(lines[:count]).score for count in range(len(lines) + 1)) <= CIRCULAR - 2 * MARGIN


def test_the_evidence_quotes_both_lines_and_says_where_they_stand() -> None:
    lines = CIRCLES["the same two lines"]
    last, question = circle_score(lines).evidence[:2]
    assert (last.earlier, last.later) == (3, 5)
    assert (last.said, last.again) == (lines[3].text, lines[5].text)
    assert (question.earlier, question.later, question.likeness) == (2, 4, 1.0)


def test_places_count_from_the_first_line_of_a_long_scene() -> None:
    before = [QuotableLine("Cy", f"Chapter {number} of a tale about {number * 7} geese") for number in range(80)]
    echoes = circle_score([*before, *CIRCLES["the same two lines"]]).evidence
    assert echoes[0].later == 85


def test_a_goodbye_and_its_answer_are_manners_and_not_a_circle() -> None:
    lines = HEALTHY["the map"] + [
        QuotableLine("Captain", "Good night, mate."),
        QuotableLine("Mate", "Good night, captain."),
    ]
    assert circle_score(lines).score < CIRCULAR


def test_the_third_and_fourth_goodbye_are_a_circle_however_good_the_talk_was() -> None:
    farewell = ["Goodbye then.", "Goodbye!", "Bye, take care.", "Bye bye.", "See you."]
    lines = HEALTHY["the map"] + [
        QuotableLine(("Captain", "Mate")[turn % 2], text) for turn, text in enumerate(farewell)
    ]
    assert circle_score(lines).score >= CIRCULAR


def test_a_circle_that_was_left_behind_is_forgiven() -> None:
    lines = CIRCLES["who is to blame"] + HEALTHY["the map"]
    assert circle_score(lines).score < CIRCULAR


def test_names_are_not_what_lines_have_in_common() -> None:
    lines = [
        QuotableLine("Ann", "Ben, Ben, Ben."),
        QuotableLine("Ben", "Ann, what is it?"),
        QuotableLine("Ann", "Ben, the roof is on fire."),
        QuotableLine("Ben", "Ann, then why are we whispering?"),
        QuotableLine("Ann", "Ben, the child's asleep."),
    ]
    assert circle_score(lines).score == 0


def test_three_lines_are_too_few_to_go_in_a_circle() -> None:
    assert circle_score([QuotableLine("Ann", "No."), QuotableLine("Ben", "No."), QuotableLine("Ann", "No.")]).score == 0


def test_an_empty_window_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one line"):
        circle_score([], window=0)


@given(LINES, st.integers(1, 8))
def test_any_talk_has_a_score_between_0_and_1_and_evidence_from_its_own_lines(
    lines: list[QuotableLine], window: int
) -> None:
    found = circle_score(lines, window)
    assert 0 <= found.score <= 1
    for echo in found.evidence:
        assert 0 <= echo.earlier < echo.later < len(lines)
        assert echo.later >= len(lines) - window
        assert (echo.said, echo.again) == (lines[echo.earlier].text, lines[echo.later].text)


@given(LINES)
def test_no_evidence_no_score(lines: list[QuotableLine]) -> None:
    found = circle_score(lines)
    assert bool(found.evidence) or found.score == 0


@given(st.lists(WORDS, min_size=4, max_size=9).map(" ".join))
def test_saying_one_thing_over_and_over_is_always_a_circle(text: str) -> None:
    assert circle_score([QuotableLine(("Ann", "Ben")[turn % 2], text) for turn in range(8)]).score >= CIRCULAR
