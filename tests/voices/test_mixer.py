"""Programmes as sound: real files in, a real file out, measured."""

import io
import tracemalloc
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soxr

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices.mixer import CUT_FADE, RATE, blocks, mix_to
from dramaturg.voices.programme import Placement, Programme, duration_ms, timeline
from tests.voices.reference_meter import reference_loudness
from tests.voices.tone_lines import passage, tone_line

Sound = np.ndarray


def mixed(programme: Programme, root: Path) -> tuple[bytes, tuple[Placement, ...]]:
    placed = timeline(programme)
    file = io.BytesIO()
    made = mix_to(file, placed, duration_ms(programme, placed), root)
    data = file.getvalue()
    assert made.bytes == len(data)
    return data, placed


def heard(data: bytes) -> Sound:
    with wave.open(io.BytesIO(data)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (48_000, 2, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2) / 32768


def during(sound: Sound, placement: Placement) -> Sound:
    return sound[placement.start_ms * 48 : placement.end_ms * 48]


def decibels(sound: Sound) -> float:
    return float(10 * np.log10(np.mean(np.square(sound)) + 1e-20))


@dataclass(frozen=True)
class Mixed:
    programme: Programme
    root: Path
    data: bytes
    placed: tuple[Placement, ...]

    @property
    def sound(self) -> Sound:
        return heard(self.data)


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """Two speakers at the sides and one in the middle; the second line is cut by the third."""
    root = tmp_path_factory.mktemp("four")
    lines = [
        passage(tone_line(root, "1.wav", 1500, pitch=300), 1, seat=-0.6),
        passage(tone_line(root, "2.wav", 2000, pitch=500, rate=22_050), 2, seat=0.6, ends_at_ms=900, overlap_ms=180),
        passage(tone_line(root, "3.wav", 1200, pitch=300), 3, seat=-0.6),
        passage(tone_line(root, "4.wav", 1800, pitch=200, rate=48_000), 4, gap_ms=900, level=-6),
    ]
    programme = Programme(title="Four", passages=tuple(lines))
    return Mixed(programme, root, *mixed(programme, root))


def test_the_file_is_a_whole_wav_as_long_as_the_timeline(four: Mixed) -> None:
    data, placed = four.data, four.placed
    assert int.from_bytes(data[4:8], "little") == len(data) - 8
    assert int.from_bytes(data[40:44], "little") == len(data) - 44
    assert len(heard(data)) == 48 * duration_ms(four.programme, placed)


def test_it_is_as_loud_as_a_programme_should_be_and_never_over_the_ceiling(four: Mixed) -> None:
    sound = four.sound
    assert reference_loudness(sound, RATE) == pytest.approx(-16, abs=0.5)
    over = soxr.resample(sound, RATE, 4 * RATE, quality="VHQ")
    assert 20 * np.log10(np.abs(over).max()) <= -1.0


def test_lines_of_high_peaks_come_out_loud_enough_and_under_the_ceiling(tmp_path: Path) -> None:
    """Short bursts with long tails: the limiter has work to do, and what it takes is given back."""
    rng = np.random.default_rng(1)
    burst = np.exp(-np.arange(24_000) / 900) * rng.normal(size=24_000)
    samples = (np.tile(burst, 5) / np.abs(burst).max() * 0.3 * 32767).astype("<i2")
    recording = tone_line(tmp_path, "1.wav", 5000)
    with wave.open(str(tmp_path / "1.wav"), "wb") as file:
        file.setparams((1, 2, 24_000, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
    sound = heard(mixed(Programme(title="Bursts", passages=(passage(recording),)), tmp_path)[0])
    over = soxr.resample(sound, RATE, 4 * RATE, quality="VHQ")
    assert 20 * np.log10(np.abs(over).max()) <= -1.0
    assert reference_loudness(sound, RATE) == pytest.approx(-16, abs=0.5)


def test_everybody_is_heard_from_their_seat_with_the_same_power(four: Mixed) -> None:
    sound, placed = four.sound, four.placed
    left, _, _, centre = (during(sound, one) for one in placed)
    alone = sound[placed[1].start_ms * 48 : placed[2].start_ms * 48]
    assert decibels(left[:, 0]) - decibels(left[:, 1]) > 6
    assert decibels(alone[:, 1]) - decibels(alone[:, 0]) > 6
    assert decibels(centre[:, 0]) == pytest.approx(decibels(centre[:, 1]), abs=0.01)
    assert decibels(left) == pytest.approx(decibels(centre) + 6, abs=0.2)


def test_between_lines_there_is_silence_and_a_cut_line_is_gone_after_its_cut(four: Mixed) -> None:
    sound, placed = four.sound, four.placed
    assert not sound[: placed[0].start_ms * 48].any()
    assert not sound[placed[0].end_ms * 48 : placed[1].start_ms * 48].any()
    assert not sound[placed[3].end_ms * 48 :].any()
    # The cut line is at 500 Hz, what cuts it at 300: past the cut nothing of 500 is left.
    assert at_500(sound, placed[1].end_ms - 400, 100) > 0.05
    assert at_500(sound, placed[1].end_ms, 100) < 0.002
    assert placed[2].start_ms == placed[1].end_ms - 180


def at_500(sound: Sound, start: int, length: int) -> float:
    part = sound[start * 48 : (start + length) * 48, 1] * np.hanning(length * 48)
    return float(np.abs(part @ np.exp(-2j * np.pi * 500 * np.arange(len(part)) / RATE)) * 4 / len(part))


def test_no_join_clicks(four: Mixed) -> None:
    """No step from one sample to the next is higher than the tones themselves make."""
    sound, placed = four.sound, four.placed
    inside = sound[(placed[1].start_ms + 100) * 48 : (placed[1].start_ms + 300) * 48]
    steepest = np.abs(np.diff(inside, axis=0)).max()
    for edge in [one.start_ms for one in placed] + [one.end_ms for one in placed]:
        around = sound[edge * 48 - CUT_FADE : edge * 48 + CUT_FADE]
        assert np.abs(np.diff(around, axis=0)).max() <= 1.6 * steepest


def test_the_same_lines_give_the_same_bytes_in_blocks_of_any_size(four: Mixed) -> None:
    placed = four.placed
    assert mixed(four.programme, four.root)[0] == four.data
    length = duration_ms(four.programme, placed)
    whole = np.concatenate(list(blocks(placed, length, four.root, length)))
    for size in (10, 333, 1000):
        assert np.array_equal(np.concatenate(list(blocks(placed, length, four.root, size))), whole)


def test_silence_stays_silence_and_is_not_said_to_be_loud(tmp_path: Path) -> None:
    programme = Programme(title="Nothing", passages=(passage(tone_line(tmp_path, "1.wav", peak=0)),))
    placed = timeline(programme)
    file = io.BytesIO()
    made = mix_to(file, placed, duration_ms(programme, placed), tmp_path)
    assert (made.lufs, made.true_peak_db) == (None, None)
    assert not heard(file.getvalue()).any()


def test_a_recording_that_is_gone_cut_off_or_no_wav_is_named(tmp_path: Path) -> None:
    recording = tone_line(tmp_path, "1.wav")
    programme = Programme(title="One", passages=(passage(recording, text="Where were you?"),))
    (tmp_path / "1.wav").write_bytes((tmp_path / "1.wav").read_bytes()[:20_000])
    with pytest.raises(VoiceError, match=r"1\.wav is shorter than when it was recorded"):
        mixed(programme, tmp_path)
    (tmp_path / "1.wav").write_bytes(b"RIFF, or so it says")
    with pytest.raises(VoiceError, match=r"1\.wav cannot be read as a WAV file"):
        mixed(programme, tmp_path)
    (tmp_path / "1.wav").unlink()
    with pytest.raises(VoiceError, match="the recording of “Where were you\\?”"):
        mixed(programme, tmp_path)


def test_more_than_a_wav_can_hold_is_refused_before_anything_is_mixed(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match="more than a WAV file holds"):
        mix_to(io.BytesIO(), (), 7 * 3_600_000, tmp_path)


def test_a_long_programme_is_never_in_memory_whole(tmp_path: Path) -> None:
    line = tone_line(tmp_path, "1.wav", 3000, peak=0)
    programme = Programme(title="Long", passages=tuple(passage(line, number) for number in range(1, 31)))
    placed = timeline(programme)
    length = duration_ms(programme, placed)
    tracemalloc.start()
    try:
        with (tmp_path / "long.wav").open("wb") as file:
            made = mix_to(file, placed, length, tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert made.bytes == 44 + length * 48 * 4
    assert peak < length * 48 * 2 * 8 / 4, "as floats the whole would be four times this, and more"
