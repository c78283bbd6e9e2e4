"""The loudness meter, beside a second one that was written apart from it."""

import numpy as np
import pytest

from dramaturg.voices.loudness import RATE, Frames, LoudnessMeter
from tests.voices.reference_meter import reference_loudness

SECONDS = np.arange(RATE * 6) / RATE


def both(left: Frames, right: Frames) -> Frames:
    return np.stack((left, right), axis=1)


def in_pieces(sound: Frames, size: int) -> list[Frames]:
    return [sound[at : at + size] for at in range(0, len(sound), size)]


def loudness(sound: Frames, size: int = RATE, rate: int = RATE) -> float | None:
    meter = LoudnessMeter(rate, sound.shape[1])
    for piece in in_pieces(sound, size):
        meter.feed(piece)
    return meter.integrated()


def test_a_full_sine_in_one_channel_has_the_loudness_that_the_recommendation_says() -> None:
    tone = np.sin(2 * np.pi * 997 * SECONDS)
    assert loudness(both(tone, 0 * tone)) == pytest.approx(-3.01, abs=0.02)


@pytest.mark.parametrize("size", [480, 7001, RATE, RATE * 6])
def test_loudness_is_as_another_meter_has_it_however_the_sound_comes(size: int) -> None:
    noise = np.random.default_rng(7).normal(size=len(SECONDS)) * 0.1
    gated = both(noise * (SECONDS % 3 < 1.3), 0.2 * np.sin(2 * np.pi * 220 * SECONDS) * (SECONDS < 4))
    assert loudness(gated, size) == pytest.approx(reference_loudness(gated, RATE), abs=0.001)


def test_silence_and_an_instant_have_no_loudness() -> None:
    assert loudness(np.zeros((RATE * 2, 2))) is None
    assert loudness(np.ones((RATE // 5, 2)) * 0.1) is None


@pytest.mark.parametrize("rate", [8_000, 22_050, 24_000, 44_100, 96_000])
def test_a_sound_has_the_same_loudness_at_every_sample_rate(rate: int) -> None:
    at = np.arange(rate * 3) / rate
    tones = sum(level * np.sin(2 * np.pi * hertz * at) for hertz, level in ((60, 0.2), (440, 0.1), (2_900, 0.1)))
    assert isinstance(tones, np.ndarray)
    at = SECONDS[: RATE * 3]
    same = sum(level * np.sin(2 * np.pi * hertz * at) for hertz, level in ((60, 0.2), (440, 0.1), (2_900, 0.1)))
    assert isinstance(same, np.ndarray)
    assert loudness(tones[:, None], rate=rate) == pytest.approx(reference_loudness(same, RATE), abs=0.01)
