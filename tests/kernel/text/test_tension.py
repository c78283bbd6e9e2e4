"""Tension is read off the lines, and a note is given only when it is off for long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.text.tension import (
    LOOSEN,
    TIGHTEN,
    UNKNOWN_TONE,
    TonedLine,
    pace_change,
    target_curve,
    tension_curve,
    tension_of,
)

LINES = st.lists(
    st.builds(TonedLine, st.integers(0, 30), st.text(max_size=60), st.text(max_size=20), st.booleans()), max_size=30
)
LEVELS = st.lists(st.floats(0, 1), max_size=30)


def test_from_slack_to_breaking() -> None:
    rising = [
        tension_of("Sleep well, my dear.", "tender"),
        tension_of("The train goes at nine.", "neutral"),
        tension_of("Where were you?", "suspicious"),
        tension_of("You never told me.", "angry"),
        tension_of("Enough! You LIED to me!", "furious", cuts_in=True),
    ]
    assert rising == sorted(rising)
    assert rising[0] < 0.15
    assert rising[-1] == 1.0


def test_a_tone_of_two_words_lies_between_them() -> None:
    assert (
        tension_of("Fine words.", "calm")
        < tension_of("Fine words.", "calm but furious")
        < tension_of("Fine words.", "furious")
    )


def test_a_tone_nobody_knows_says_nothing() -> None:
    assert tension_of("The train goes at nine.", "mauve") == UNKNOWN_TONE


def test_the_curve_has_a_level_for_every_beat_and_silence_holds_it() -> None:
    lines = [TonedLine(1, "Well then.", "calm"), TonedLine(4, "Get out!", "furious")]
    curve = tension_curve(lines, smoothing=0)
    assert len(curve) == 5
    assert curve[0] == UNKNOWN_TONE
    assert curve[1] == curve[2] == curve[3] < curve[4]


def test_smoothing_takes_the_edge_off() -> None:
    lines = [TonedLine(0, "Well then.", "calm"), TonedLine(1, "Get out!", "furious")]
    sharp, smooth = tension_curve(lines, 0), tension_curve(lines, 0.7)
    assert sharp[0] == smooth[0] < smooth[1] < sharp[1]


def test_smoothing_that_would_forget_the_line_is_refused() -> None:
    with pytest.raises(ValueError, match="less than 1"):
        tension_curve([], smoothing=1)


def test_the_target_rises_to_a_crisis_and_comes_to_rest() -> None:
    target = target_curve(21)
    peak = target.index(max(target))
    assert 11 <= peak <= 15
    assert list(target[: peak + 1]) == sorted(target[: peak + 1])
    assert list(target[peak:]) == sorted(target[peak:], reverse=True)
    assert target[-1] < target[0]


def test_a_scene_that_stays_flat_is_tightened_after_three_beats_and_not_at_every_beat() -> None:
    target = target_curve(20)
    notes = [pace_change([0.2] * beats, target) for beats in range(1, 21)]
    assert notes.index(TIGHTEN) >= 4
    assert 1 <= notes.count(TIGHTEN) <= 4
    assert LOOSEN not in notes


def test_a_scene_that_shouts_from_the_start_is_loosened() -> None:
    notes = [pace_change([0.95] * beats, target_curve(20)) for beats in range(1, 21)]
    assert notes[:3] == [None, None, LOOSEN]
    assert TIGHTEN not in notes


def test_a_scene_that_has_had_its_crisis_may_rest() -> None:
    curve = [0.5, 0.7, 0.6, *[0.25] * 12]
    assert all(pace_change(curve[:beats], target_curve(20)) is None for beats in range(1, 16))


def test_a_scene_on_its_target_is_left_alone() -> None:
    target = target_curve(16)
    assert all(pace_change(target[:beats], target) is None for beats in range(17))


def test_past_its_target_there_is_no_note() -> None:
    assert pace_change([0.1] * 12, target_curve(6)) is None


@given(LINES, st.floats(0, 0.99))
def test_tension_is_between_0_and_1_whatever_is_said(lines: list[TonedLine], smoothing: float) -> None:
    curve = tension_curve(lines, smoothing)
    assert len(curve) == max((line.beat for line in lines), default=-1) + 1
    assert all(0 <= level <= 1 for level in curve)


@given(LEVELS, st.integers(0, 30))
def test_no_note_before_the_third_beat(levels: list[float], expected: int) -> None:
    note = pace_change(levels, target_curve(expected))
    assert note in (None, TIGHTEN, LOOSEN)
    assert note is None or len(levels) >= 3
