"""Ranking by shared words: rare ones count more, long texts less."""

from __future__ import annotations

import pytest

from dramaturg.kernel.text.bm25 import bm25


def test_the_best_text_has_one_and_a_stranger_none() -> None:
    assert bm25([["mill", "river"], ["boat"], ["river"]], ["mill", "river"]) == [
        1.0,
        0.0,
        pytest.approx(0.4347, abs=0.0001),
    ]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    common, rare = bm25([["river", "x"], ["mill", "x"], ["river", "y"], ["river", "z"]], ["mill", "river"])[:2]
    assert rare == 1.0 > common > 0


def test_length_counts_only_as_far_as_it_is_told_to() -> None:
    texts = [["mill"], ["mill", "a", "b", "c", "d", "e"]]
    assert bm25(texts, ["mill"], b=0) == [1.0, 1.0]
    assert bm25(texts, ["mill"], b=1)[1] < bm25(texts, ["mill"], b=0.5)[1] < 1


def test_repetition_helps_less_and_less() -> None:
    one, two, nine = bm25([["mill"] * n + ["x"] * (9 - n) for n in (1, 2, 9)], ["mill"])
    assert nine == 1.0
    assert two - one > (nine - two) / 7


@pytest.mark.parametrize(
    ("texts", "query", "scores"),
    [([], ["a"], []), ([["a"]], [], [0.0]), ([[]], ["a"], [0.0]), ([["a"], []], ["a"], [1.0, 0.0])],
)
def test_nothing_to_compare_scores_nothing(texts: list[list[str]], query: list[str], scores: list[float]) -> None:
    assert bm25(texts, query) == scores
