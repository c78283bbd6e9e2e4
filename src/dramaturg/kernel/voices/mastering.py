"""Mastering: a line without the silence around it, as loud as every other, and never over the ceiling.

Loudness is that of ITU-R BS.1770 (LUFS), the peak is the true one between the samples (dBTP). Imported only where
sound is made: it needs numpy, scipy, pyloudnorm and soxr.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyloudnorm
import soxr
from numpy.typing import NDArray
from scipy.ndimage import minimum_filter1d
from scipy.signal import resample_poly

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.voices.port import Sound, WordTime
from dramaturg.kernel.voices.shelf import Measures
from dramaturg.kernel.voices.wav import Wav

Samples = NDArray[np.float32]

TARGET, CEILING = -16.0, -1.0
# What the limiter aims at, so that rounding to 16 bits stays below the ceiling.
_AIM = 10 ** ((CEILING - 0.05) / 20)
_BLOCK = 0.4
_QUIET, _BELOW_PEAK = 10 ** (-60 / 20), 10 ** (-36 / 20)
_LEAD, _TAIL, _FADE_IN, _FADE_OUT = 0.02, 0.06, 0.005, 0.04
_LOOK = 0.005
_MOST_GAIN = 40.0
# The limiter may take this much off the loudest peak; a line that would need more stays a little quieter.
_MOST_LIMITED = 12.0


@dataclass(frozen=True, slots=True)
class Mastered:
    """A line as it goes into its file."""

    wav: Wav
    measures: Measures


def master(sound: Sound, engine: str) -> Mastered:
    """The line, finished. Raises VoiceError where nothing can be heard."""
    samples, rate = floats(sound.pcm), sound.sample_rate
    span = audible(samples, rate)
    if span is None:
        raise VoiceError(f"{engine} gave silence instead of speech; nothing was written.", engine=engine)
    samples = declipped(samples)
    first = max(0, span[0] - round(_LEAD * rate))
    last = min(len(samples), span[1] + round(_TAIL * rate))
    cut = faded(samples[first:last], rate)
    wav = Wav(sixteen_bits(levelled(cut, rate)), rate)
    words = shifted(sound.words, first / rate, (span[1] - first) / rate)
    return Mastered(wav, measured(wav, words))


def measured(wav: Wav, words: tuple[WordTime, ...] = ()) -> Measures:
    """Loudness and true peak of what is in a file; the loudness is None below the 0.4 s that it is defined for."""
    samples = floats(wav.pcm)
    lufs = loudness(samples, wav.sample_rate) if wav.seconds >= _BLOCK else None
    peak = true_peak(samples, wav.sample_rate)
    return Measures(
        lufs=round(lufs, 2) if lufs is not None and np.isfinite(lufs) else None,
        peak_db=round(20 * float(np.log10(peak)), 2) if peak > 0 else None,
        words=words,
    )


def floats(pcm: bytes) -> Samples:
    return np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2").astype(np.float32) / np.float32(32768)


def sixteen_bits(samples: Samples) -> bytes:
    return np.clip(np.rint(samples * 32768), -32768, 32767).astype("<i2").tobytes()


def audible(samples: Samples, rate: int) -> tuple[int, int] | None:
    """The first sample that is heard and the one after the last; None for silence.

    Heard is what is loud in a window of 10 ms: over -60 dB, and not 36 dB below the loudest, where engines breathe.
    """
    window = max(1, rate // 100)
    if not len(samples) or not np.isfinite(samples).all():
        return None
    padded = np.pad(samples, (0, -len(samples) % window))
    level = np.sqrt(np.mean(np.square(padded.reshape(-1, window)), axis=1))
    loud = np.flatnonzero(level > max(_QUIET, float(level.max()) * _BELOW_PEAK))
    if not len(loud):
        return None
    return int(loud[0]) * window, min(len(samples), (int(loud[-1]) + 1) * window)


def shifted(words: tuple[WordTime, ...], by: float, end: float) -> tuple[WordTime, ...]:
    """Word times after the lead was cut, none before the start nor after the last sound."""

    def at(time: float) -> float:
        return round(min(max(time - by, 0.0), end), 3)

    return tuple(WordTime(word=word.word, start=at(word.start), end=at(word.end)) for word in words)


def faded(samples: Samples, rate: int) -> Samples:
    """No click where the line was cut out."""
    out = samples.copy()
    rise, fall = (min(round(seconds * rate), len(samples) // 2) for seconds in (_FADE_IN, _FADE_OUT))
    out[:rise] *= np.linspace(0, 1, rise, endpoint=False, dtype=np.float32)
    out[len(out) - fall :] *= np.linspace(1, 0, fall, endpoint=False, dtype=np.float32)
    return out


def declipped(samples: Samples) -> Samples:
    """Flat tops of three samples or more at full scale, bent back by a curve through what stands beside them."""
    flat = np.flatnonzero(np.abs(samples) >= 32766 / 32768)
    if len(flat) < 3:
        return samples
    out = samples.astype(np.float32, copy=True)
    for run in np.split(flat, np.flatnonzero(np.diff(flat) > 1) + 1):
        before, after = int(run[0]) - 2, int(run[-1]) + 2
        if len(run) < 3 or before < 0 or after >= len(out) or len(run) > 64:
            continue
        known = np.array([before, before + 1, after - 1, after])
        curve = np.polynomial.Polynomial.fit(known, samples[known], 3)
        bent = curve(run.astype(np.float64))
        sign = np.sign(samples[run[0]])
        out[run] = sign * np.clip(np.abs(bent), np.abs(samples[run]), 2.0)
    return out


def loudness(samples: Samples, rate: int) -> float:
    """LUFS. A line shorter than a few blocks is measured as if it were said again and again."""
    needed = round(3 * _BLOCK * rate)
    if len(samples) < needed:
        samples = np.tile(samples, -(-needed // len(samples)))
    return float(pyloudnorm.Meter(rate, block_size=_BLOCK).integrated_loudness(samples.astype(np.float64)))


def true_peak(samples: Samples, rate: int) -> float:
    """The highest point of the wave, between the samples too."""
    return float(np.abs(_oversampled(samples, rate)).max(initial=0.0))


def levelled(samples: Samples, rate: int) -> Samples:
    """At the target loudness, with every peak under the ceiling."""
    before = loudness(samples, rate)
    if not np.isfinite(before):
        # Too quiet for the meter's gate: brought up to the ceiling by its peak alone.
        return samples * np.float32(_AIM / max(true_peak(samples, rate), 1e-6))
    peak = 20 * float(np.log10(max(true_peak(samples, rate), 1e-9)))
    most = min(_MOST_GAIN, CEILING + _MOST_LIMITED - peak)
    gain = min(TARGET - before, most)
    out = samples
    for _ in range(5):
        out = limited(samples * np.float32(10 ** (gain / 20)), rate)
        missing = TARGET - loudness(out, rate)
        if abs(missing) < 0.05 or gain >= most:
            break
        gain = min(gain + missing, most)
    return out


def limited(samples: Samples, rate: int) -> Samples:
    """Peaks over the ceiling are turned down smoothly, beginning shortly before they come."""
    factor = _factor(rate)
    over = np.abs(_oversampled(samples, rate)).reshape(-1, factor).max(axis=1)
    # A peak between two samples lies with the one before it and the one after it.
    heights = np.maximum(over, np.roll(over, 1))
    if heights.max(initial=0.0) <= _AIM:
        return samples
    wanted = np.minimum(1.0, _AIM / np.maximum(heights, 1e-9))
    width = 2 * round(_LOOK * rate) + 1
    held = minimum_filter1d(wanted, 2 * width - 1, mode="nearest")
    window = np.hanning(width + 2)[1:-1]
    smooth = np.convolve(np.pad(held, width // 2, mode="edge"), window / window.sum(), mode="valid")
    out = (samples * smooth).astype(np.float32)
    peak = true_peak(out, rate)
    return out * np.float32(_AIM / peak) if peak > _AIM else out


def at_rate(wav: Wav, rate: int) -> Wav:
    """The same sound at another sample rate, still under the ceiling."""
    samples = soxr.resample(floats(wav.pcm), wav.sample_rate, rate, quality="VHQ")
    peak = true_peak(samples, rate)
    if peak > _AIM:
        samples = samples * np.float32(_AIM / peak)
    return Wav(sixteen_bits(samples), rate)


def _factor(rate: int) -> int:
    return max(4, -(-192_000 // rate))


def _oversampled(samples: Samples, rate: int) -> Samples:
    oversampled: Samples = resample_poly(samples, _factor(rate), 1)
    return oversampled
