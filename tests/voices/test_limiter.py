"""The true-peak meter and the limiter, beside another resampler."""

import numpy as np
import pytest
import soxr

from dramaturg.voices.limiter import CEILING_DB, PeakMeter, limited
from dramaturg.voices.loudness import RATE, Frames
from tests.voices.sounds import babble

SECONDS = np.arange(RATE * 6) / RATE


def both(left: Frames, right: Frames) -> Frames:
    return np.stack((left, right), axis=1)


def in_pieces(sound: Frames, size: int) -> list[Frames]:
    return [sound[at : at + size] for at in range(0, len(sound), size)]


def true_peak(sound: Frames, rate: int = RATE) -> float:
    """At eight times the rate, by a resampler that is not ours; the ends are where it rings."""
    over = soxr.resample(np.pad(sound, ((4800, 4800), (0, 0))), rate, 8 * rate, quality="VHQ")
    return 20 * np.log10(np.abs(over).max())


def test_a_peak_between_the_samples_is_found() -> None:
    tone = 0.5 * np.sin(2 * np.pi * 12_000 * SECONDS[:RATE] + np.pi / 4)
    meter = PeakMeter()
    for piece in in_pieces(both(tone, 0 * tone), 999):
        meter.feed(piece)
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


@pytest.mark.parametrize("rate", [8_000, 22_050, 24_000, 96_000])
def test_one_channel_at_any_rate_is_limited_too(rate: int) -> None:
    sound = soxr.resample(babble(2.0, level=1.0, rate=rate // 2).astype(np.float64)[:, None], rate // 2, rate)
    out = np.concatenate(list(limited(in_pieces(sound, 999), 6.0, rate)))
    assert out.shape == sound.shape
    assert true_peak(sound * 2, rate) > 0
    assert true_peak(out, rate) <= CEILING_DB


def test_what_is_under_the_ceiling_is_left_as_it_is() -> None:
    quiet = babble(0.5, level=0.3).astype(np.float64)[:, None]
    assert np.array_equal(np.concatenate(list(limited([quiet], 0.0, 24_000))), quiet)
