"""The loudness meter, as ITU-R BS.1770-4 defines it: integrated, gated, in LUFS.

One meter serves single lines and whole programmes. It takes sound in blocks of frames (one row per sample, one column
per channel), so that an hour needs no more memory than a minute. Needs numpy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

RATE = 48_000
Frames: TypeAlias = npt.NDArray[np.float64]
Mono: TypeAlias = npt.NDArray[np.float32]

_BINS_PER_GATE_BLOCK = 4
"""Gating blocks of 400 ms overlap by 75%; so power is summed in bins of 100 ms."""
_ABSOLUTE_GATE, _RELATIVE_GATE = -70.0, -10.0
# The two filters of K-weighting as the recommendation prints them, for 48 kHz.
_SHELF = ((1.53512485958697, -2.69169618940638, 1.19839281085285), (1.0, -1.69065929318241, 0.73248077421585))
_HIGH_PASS = ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621))
# By the end of the history (170 ms) the high-pass has forgotten everything before it.
_HISTORY, _WINDOWS_PER_HISTORY = 8_192, 8


class LoudnessMeter:
    """Takes blocks and gives the integrated loudness of all of them, in LUFS."""

    def __init__(self, rate: int = RATE, channels: int = 2) -> None:
        self._bin = round(rate / 10)
        self._history = _HISTORY * 2 ** max(0, math.ceil(math.log2(rate / RATE)))
        self._window = _WINDOWS_PER_HISTORY * self._history
        self._response = _k_weighting(rate, self._window)
        self._waiting = np.zeros((self._history, channels))
        self._weighted = np.zeros((0, channels))
        self._bins: list[float] = []

    def feed(self, block: Frames) -> None:
        self._waiting = np.concatenate((self._waiting, block))
        while len(self._waiting) >= self._window:
            self._weigh(self._waiting[: self._window], self._window - self._history)
            self._waiting = self._waiting[self._window - self._history :]

    def integrated(self) -> float | None:
        """Call once, at the end. None for less than 400 ms, and for silence."""
        left = len(self._waiting) - self._history
        if left:
            self._weigh(np.pad(self._waiting, ((0, self._window - len(self._waiting)), (0, 0))), left)
            self._waiting = self._waiting[: self._history]
        bins = np.array(self._bins)
        if len(bins) < _BINS_PER_GATE_BLOCK:
            return None
        blocks = (bins[:-3] + bins[1:-2] + bins[2:-1] + bins[3:]) / (_BINS_PER_GATE_BLOCK * self._bin)
        blocks = blocks[_lufs(blocks) > _ABSOLUTE_GATE]
        if not len(blocks):
            return None
        loud = blocks[_lufs(blocks) > float(_lufs(blocks.mean())) + _RELATIVE_GATE]
        return float(_lufs(loud.mean()))

    def _weigh(self, window: Frames, count: int) -> None:
        """Overlap-save: the first `history` frames of the result are discarded, the next `count` are used."""
        spectrum = np.fft.rfft(window, axis=0) * self._response[:, None]
        weighted = np.fft.irfft(spectrum, self._window, axis=0)[self._history : self._history + count]
        self._weighted = np.concatenate((self._weighted, weighted))
        whole = len(self._weighted) // self._bin
        powers = np.square(self._weighted[: whole * self._bin]).reshape(whole, -1).sum(axis=1) if whole else np.zeros(0)
        self._bins.extend(powers.tolist())
        self._weighted = self._weighted[whole * self._bin :]


def integrated(blocks: Iterable[Frames], rate: int = RATE, channels: int = 2) -> float | None:
    """The loudness of a whole sound, in LUFS; None for less than 400 ms, and for silence."""
    meter = LoudnessMeter(rate, channels)
    for block in blocks:
        meter.feed(block)
    return meter.integrated()


@cache
def _k_weighting(rate: int, window: int) -> npt.NDArray[np.complex128]:
    """Both filters as one frequency response: at any sample rate a frequency weighs what it weighs at 48 kHz."""
    hertz = np.minimum(np.fft.rfftfreq(window, 1 / rate), RATE / 2)
    step = np.exp(-2j * np.pi * hertz / RATE)
    powers = np.stack((np.ones_like(step), step, step**2))
    response = np.ones_like(step)
    for over, under in (_SHELF, _HIGH_PASS):
        response = response * (np.array(over) @ powers) / (np.array(under) @ powers)
    return np.asarray(response, np.complex128)


def _lufs(power: Frames | np.float64) -> Frames:
    return np.asarray(-0.691 + 10 * np.log10(np.maximum(power, 1e-15)))
