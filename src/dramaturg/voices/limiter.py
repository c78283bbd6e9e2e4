"""The true-peak meter and the limiter: no peak passes the ceiling, not even one between two samples.

Both take sound in blocks of frames at any sample rate, and interpolate to at least 192 kHz, as ITU-R BS.1770-4 asks.
Needs numpy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np

from dramaturg.voices.loudness import RATE, Frames

CEILING_DB = -1.0

_TAPS = 12
_LOOK_SECONDS = 0.005
"""How far the limiter looks ahead and back."""
_OVERSAMPLED_RATE, _LEAST_FACTOR = 192_000, 4
_SAFETY_DB = 0.1
"""What a moving gain and rounding to 16 bits may add to a peak."""


class PeakMeter:
    """Takes blocks and gives the highest true peak among them, in dBTP."""

    def __init__(self, rate: int = RATE, channels: int = 2) -> None:
        self._rate = rate
        self._before = np.zeros((2 * _TAPS, channels))
        self._highest = 0.0

    def feed(self, block: Frames) -> None:
        joined = np.concatenate((self._before, block))
        # The outermost frames are judged once the frames on both sides of them are known.
        peaks = _peaks(joined, self._highest, self._rate)[_TAPS:-_TAPS]
        self._highest = max(self._highest, float(peaks.max(initial=0.0)))
        self._before = joined[-2 * _TAPS :]

    def true_peak(self) -> float | None:
        """Call once, at the end. None for silence."""
        self.feed(np.zeros((_TAPS, self._before.shape[1])))
        return 20 * math.log10(self._highest) if self._highest > 0 else None


def limited(blocks: Iterable[Frames], gain_db: float, rate: int = RATE) -> Iterator[Frames]:
    """The blocks, amplified by the gain, and turned down smoothly around every peak above the ceiling.

    The result does not depend on how the sound is divided into blocks.
    """
    gain = 10 ** (gain_db / 20)
    margin = _margin(rate)
    before: Frames | None = None
    held: Frames | None = None
    for block in blocks:
        louder = block * gain
        if before is None or held is None:
            before, held = np.zeros((margin, block.shape[1])), louder
            continue
        held = np.concatenate((held, louder))
        if len(held) <= margin:
            continue
        ready, held = held[:-margin], held[-margin:]
        yield _turned_down(np.concatenate((before, ready, held)), rate)
        before = np.concatenate((before, ready))[-margin:]
    if before is not None and held is not None:
        yield _turned_down(np.concatenate((before, held, np.zeros_like(before))), rate)


def _turned_down(padded: Frames, rate: int) -> Frames:
    """The frames between the margins.

    The gain at each is an average over its neighbours, none of which allows more than the peak itself does: so the
    peak never exceeds the ceiling.
    """
    margin, look = _margin(rate), _look(rate)
    inner = padded[margin:-margin]
    ceiling = 10 ** ((CEILING_DB - _SAFETY_DB) / 20)
    peaks = _peaks(padded, ceiling, rate)
    if peaks.max() <= ceiling:
        return inner
    allowed = np.minimum(1.0, ceiling / np.maximum(peaks, 1e-9))
    reach = 2 * look + 1
    window = np.hanning(reach + 2)[1:-1]
    smooth = np.convolve(_lowest(allowed, reach), window / window.sum(), mode="valid")
    start = margin - 2 * look
    quieter: Frames = inner * smooth[start : start + len(inner), None]
    return quieter


def _look(rate: int) -> int:
    return round(_LOOK_SECONDS * rate)


def _margin(rate: int) -> int:
    return 2 * _look(rate) + 2 * _TAPS


def _lowest(values: Frames, reach: int) -> Frames:
    """The minimum of every `reach` values in a row; each step doubles the span that a value stands for."""
    span = 1
    while 2 * span <= reach:
        values = np.minimum(values[:-span], values[span:])
        span *= 2
    rest = reach - span
    return np.minimum(values[: len(values) - rest], values[rest:])


def _peaks(frames: Frames, above: float, rate: int) -> Frames:
    """For each frame the highest absolute value in it and between it and its neighbours.

    If no value can exceed `above`, nothing is interpolated.
    """
    highest: Frames = np.abs(frames).max(axis=1)
    kernels = _interpolators(max(_LEAST_FACTOR, -(-_OVERSAMPLED_RATE // rate)))
    if highest.max() * _overshoot(kernels) <= above:
        return highest
    for kernel in kernels:
        for channel in range(frames.shape[1]):
            # The value at a fraction behind frame n counts for n and for n + 1.
            between = np.abs(np.convolve(frames[:, channel], kernel, mode="full")[_TAPS : _TAPS + len(frames)])
            np.maximum(highest, between, out=highest)
            np.maximum(highest[1:], between[:-1], out=highest[1:])
    return highest


@cache
def _interpolators(factor: int) -> tuple[Frames, ...]:
    return tuple(_interpolator(step / factor) for step in range(1, factor))


def _interpolator(fraction: float) -> Frames:
    """A windowed sinc that gives the value at `fraction` behind a frame."""
    places = np.arange(-_TAPS, _TAPS) + 1 - fraction
    window = np.cos(np.pi * places / (2 * _TAPS + 1)) ** 2
    kernel = (np.sinc(places) * window)[::-1]
    return np.asarray(kernel / kernel.sum(), np.float64)


def _overshoot(kernels: tuple[Frames, ...]) -> float:
    """How much higher than every frame a value between frames can be, at most."""
    return max(float(np.abs(kernel).sum()) for kernel in kernels)
