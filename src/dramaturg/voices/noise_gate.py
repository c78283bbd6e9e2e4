"""The noise gate: what an engine hisses between the words is turned down, the words are not."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dramaturg.voices.loudness import Mono

Levels: TypeAlias = NDArray[np.float64]

ALLOWED_DB = -60.0
"""The noise that may stay between the words, in dBFS, once the line is at its loudness."""
_AIM_DB = -66.0
# The quietest 40 ms of a line are its noise, unless they are louder than noise ever is: then it has no pause.
# Windows of 2.5 ms find the edges of a pause closely enough that nothing of it is left beside a word.
_WINDOWS_A_SECOND, _STRETCH = 400, 16
_LOUDEST_NOISE_DB = -40.0
# Up to 6 dB over that it is noise, too.
_ABOVE_NOISE = 10 ** (6 / 20)


def noise_floor(samples: Mono, rate: int) -> float | None:
    """The level of the quietest pause in dBFS; None if there is no pause, or nothing at all is heard in it."""
    level = _levels(samples, rate)
    if len(level) < 2 * _STRETCH:
        return None
    stretches = np.sqrt(np.convolve(np.square(level), np.ones(_STRETCH) / _STRETCH, mode="valid"))
    quietest = float(stretches.min())
    if quietest <= 0:
        return None
    floor = 20 * float(np.log10(quietest))
    return round(floor, 1) if floor < _LOUDEST_NOISE_DB else None


def gated(samples: Mono, rate: int) -> Mono:
    """The line with its pauses below the allowed noise; as it is if they are."""
    floor = noise_floor(samples, rate)
    if floor is None or floor <= ALLOWED_DB:
        return samples
    quiet = _levels(samples, rate) < 10 ** (floor / 20) * _ABOVE_NOISE
    curve = _gains(_pauses(quiet), 10 ** ((_AIM_DB - floor) / 20), len(samples), _window(rate))
    quieter: Mono = (samples * curve).astype(np.float32)
    return quieter


def _window(rate: int) -> int:
    return max(1, rate // _WINDOWS_A_SECOND)


def _levels(samples: Mono, rate: int) -> Levels:
    """The level of each window, but of a last one that is not full."""
    window = _window(rate)
    whole = samples[: len(samples) // window * window].astype(np.float64).reshape(-1, window)
    level: Levels = np.sqrt(np.mean(np.square(whole), axis=1))
    return level


def _pauses(quiet: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where quiet windows are a pause: the first and the one after the last. A few of them may be the end of a word."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], quiet.astype(np.int8), [0]))))
    pairs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(first, after) for first, after in pairs if after - first >= _STRETCH]


def _gains(pauses: list[tuple[int, int]], low: float, count: int, window: int) -> Levels:
    """The gain of each sample: within one window of a pause it goes down and up, never within a word."""
    at, gain = [0], [1.0]
    for first, after in pauses:
        at += [first * window, (first + 1) * window, (after - 1) * window, after * window]
        gain += [1.0, low, low, 1.0]
    curve: Levels = np.interp(np.arange(count), [*at, count], [*gain, 1.0])
    return curve
