"""Mastering: a line without the silence around it, as loud as every other, and never over the ceiling.

Loudness is measured in LUFS and peaks in dBTP, by the same meter and limiter as whole programmes. Imported only where
sound is made: it needs numpy and soxr.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import soxr

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices.cache import Measurements
from dramaturg.voices.limiter import CEILING_DB, PeakMeter, limited
from dramaturg.voices.loudness import Frames, Mono, integrated
from dramaturg.voices.noise_gate import gated, noise_floor
from dramaturg.voices.port import Sound, WordTime
from dramaturg.voices.wav import Wav

TARGET_LUFS = -16.0
# What a copy is scaled down to, so that rounding to 16 bits stays below the ceiling.
_AIM = 10 ** ((CEILING_DB - 0.05) / 20)
_BLOCK = 0.4
_QUIET, _BELOW_PEAK = 10 ** (-60 / 20), 10 ** (-36 / 20)
_LEAD, _TAIL, _FADE_IN, _FADE_OUT = 0.02, 0.06, 0.005, 0.04
_MOST_GAIN = 54.0
# The limiter may take this much off the loudest peak; a line that would need more stays a little quieter.
_MOST_LIMITED = 12.0
_CLOSE = 0.05


@dataclass(frozen=True, slots=True)
class MasteredWav:
    """A mastered line, ready to be written, and its measurements."""

    wav: Wav
    measurements: Measurements


def master(sound: Sound, engine: str) -> MasteredWav:
    """Trim, declip and level a line, and gate the noise in its pauses. Raises VoiceError if it is silent."""
    samples, rate = floats(sound.pcm), sound.sample_rate
    span = audible(samples, rate)
    if span is None:
        raise VoiceError(f"{engine} returned silence instead of speech; nothing was written.", engine=engine)
    samples = declipped(samples)
    first = max(0, span[0] - round(_LEAD * rate))
    last = min(len(samples), span[1] + round(_TAIL * rate))
    cut = faded(samples[first:last], rate)
    wav = Wav(sixteen_bits(gated(levelled(cut, rate), rate)), rate)
    words = shifted(sound.words, first / rate, (span[1] - first) / rate)
    return MasteredWav(wav, measured(wav, words))


def measured(wav: Wav, words: tuple[WordTime, ...] = ()) -> Measurements:
    """Loudness and true peak of a file; the loudness is None below 0.4 s, for which it is not defined."""
    samples = floats(wav.pcm)
    lufs = loudness(samples, wav.sample_rate) if wav.seconds >= _BLOCK else None
    peak = true_peak(samples, wav.sample_rate)
    return Measurements(
        lufs=None if lufs is None else round(lufs, 2),
        peak_db=round(20 * float(np.log10(peak)), 2) if peak > 0 else None,
        words=words,
        floor_db=noise_floor(samples, wav.sample_rate),
    )


def floats(pcm: bytes) -> Mono:
    return np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2").astype(np.float32) / np.float32(32768)


def sixteen_bits(samples: Mono) -> bytes:
    return np.clip(np.rint(samples * 32768), -32768, 32767).astype("<i2").tobytes()


def audible(samples: Mono, rate: int) -> tuple[int, int] | None:
    """The first audible sample and the one after the last; None for silence.

    Audible is a window of 10 ms above -60 dB and no more than 36 dB below the loudest: below that, engines breathe.
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
    """Word times after the lead was cut, clamped to the start and the end of the sound."""

    def at(time: float) -> float:
        return round(min(max(time - by, 0.0), end), 3)

    return tuple(WordTime(word=word.word, start=at(word.start), end=at(word.end)) for word in words)


def faded(samples: Mono, rate: int) -> Mono:
    """Faded in and out, so that the cuts make no click."""
    out = samples.copy()
    rise, fall = (min(round(seconds * rate), len(samples) // 2) for seconds in (_FADE_IN, _FADE_OUT))
    out[:rise] *= np.linspace(0, 1, rise, endpoint=False, dtype=np.float32)
    out[len(out) - fall :] *= np.linspace(1, 0, fall, endpoint=False, dtype=np.float32)
    return out


def declipped(samples: Mono) -> Mono:
    """Clipped peaks of three samples or more, rebuilt by a curve through the samples on both sides of them."""
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


def loudness(samples: Mono, rate: int) -> float | None:
    """LUFS; None for silence. A line shorter than three gating blocks is measured as if it were repeated."""
    needed = round(3 * _BLOCK * rate)
    if len(samples) < needed:
        samples = np.tile(samples, -(-needed // len(samples)))
    return integrated([_frames(samples)], rate, channels=1)


def true_peak(samples: Mono, rate: int) -> float:
    """The highest point of the wave, between the samples too; 1 is full scale."""
    meter = PeakMeter(rate, channels=1)
    meter.feed(_frames(samples))
    peak = meter.true_peak()
    return 0.0 if peak is None else float(10 ** (peak / 20))


def levelled(samples: Mono, rate: int) -> Mono:
    """At the target loudness, with every peak under the ceiling."""
    before = loudness(samples, rate)
    peak = true_peak(samples, rate)
    if before is None:
        # Too quiet for the meter's gate: brought up to the ceiling by its peak alone.
        return samples * np.float32(_AIM / max(peak, 1e-6))
    most = min(_MOST_GAIN, CEILING_DB + _MOST_LIMITED - 20 * float(np.log10(max(peak, 1e-9))))
    gain = min(TARGET_LUFS - before, most)
    out = samples
    for _ in range(5):
        out = _amplified(samples, gain, rate)
        reached = loudness(out, rate)
        if reached is None or abs(TARGET_LUFS - reached) < _CLOSE or gain >= most:
            break
        gain = min(gain + TARGET_LUFS - reached, most)
    return out


def _amplified(samples: Mono, gain_db: float, rate: int) -> Mono:
    (frames,) = limited([_frames(samples)], gain_db, rate)
    return frames[:, 0].astype(np.float32)


def _frames(samples: Mono) -> Frames:
    return samples.astype(np.float64)[:, None]


def at_rate(wav: Wav, rate: int) -> Wav:
    """The same sound at another sample rate, still under the ceiling."""
    samples = soxr.resample(floats(wav.pcm), wav.sample_rate, rate, quality="VHQ")
    peak = true_peak(samples, rate)
    if peak > _AIM:
        samples = samples * np.float32(_AIM / peak)
    return Wav(sixteen_bits(samples), rate)
