"""The meters and the limiter, beside other people's."""

import numpy as np
import pyloudnorm
import pytest
import soxr

from dramaturg.kernel.voices.bus import CEILING_DB, RATE, Frames, LoudnessMeter, PeakMeter, limited

SECONDS = np.arange(RATE * 6) / RATE


def both(left: Frames, right: Frames) -> Frames:
    return np.stack((left, right), axis=1)


def in_pieces(sound: Frames, size: int) -> list[Frames]:
    return [sound[at : at + size] for at in range(0, len(sound), size)]


def loudness(sound: Frames, size: int = RATE) -> float | None:
    meter = LoudnessMeter()
    for piece in in_pieces(sound, size):
        meter.hear(piece)
    return meter.integrated()


def true_peak(sound: Frames) -> float:
    """At eight times the rate, by a resampler that is not ours; the ends are where it rings."""
    over = soxr.resample(np.pad(sound, ((4800, 4800), (0, 0))), RATE, 8 * RATE, quality="VHQ")
    return 20 * np.log10(np.abs(over).max())


def test_a_full_sine_in_one_channel_has_the_loudness_that_the_recommendation_says() -> None:
    tone = np.sin(2 * np.pi * 997 * SECONDS)
    assert loudness(both(tone, 0 * tone)) == pytest.approx(-3.01, abs=0.02)


@pytest.mark.parametrize("size", [480, 7001, RATE, RATE * 6])
def test_loudness_is_as_another_meter_has_it_however_the_sound_comes(size: int) -> None:
    noise = np.random.default_rng(7).normal(size=len(SECONDS)) * 0.1
    gated = both(noise * (SECONDS % 3 < 1.3), 0.2 * np.sin(2 * np.pi * 220 * SECONDS) * (SECONDS < 4))
    assert loudness(gated, size) == pytest.approx(pyloudnorm.Meter(RATE).integrated_loudness(gated), abs=0.1)


def test_silence_and_an_instant_have_no_loudness() -> None:
    assert loudness(np.zeros((RATE * 2, 2))) is None
    assert loudness(np.ones((RATE // 5, 2)) * 0.1) is None


def test_a_peak_between_the_samples_is_found() -> None:
    tone = 0.5 * np.sin(2 * np.pi * 12_000 * SECONDS[:RATE] + np.pi / 4)
    meter = PeakMeter()
    for piece in in_pieces(both(tone, 0 * tone), 999):
        meter.hear(piece)
    assert np.abs(tone).max() == pytest.approx(0.354, abs=0.001)
    assert meter.true_peak() == pytest.approx(-6.02, abs=0.15)
    assert PeakMeter().true_peak() is None


def test_the_limiter_lets_no_peak_through_and_leaves_the_rest_alone() -> None:
    rng = np.random.default_rng(3)
    calm, wild = (soxr.resample(rng.normal(size=(24_000 * 2, 2)) * level, 24_000, RATE) for level in (0.05, 0.5))
    sound = np.concatenate((calm, wild, calm))
    out = np.concatenate(list(limited(in_pieces(sound, RATE), 3.0)))
    assert out.shape == sound.shape
    assert true_peak(out) <= CEILING_DB
    gain = 10 ** (3 / 20)
    assert np.array_equal(out[: RATE * 3 // 2], (sound * gain)[: RATE * 3 // 2])
    # It never lets go at once: the gain from one frame to the next moves by little.
    moved = np.abs(np.diff(out[:, 0] / (sound[:, 0] * gain)))
    assert moved[np.abs(sound[1:, 0]) > 0.01].max() < 0.02


@pytest.mark.parametrize("size", [100, 1234, RATE * 6])
def test_the_limiter_gives_the_same_samples_however_they_come(size: int) -> None:
    sound = np.random.default_rng(5).normal(size=(RATE, 2)) * 0.6
    whole = np.concatenate(list(limited([sound], 1.0)))
    assert np.array_equal(np.concatenate(list(limited(in_pieces(sound, size), 1.0))), whole)
