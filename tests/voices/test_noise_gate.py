"""The noise between the words: below -60 dBFS in every line, and the words as they were."""

import numpy as np
import pytest

from dramaturg.voices.mastering import floats, master
from dramaturg.voices.noise_gate import gated, noise_floor
from dramaturg.voices.port import Sound
from tests.voices.sounds import RATE, babble, line


def hissing(level_db: float, seed: int = 3) -> Sound:
    """Two stretches of babble with a pause between them, all of it over noise of that level."""
    clean = floats(line(babble(1.5), 0.5, babble(1.2, seed=2)).pcm)
    noise = np.random.default_rng(seed).standard_normal(len(clean)).astype(np.float32) * 10 ** (level_db / 20)
    return Sound((np.clip(clean + noise, -1, 1) * 32767).astype("<i2").tobytes(), RATE)


@pytest.mark.parametrize("level_db", [-52.0, -55.0, -60.0])
def test_a_hissing_engine_is_gated_below_the_allowed_noise(level_db: float) -> None:
    done = master(hissing(level_db), "hissing")
    assert done.measurements.floor_db is not None
    assert done.measurements.floor_db < -60
    assert done.measurements.lufs == pytest.approx(-16, abs=0.3)


@pytest.mark.parametrize("ms", [60, 80, 150])
@pytest.mark.parametrize("lead", [0.4, 0.403, 0.407])
def test_short_pauses_between_words_are_gated_as_well(ms: int, lead: float) -> None:
    words = [babble(lead, seed=number) for number in range(6)]
    clean = floats(line(*(part for word in words for part in (word, ms / 1000)), babble(0.4)).pcm)
    noise = np.random.default_rng(3).standard_normal(len(clean)).astype(np.float32) * 10 ** (-50 / 20)
    heard = gated(clean + noise, RATE)
    for number in range(1, 7):
        begin = number * round(lead * RATE) + (number - 1) * round(ms / 1000 * RATE)
        pause = heard[begin : begin + round(ms / 1000 * RATE)].astype(np.float64)
        assert 20 * np.log10(np.sqrt(np.mean(pause**2))) < -60


def test_a_quiet_engine_is_left_alone() -> None:
    samples = floats(hissing(-75).pcm)
    assert gated(samples, RATE) is samples


def test_the_words_keep_their_samples() -> None:
    samples = floats(hissing(-52).pcm)
    changed = gated(samples, RATE) != samples
    assert changed.any()
    assert np.abs(samples[changed]).max() < 10 ** (-30 / 20)
    assert changed.mean() < 0.4


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.3])
def test_silence_and_lines_without_a_pause_have_no_noise(seconds: float) -> None:
    samples = np.zeros(round(seconds * RATE), np.float32)
    assert noise_floor(samples, RATE) is None
    assert gated(samples, RATE) is samples
    tone = np.full(round(seconds * RATE), 0.3, np.float32)
    assert noise_floor(tone, RATE) is None
