"""A portrait for a character without one: head and shoulders against an evening sky, seeded by the name."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator
from hashlib import sha256
from math import sqrt

from dramaturg.characters.tavern.png import picture

WIDTH, HEIGHT = 256, 384
_SKY = 64
_FIGURE, _FACE = 64, 65


def drawn_portrait(name: str) -> bytes:
    """A small PNG, always the same for a name."""
    digest = sha256(name.encode("utf-8", "replace")).digest()
    hue = digest[0] / 256
    tilt = digest[1] % 25 - 12
    return picture(WIDTH, HEIGHT, _palette(hue), _rows(tilt))


def _palette(hue: float) -> bytes:
    sky = [colorsys.hls_to_rgb((hue + 0.12 * step / _SKY) % 1, 0.22 + 0.5 * step / _SKY, 0.45) for step in range(_SKY)]
    figure = colorsys.hls_to_rgb((hue + 0.55) % 1, 0.16, 0.3)
    face = colorsys.hls_to_rgb((hue + 0.5) % 1, 0.28, 0.28)
    return bytes(round(part * 255) for colour in (*sky, figure, face) for part in colour)


def _rows(tilt: int) -> Iterator[bytes]:
    for y in range(HEIGHT):
        row = bytearray([y * _SKY // HEIGHT]) * WIDTH
        _span(row, WIDTH // 2, _half(y, 395, 130, 108), _FIGURE)
        _span(row, WIDTH // 2 + tilt // 3, _half(y, 270, 45, 26), _FIGURE)
        _span(row, WIDTH // 2 + tilt, _half(y, 178, 78, 60), _FACE)
        yield bytes(row)


def _half(y: int, middle: int, high: int, wide: int) -> int:
    """Half the width of an ellipse at this height; -1 outside it."""
    away = (y - middle) / high
    return int(wide * sqrt(1 - away * away)) if abs(away) < 1 else -1


def _span(row: bytearray, middle: int, half: int, colour: int) -> None:
    if half >= 0:
        first, last = max(0, middle - half), min(WIDTH, middle + half + 1)
        row[first:last] = bytes([colour]) * (last - first)
