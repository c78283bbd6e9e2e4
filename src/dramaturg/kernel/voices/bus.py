"""The last stage of a mix: how loud it is, how high it peaks, and a limiter that lets no peak through.

Sound comes and goes in blocks of stereo frames at 48 kHz, so that an hour needs no more memory than a minute.
Loudness is integrated as ITU-R BS.1770-4 says; a true peak is looked for at four times the rate. Needs numpy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

RATE = 48_000
CEILING_DB = -1.0
Frames: TypeAlias = npt.NDArray[np.float64]

_BIN = RATE // 10
_WINDOW, _HISTORY = 65_536, 8_192
# The two filters of K-weighting at 48 kHz, as the recommendation prints them.
_SHELF = ((1.53512485958697, -2.69169618940638, 1.19839281085285), (1.0, -1.69065929318241, 0.73248077421585))
_HIGH_PASS = ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621))
_ABSOLUTE_GATE, _RELATIVE_GATE = -70.0, -10.0

_TAPS = 12
_LOOK = 240
"""Frames that the limiter looks ahead and back: 5 ms."""
_MARGIN = 2 * _LOOK + 2 * _TAPS
_SAFETY_DB = 0.1
"""What a moving gain and rounding to 16 bits may add to a peak."""


class LoudnessMeter:
    """Takes blocks and says how loud all of them were together, in LUFS."""

    def __init__(self) -> None:
        self._response = _k_weighting()
        self._waiting = np.zeros((_HISTORY, 2))
        self._weighted = np.zeros((0, 2))
        self._bins: list[float] = []

    def hear(self, block: Frames) -> None:
        self._waiting = np.concatenate((self._waiting, block))
        while len(self._waiting) >= _WINDOW:
            self._weigh(self._waiting[:_WINDOW])
            self._waiting = self._waiting[_WINDOW - _HISTORY :]

    def integrated(self) -> float | None:
        """Call once, at the end. None for less than 400 ms, or for silence."""
        left = len(self._waiting) - _HISTORY
        if left:
            self._weigh(np.pad(self._waiting, ((0, _WINDOW - len(self._waiting)), (0, 0))), left)
            self._waiting = self._waiting[:_HISTORY]
        bins = np.array(self._bins)
        if len(bins) < 4:
            return None
        blocks = (bins[:-3] + bins[1:-2] + bins[2:-1] + bins[3:]) / (4 * _BIN)
        blocks = blocks[_lufs(blocks) > _ABSOLUTE_GATE]
        if not len(blocks):
            return None
        heard = blocks[_lufs(blocks) > float(_lufs(blocks.mean())) + _RELATIVE_GATE]
        return float(_lufs(heard.mean()))

    def _weigh(self, window: Frames, count: int = _WINDOW - _HISTORY) -> None:
        # By overlap and save: what the filters still remember of the past is long gone after the history.
        spectrum = np.fft.rfft(window, axis=0) * self._response[:, None]
        weighted = np.fft.irfft(spectrum, _WINDOW, axis=0)[_HISTORY : _HISTORY + count]
        self._weighted = np.concatenate((self._weighted, weighted))
        whole = len(self._weighted) // _BIN
        powers = np.square(self._weighted[: whole * _BIN]).reshape(whole, _BIN * 2).sum(axis=1)
        self._bins.extend(powers.tolist())
        self._weighted = self._weighted[whole * _BIN :]


class PeakMeter:
    """Takes blocks and says the highest true peak among them, in dBTP."""

    def __init__(self) -> None:
        self._before = np.zeros((2 * _TAPS, 2))
        self._highest = 0.0

    def hear(self, block: Frames) -> None:
        joined = np.concatenate((self._before, block))
        # The outermost frames are judged when both their neighbourhoods are known.
        self._highest = max(self._highest, float(_peaks(joined, self._highest)[_TAPS:-_TAPS].max(initial=0.0)))
        self._before = joined[-2 * _TAPS :]

    def true_peak(self) -> float | None:
        """Call once, at the end. None for silence."""
        self.hear(np.zeros((_TAPS, 2)))
        return 20 * math.log10(self._highest) if self._highest > 0 else None


def limited(blocks: Iterable[Frames], gain_db: float) -> Iterator[Frames]:
    """The blocks, louder by the gain, and turned down smoothly around every peak above the ceiling.

    However the sound is cut into blocks, the same samples come out.
    """
    gain = 10 ** (gain_db / 20)
    before = np.zeros((_MARGIN, 2))
    held: Frames | None = None
    for block in blocks:
        louder = block * gain
        if held is not None:
            held = np.concatenate((held, louder))
            if len(held) <= _MARGIN:
                continue
            ready, held = held[:-_MARGIN], held[-_MARGIN:]
            yield _held_down(np.concatenate((before, ready, held)))
            before = np.concatenate((before, ready))[-_MARGIN:]
        else:
            held = louder
    if held is not None:
        yield _held_down(np.concatenate((before, held, np.zeros((_MARGIN, 2)))))


def _held_down(padded: Frames) -> Frames:
    """The frames between the margins. The gain at each is the average of what its neighbours within reach bear, and
    no neighbour bears more than the peak itself: so the peak is never above the ceiling."""
    inner = padded[_MARGIN:-_MARGIN]
    ceiling = 10 ** ((CEILING_DB - _SAFETY_DB) / 20)
    peaks = _peaks(padded, ceiling)
    if peaks.max() <= ceiling:
        return inner
    borne = np.minimum(1.0, ceiling / np.maximum(peaks, 1e-9))
    reach = 2 * _LOOK + 1
    lowest = np.lib.stride_tricks.sliding_window_view(borne, reach).min(axis=1)
    window = np.hanning(reach + 2)[1:-1]
    smooth = np.convolve(lowest, window / window.sum(), mode="valid")
    start = _MARGIN - 2 * _LOOK
    held: Frames = inner * smooth[start : start + len(inner), None]
    return held


def _peaks(frames: Frames, above: float) -> Frames:
    """For each frame the highest value in it and on the way to its neighbours, at four times the rate.

    Where no value can be `above`, nothing is looked for between the frames.
    """
    highest: Frames = np.abs(frames).max(axis=1)
    if highest.max() * _OVERSHOOT <= above:
        return highest
    for kernel in _INTERPOLATORS:
        for channel in (0, 1):
            # The value at a fraction behind frame n counts for n and for n + 1.
            between = np.abs(np.convolve(frames[:, channel], kernel, mode="full")[_TAPS : _TAPS + len(frames)])
            np.maximum(highest, between, out=highest)
            np.maximum(highest[1:], between[:-1], out=highest[1:])
    return highest


def _interpolator(fraction: float) -> Frames:
    """A windowed sinc that gives the value at `fraction` behind a frame."""
    places = np.arange(-_TAPS, _TAPS) + 1 - fraction
    window = np.cos(np.pi * places / (2 * _TAPS + 1)) ** 2
    kernel = (np.sinc(places) * window)[::-1]
    return np.asarray(kernel / kernel.sum(), np.float64)


_INTERPOLATORS = tuple(_interpolator(fraction) for fraction in (0.25, 0.5, 0.75))
_OVERSHOOT = max(float(np.abs(kernel).sum()) for kernel in _INTERPOLATORS)
"""How much higher than every frame a value between frames can be, at most."""


def _k_weighting() -> npt.NDArray[np.complex128]:
    step = np.exp(-2j * np.pi * np.fft.rfftfreq(_WINDOW))
    powers = np.stack((np.ones_like(step), step, step**2))
    response = np.ones_like(step)
    for over, under in (_SHELF, _HIGH_PASS):
        response = response * (np.array(over) @ powers) / (np.array(under) @ powers)
    return np.asarray(response, np.complex128)


def _lufs(power: Frames | np.float64) -> Frames:
    return np.asarray(-0.691 + 10 * np.log10(np.maximum(power, 1e-15)))
