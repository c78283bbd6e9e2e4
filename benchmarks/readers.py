"""Reading time over size, for every reader of a model's text: `python -m benchmarks.readers` draws the picture.

For each reader the slowest of a sample of the hostile texts at each size; both axes are logarithmic, so that work
in proportion to the text is a straight line of slope one.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

from tests.hostile.readers import READERS, Reader
from tests.hostile.texts import TEXTS

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "readers.svg"
SIZES = (2_000, 6_000, 20_000, 60_000, 200_000)
SAMPLE = list(TEXTS.values())[::12]
"""The texts that are timed."""
WIDTH, HEIGHT, LEFT, TOP = 900, 560, 80, 50
LOW, HIGH = -5.0, 1.0
TRIES = 2
"""Of each reading, the fastest counts: what the machine does besides is no part of it."""
COLOURS = {
    "scenes": "#b5523b",
    "episodes": "#3b6fb5",
    "workshop": "#5a8f3c",
    "ensemble": "#8a4fa8",
    "voices": "#c08a1e",
    "kernel": "#555",
    "what all share": "#2f9090",
}


def seconds(reader: Reader, text: str) -> float:
    taken = []
    for number in range(TRIES):
        fresh = text + "x" * number  # some readers remember what they have read
        before = time.process_time()
        reader(fresh)
        taken.append(time.process_time() - before)
    return min(taken)


def measured() -> dict[str, list[float]]:
    """The seconds that each reader takes for the slowest text of each size."""
    return {
        name: [max(1e-6, *(seconds(reader, text(size)) for text in SAMPLE)) for size in SIZES]
        for name, reader in READERS.items()
    }


def place(size: float, value: float) -> str:
    across = math.log10(size / SIZES[0]) / math.log10(SIZES[-1] / SIZES[0])
    up = max(0.0, (math.log10(value) - LOW) / (HIGH - LOW))
    return f"{LEFT + across * WIDTH:.1f},{TOP + (1 - up) * HEIGHT:.1f}"


def drawn(rows: dict[str, list[float]]) -> str:
    wide, high = WIDTH + 120, HEIGHT + 130
    title = f"Reading time over size: {len(rows)} readers, each with the slowest of {len(SAMPLE)} hostile texts"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="14">',
        f'<rect width="{wide}" height="{high}" fill="#fff"/>',
        f'<text x="{LEFT}" y="28" font-size="18">{title}</text>',
    ]
    for size in SIZES:
        x, bottom = place(size, 10**LOW).split(",")
        parts.append(f'<path d="M{x},{TOP} V{bottom}" stroke="#ddd"/>')
        parts.append(f'<text x="{x}" y="{HEIGHT + TOP + 22}" text-anchor="middle">{size // 1000} kB</text>')
    for power in range(math.ceil(LOW), math.floor(HIGH) + 1):
        y = place(SIZES[0], 10.0**power).split(",")[1]
        named = f"{10**power} s" if power >= 0 else f"{10 ** (power + 3):g} ms"
        parts.append(f'<path d="M{LEFT},{y} H{LEFT + WIDTH}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y}" text-anchor="end" dominant-baseline="middle">{named}</text>')
    (low, high) = (place(size, 2e-5 * size).split(",") for size in (SIZES[0], SIZES[-1]))
    guide = f"M{low[0]},{low[1]} L{high[0]},{high[1]}"
    parts.append(f'<path d="{guide}" stroke="#000" stroke-width="2" stroke-dasharray="7 5"/>')
    parts.append(f'<text x="{LEFT + WIDTH - 8}" y="{float(high[1]) - 12}" text-anchor="end">in proportion</text>')
    for name, values in rows.items():
        points = " ".join(place(size, value) for size, value in zip(SIZES, values, strict=True))
        colour = COLOURS.get(name.partition(":")[0], COLOURS["what all share"])
        line = f'<polyline points="{points}" fill="none" stroke="{colour}" opacity="0.75">'
        parts.append(f"{line}<title>{name}</title></polyline>")
    for number, (name, colour) in enumerate(COLOURS.items()):
        x, y = LEFT + number * 124, HEIGHT + TOP + 56
        parts.append(f'<path d="M{x},{y} h24" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{x + 32}" y="{y + 5}">{name}</text>')
    return "\n".join((*parts, "</svg>", ""))


def main() -> None:
    rows = measured()
    PICTURE.write_text(drawn(rows), encoding="utf-8")
    for name, values in sorted(rows.items(), key=lambda row: -row[1][-1]):
        print(f"{name:42}" + "".join(f"{1000 * value:10.2f}" for value in values) + " ms")
    print(PICTURE)


if __name__ == "__main__":
    main()
