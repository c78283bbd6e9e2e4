"""Moods and bonds as folds over what happened."""

import pytest

from dramaturg.scenes.memories import FADES, Shift, mood_after, moved


def shift(run: str, line: int, valence: float) -> Shift:
    return Shift(
        character="alice",
        scene="s",
        run=run,
        line=line,
        at=float(line),
        moment=f"{run}/{line}",
        valence=valence,
        arousal=0.1,
    )


def test_a_mood_fades_once_between_two_scenes_even_if_they_were_played_at_the_same_time() -> None:
    after = mood_after((shift("a", 1, 0.5), shift("a", 2, 0.0), shift("b", 3, 0.0)))
    assert after.valence == pytest.approx(0.5 * FADES)
    mixed = mood_after((shift("a", 1, 0.5), shift("b", 2, 0.0), shift("a", 3, 0.0), shift("b", 4, 0.0)))
    assert mixed.valence == after.valence


def test_the_nearer_the_end_the_smaller_the_step() -> None:
    assert moved(0.0, 0.5, -1) == 0.5
    assert moved(0.5, 0.5, -1) == 0.75
    assert moved(-0.5, 0.5, -1) == 0.0
    assert moved(0.0, -0.5, 0) == 0.0
