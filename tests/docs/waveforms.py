"""Draws a programme as docs/listening.md shows it: `python -m tests.docs.waveforms PROGRAMME.wav`.

Two pictures from the file as it was written: the whole of it, left and right, coloured by who speaks; and the
seconds around its first cut.
"""

from __future__ import annotations

import sys
import wave
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

from dramaturg.voices.programme import PassageRecord, ProgrammeManifest

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
WIDTH, LANE, TOP, EDGE = 960, 90, 44, 12
COLOURS = ("#7a7a7a", "#0b7285", "#b35900", "#5f3dc4", "#2b8a3e", "#a61e4d")
FONT = 'font-family="system-ui, sans-serif" font-size="12"'


@dataclass(frozen=True)
class View:
    """A part of a programme, from one millisecond to another."""

    sound: np.ndarray
    start: int
    end: int

    def x(self, ms: float) -> float:
        return EDGE + (WIDTH - 2 * EDGE) * (ms - self.start) / (self.end - self.start)

    def outline(self, first: int, last: int, channel: int, step: float) -> str:
        """The wave between two times as one closed shape around the middle of its lane."""
        middle, reach = TOP + LANE * (channel + 0.5), LANE * 0.48
        upper, lower = [], []
        for at in np.arange(first, last, step):
            part = self.sound[int(at * 48) : max(int(at * 48) + 1, int((at + step) * 48)), channel]
            x = self.x(float(at))
            upper.append(f"{x:.1f},{middle - reach * part.max():.1f}")
            lower.append(f"{x:.1f},{middle - reach * part.min():.1f}")
        return "M" + "L".join([*upper, *reversed(lower)]) + "Z" if upper else ""


def main() -> None:
    wav = Path(sys.argv[1])
    manifest = ProgrammeManifest.model_validate_json(wav.with_suffix(".json").read_text(encoding="utf-8"))
    with wave.open(str(wav)) as file:
        sound = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2) / 32768
    whole = View(sound, 0, manifest.duration_ms)
    beats = [(chapter.start_ms, "") for chapter in manifest.chapters[1:]]
    PICTURES.joinpath("programme.svg").write_text(picture(manifest, whole, beats), encoding="utf-8")
    cut = next(place for place, one in enumerate(manifest.passages) if one.cut)
    before, after = manifest.passages[cut], manifest.passages[cut + 1]
    near = View(sound, before.end_ms - 1500, before.end_ms + 1500)
    marks = [
        (after.start_ms, f"{after.speaker} cuts in"),
        (before.end_ms, "“… " + " ".join(before.text.split()[-2:]) + "”"),
    ]
    PICTURES.joinpath("programme-cut.svg").write_text(picture(manifest, near, marks), encoding="utf-8")


def picture(manifest: ProgrammeManifest, view: View, marks: list[tuple[int, str]]) -> str:
    speakers = list(dict.fromkeys(one.speaker for one in manifest.passages))
    colours = dict(zip(speakers, COLOURS, strict=False))
    height = TOP + 2 * LANE + 34
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(manifest.title)}: the mix, left above and right below</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        *_legend(colours),
        *(_mark(view, at, text, row) for row, (at, text) in enumerate(marks)),
        *(_wave(view, one, colours[one.speaker]) for one in manifest.passages),
        *_scale(view, height),
        "</svg>",
    ]
    return "\n".join(row for row in rows if row) + "\n"


def _wave(view: View, one: PassageRecord, colour: str) -> str:
    first, last = max(view.start, one.start_ms), min(view.end, one.end_ms)
    if first >= last:
        return ""
    step = (view.end - view.start) / (WIDTH - 2 * EDGE)
    shapes = "".join(view.outline(first, last, channel, step) for channel in (0, 1))
    return f'<path d="{shapes}" fill="{colour}" fill-opacity="0.8"/>'


def _legend(colours: dict[str, str]) -> list[str]:
    return [
        f'<g {FONT}><rect x="{EDGE + 110 * place}" y="10" width="12" height="12" fill="{colour}"/>'
        f'<text x="{EDGE + 18 + 110 * place}" y="20" fill="#222">{escape(name)}</text></g>'
        for place, (name, colour) in enumerate(colours.items())
    ]


def _mark(view: View, at: int, text: str, row: int) -> str:
    x, low = view.x(at), TOP + 2 * LANE
    line = f'<path d="M{x:.1f},{TOP}V{low}" stroke="#bbb" stroke-dasharray="3 3"/>'
    anchor, side = ("end", -5) if row % 2 == 0 else ("start", 5)
    label = f'<text x="{x + side:.1f}" y="{TOP - 4}" text-anchor="{anchor}" fill="#222" {FONT}>{escape(text)}</text>'
    return line + (label if text else "")


def _scale(view: View, height: int) -> list[str]:
    step = next(step for step in (500, 1000, 5000, 10_000, 60_000) if (view.end - view.start) / step <= 12)
    first = -(-view.start // step) * step
    return [
        f'<text x="{view.x(at):.1f}" y="{height - 10}" text-anchor="middle" fill="#555" {FONT}>{at / 1000:g} s</text>'
        for at in range(first, view.end + 1, step)
        if EDGE + 10 < view.x(at) < WIDTH - EDGE - 10
    ]


if __name__ == "__main__":
    main()
