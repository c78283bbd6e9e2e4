"""`python -m benchmarks plot`: how work grows, as a picture in docs, from the newest kept runs.

Beats, scenes and players are those that `python -m benchmarks growth` kept; processes those of `make bench`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from benchmarks.figures import BenchRun, kept_runs, read_run
from benchmarks.growth import KEPT, Grown, read_grown

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "growth.svg"
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 300, 220, 52, 34, 44
PROCESSES = re.compile(r"beats/s, .* scenes, (\d+) process(?:es)? on Postgres")
STYLE = "text{font:12px sans-serif;fill:#222}.axis{stroke:#888}.linear{stroke:#888;stroke-dasharray:4 4}"


@dataclass(frozen=True)
class Panel:
    """Points beside the line on which they would be if each took as much as in the first."""

    title: str
    unit: str
    points: tuple[tuple[float, float], ...]


def panels(grown: Sequence[Grown], bench: BenchRun | None) -> list[Panel]:
    found = [
        Panel(one.noun, "thousand calls", tuple((step.count, step.calls / 1000) for step in one.steps)) for one in grown
    ]
    several = sorted(_processes(bench)) if bench else []
    if several:
        found.append(Panel("processes on Postgres", "× the pace of one", ((1, 1.0), *several)))
    return found


def _processes(bench: BenchRun) -> Iterator[tuple[float, float]]:
    for figure in bench.figures:
        named = PROCESSES.fullmatch(figure.name)
        if named and int(named[1]) > 1:
            yield int(named[1]), figure.value


def svg(shown: Sequence[Panel]) -> str:
    drawn = "".join(
        f'<g transform="translate({place * WIDTH} 0)">{_panel(panel)}</g>' for place, panel in enumerate(shown)
    )
    size = f'width="{WIDTH * len(shown)}" height="{HEIGHT}" viewBox="0 0 {WIDTH * len(shown)} {HEIGHT}"'
    background = '<rect width="100%" height="100%" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>{background}{drawn}</svg>\n'


def _panel(panel: Panel) -> str:
    (first_x, first_y), (last_x, _) = panel.points[0], panel.points[-1]
    slope = first_y / first_x
    highest = max(slope * last_x, *(y for _, y in panel.points))
    floor, right = HEIGHT - BOTTOM, WIDTH - 16

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + (right - LEFT) * x / last_x, floor - (floor - TOP) * y / highest

    places = [at(x, y) for x, y in panel.points]
    end_x, end_y = at(last_x, slope * last_x)
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#1f5fa8"/>' for x, y in places)
    ticks = "".join(
        f'<text x="{x:.1f}" y="{floor + 16}" text-anchor="middle">{count:g}</text>'
        for (x, _), (count, _) in zip(places[1:], panel.points[1:], strict=True)
    )
    return (
        f'<text x="{LEFT}" y="20">{escape(panel.unit)}</text>'
        f'<text x="{right}" y="{HEIGHT - 10}" text-anchor="end">{escape(panel.title)}</text>'
        f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{floor}H{right}"/>'
        f'<text x="{LEFT - 6}" y="{TOP + 8}" text-anchor="end">{highest:,.0f}</text>'
        f'<line class="linear" x1="{LEFT}" y1="{floor}" x2="{end_x:.1f}" y2="{end_y:.1f}"/>'
        f'<polyline fill="none" stroke="#1f5fa8" stroke-width="2" points="{line}"/>{dots}{ticks}'
    )


def main() -> None:
    grown, runs = kept_runs(KEPT), kept_runs()
    if not grown:
        raise SystemExit("Nothing is kept that could be drawn. Measure it with: python -m benchmarks growth")
    shown = panels(read_grown(grown[-1]), read_run(runs[-1]) if runs else None)
    PICTURE.write_text(svg(shown), encoding="utf-8")
    print(f"Drawn from {grown[-1].name}: docs/pictures/{PICTURE.name}")
