"""A second loudness meter, written apart from ours: slow, plain, and with the whole sound in memory.

The filters are derived from their analogue prototypes and not copied from the printed coefficients; they are run as
recurrences in time, and the gates of ITU-R BS.1770-4 are applied to one block of 400 ms after another.
"""

from __future__ import annotations

import math

import numpy as np

SHELF_HZ, SHELF_Q, SHELF_DB, SHELF_SLOPE = 1681.974450955533, 0.7071752369554196, 3.999843853973347, 0.4996667741545416
HIGH_PASS_HZ, HIGH_PASS_Q = 38.13547087602444, 0.5003270373238773


def reference_loudness(sound: np.ndarray, rate: int) -> float:
    """LUFS of a whole sound; minus infinity for silence."""
    channels = np.atleast_2d(np.asarray(sound, np.float64).T)
    impulse = _impulse(rate)
    size = 2 ** math.ceil(math.log2(channels.shape[1] + len(impulse)))
    weighted = [np.fft.irfft(np.fft.rfft(one, size) * np.fft.rfft(impulse, size), size) for one in channels]
    block, step, powers = round(0.4 * rate), round(0.1 * rate), []
    for start in range(0, channels.shape[1] - block + 1, step):
        powers.append(sum(float(np.mean(one[start : start + block] ** 2)) for one in weighted))
    over_the_absolute_gate = [power for power in powers if power > 0 and _lufs(power) > -70]
    if not over_the_absolute_gate:
        return -math.inf
    gate = _lufs(sum(over_the_absolute_gate) / len(over_the_absolute_gate)) - 10
    counted = [power for power in over_the_absolute_gate if _lufs(power) > gate]
    return _lufs(sum(counted) / len(counted))


def _impulse(rate: int) -> list[float]:
    """What K-weighting makes of a single sample, for half a second."""
    k = math.tan(math.pi * SHELF_HZ / rate)
    gain = 10 ** (SHELF_DB / 20)
    middle = gain**SHELF_SLOPE * k / SHELF_Q
    shelf = (gain + middle + k * k, 2 * (k * k - gain), gain - middle + k * k)
    k2 = math.tan(math.pi * HIGH_PASS_HZ / rate)
    unit = [1.0, *([0.0] * (rate // 2))]
    whole = 1 + k2 / HIGH_PASS_Q + k2 * k2
    return _filtered(_filtered(unit, shelf, k, SHELF_Q), (whole, -2 * whole, whole), k2, HIGH_PASS_Q)


def _filtered(samples: list[float], over: tuple[float, float, float], k: float, q: float) -> list[float]:
    whole = 1 + k / q + k * k
    b0, b1, b2 = (value / whole for value in over)
    a1, a2 = 2 * (k * k - 1) / whole, (1 - k / q + k * k) / whole
    out: list[float] = []
    x1 = x2 = y1 = y2 = 0.0
    for x in samples:
        y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
        x1, x2, y1, y2 = x, x1, y, y1
        out.append(y)
    return out


def _lufs(power: float) -> float:
    return -0.691 + 10 * math.log10(power)
