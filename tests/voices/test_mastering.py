"""Every line as loud as the others, without the silence around it, and under the ceiling."""

import numpy as np
import pytest

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices.mastering import at_rate, declipped, floats, master, measured, true_peak
from dramaturg.voices.port import Sound, WordTime
from tests.voices.sounds import RATE, babble, line


@pytest.mark.parametrize("level", [0.003, 0.02, 0.2, 0.9])
def test_a_line_is_brought_to_sixteen_lufs_however_loud_it_came(level: float) -> None:
    done = master(line(0.3, babble(3.0, level=level), 0.6), "an engine")
    assert done.measurements.lufs == pytest.approx(-16, abs=0.5)
    assert done.measurements.peak_db is not None
    assert done.measurements.peak_db <= -1.0


def test_silence_before_and_after_is_cut_and_the_words_move_along() -> None:
    words = (WordTime(word="one", start=0.5, end=1.0), WordTime(word="two", start=1.0, end=9.0))
    done = master(line(0.5, babble(1.0), 0.7, words=words), "an engine")
    assert done.wav.seconds == pytest.approx(1.08, abs=0.1)
    first, last = done.measurements.words
    assert first.start == pytest.approx(0.02, abs=0.06)
    assert first.end == last.start
    assert last.end <= done.wav.seconds


def test_a_line_of_clicks_stays_quieter_rather_than_being_crushed_or_passing_the_ceiling() -> None:
    peaky = babble(2.0, level=0.05)
    peaky[:: RATE // 3] = 0.8
    done = master(line(peaky), "an engine")
    assert done.measurements.peak_db is not None
    assert done.measurements.peak_db <= -1.0
    assert done.measurements.lufs is not None
    assert -30 < done.measurements.lufs < -17


def test_a_very_short_line_is_levelled_and_says_that_it_was_not_measured() -> None:
    loud, soft = (master(line(babble(0.25, level=level)), "an engine") for level in (0.5, 0.01))
    assert loud.measurements.lufs is None
    rms = [float(np.sqrt(np.mean(floats(done.wav.pcm) ** 2))) for done in (loud, soft)]
    assert rms[0] == pytest.approx(rms[1], rel=0.06)


@pytest.mark.parametrize("sound", [line(1.0), Sound(b"", RATE), line(babble(1.0, level=0.0005))])
def test_silence_is_never_passed_off_as_speech(sound: Sound) -> None:
    with pytest.raises(VoiceError, match="an engine returned silence instead of speech"):
        master(sound, "an engine")


def test_the_true_peak_lies_between_the_samples() -> None:
    at = np.arange(RATE) / RATE
    wave = np.sin(2 * np.pi * RATE / 4 * at + np.pi / 4).astype(np.float32)
    assert np.abs(wave).max() == pytest.approx(0.7071, abs=0.001)
    assert true_peak(wave, RATE) == pytest.approx(1.0, abs=0.02)


def test_flat_tops_are_bent_back_and_nothing_else_is_touched() -> None:
    at = np.arange(RATE) / RATE
    whole = (1.3 * np.sin(2 * np.pi * 200 * at)).astype(np.float32)
    clipped = np.clip(whole, -1, 32767 / 32768)
    mended = declipped(clipped)
    was = np.abs(whole) < 0.99
    assert (mended[was] == clipped[was]).all()
    assert np.abs(mended - whole).mean() < 0.5 * np.abs(clipped - whole).mean()


def test_a_clipped_line_is_mended_before_it_is_levelled() -> None:
    """A sine's peak is 3 dB over its power; clipping takes a third of that away, and mastering gives it back."""
    at = np.arange(RATE) / RATE
    clipped = np.clip(1.3 * np.sin(2 * np.pi * 200 * at), -1, 32767 / 32768).astype(np.float32)
    done = floats(master(line(clipped), "an engine").wav.pcm)[RATE // 10 : -RATE // 10]
    crest_before, crest_after = (20 * np.log10(np.abs(x).max() / np.sqrt(np.mean(x**2))) for x in (clipped, done))
    assert crest_before < 2
    assert crest_after > 2.5


def test_a_copy_at_another_rate_keeps_length_and_loudness() -> None:
    wav = master(line(babble(2.0)), "an engine").wav
    copy = at_rate(wav, 48_000)
    assert copy.sample_rate == 48_000
    assert copy.seconds == pytest.approx(wav.seconds, abs=0.002)
    before, after = measured(wav), measured(copy)
    assert before.lufs is not None
    assert after.lufs == pytest.approx(before.lufs, abs=0.3)
    assert after.peak_db is not None
    assert after.peak_db <= -1.0
