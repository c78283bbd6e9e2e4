"""The Open Graph image of a shared result, drawn without files or network; equal input gives an equal image."""

from __future__ import annotations

import colorsys
import io
import math
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256

from PIL import Image, ImageDraw, ImageFont

from dramaturg.kernel.values import Value

WIDTH, HEIGHT = 1200, 630
SCALE = 3
MARGIN = 84
TEXT_WIDTH = 590
LINES = 22
POINTS = 720
Font = ImageFont.FreeTypeFont
Colour = tuple[int, int, int]


class OgImage(Value):
    """The text of the image. `key` determines the colour and the figure, so every archetype has its own."""

    kicker: str
    headline: str
    text: str
    foot: str
    key: str


@lru_cache(maxsize=64)
def render_png(card: OgImage) -> bytes:
    """The image as PNG, 1200 by 630."""
    chance = sha256(card.key.encode()).digest()
    hue = chance[0] / 256
    image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), _colour(hue, 0.42, 0.13))
    draw = ImageDraw.Draw(image)
    _ground(image, hue)
    _figure(draw, chance, hue)
    _words(draw, card, hue)
    small = image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True)
    return file.getvalue()


def _ground(image: Image.Image, hue: float) -> None:
    """A gradient from dark to slightly lighter, left to right."""
    strip = Image.new("RGB", (256, 1))
    for place in range(256):
        strip.putpixel((place, 0), _colour(hue + 0.06 * place / 256, 0.5, 0.10 + 0.12 * place / 256))
    image.paste(strip.resize(image.size, Image.Resampling.BICUBIC))


def _figure(draw: ImageDraw.ImageDraw, chance: bytes, hue: float) -> None:
    """Lines around a centre, their shape derived from the key."""
    petals, twist = 2 + chance[1] % 6, 0.15 + chance[2] / 256 * 0.5
    second, turn = 1 + chance[3] % 4, chance[4] / 256 * math.tau
    centre = (WIDTH - 250) * SCALE, HEIGHT * SCALE / 2
    for number in range(LINES):
        share = number / LINES
        radius = (62 + 128 * share) * SCALE
        colour = _colour(hue + 0.12 * share, 0.55, 0.35 + 0.5 * share)
        line = list(_bent(centre, radius, (petals, second), (twist * share, turn + share * 1.2)))
        draw.line(line, fill=colour, width=2 * SCALE, joint="curve")


def _bent(
    centre: tuple[float, float], radius: float, waves: tuple[int, int], how: tuple[float, float]
) -> Iterator[tuple[float, float]]:
    depth, turn = how
    for step in range(POINTS + 1):
        angle = math.tau * step / POINTS
        bend = 1 + depth * 0.5 * math.sin(waves[0] * angle + turn) + depth * 0.2 * math.cos(waves[1] * angle - turn)
        yield centre[0] + radius * bend * math.cos(angle), centre[1] + radius * bend * math.sin(angle)


def _words(draw: ImageDraw.ImageDraw, card: OgImage, hue: float) -> None:
    bright, soft = (250, 248, 244), _colour(hue, 0.18, 0.82)
    top = MARGIN
    top = _column(draw, card.kicker, 28, top, soft, most=1) + 26
    size = next((size for size in (88, 72, 58, 46) if len(_wrapped(card.headline, _font(size))) <= 2), 46)
    top = _column(draw, card.headline, size, top, bright, most=3) + 24
    _column(draw, card.text, 32, top, soft, most=max(1, (HEIGHT - MARGIN - 60 - top) // 44))
    _column(draw, card.foot, 24, HEIGHT - MARGIN - 10, soft, most=1)


def _column(draw: ImageDraw.ImageDraw, text: str, size: int, top: int, colour: Colour, *, most: int) -> int:
    """Draws lines of text from a height down, truncating the last if there are too many. Returns the height below."""
    font = _font(size)
    lines = _wrapped(_drawable(text, font), font)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1].rstrip('.,;: ')}…"]
    for line in lines:
        draw.text((MARGIN * SCALE, top * SCALE), line, font=font, fill=colour)
        top += round(size * 1.32)
    return top


def _wrapped(text: str, font: Font) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and font.getlength(joined) <= TEXT_WIDTH * SCALE:
            lines[-1] = joined
        else:
            lines.append(word)
    return [_clipped(line, font) for line in lines]


def _clipped(line: str, font: Font) -> str:
    while len(line) > 1 and font.getlength(line) > TEXT_WIDTH * SCALE:
        line = line[:-2] + "…"
    return line


def _drawable(text: str, font: Font) -> str:
    """The text without glyphs the font lacks: a gap reads better than a box."""
    missing = bytes(font.getmask("\uffff"))
    return "".join(letter for letter in text if letter.isspace() or bytes(font.getmask(letter)) != missing)


@lru_cache(maxsize=16)
def _font(size: int) -> Font:
    font = ImageFont.load_default(size * SCALE)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def _colour(hue: float, saturation: float, value: float) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, saturation, value)
    return round(red * 255), round(green * 255), round(blue * 255)
