"""A figure of the bench: its samples, what is wanted of it, and how a run of the bench is kept as JSON."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any

RESULTS = Path(__file__).parent / "results"
BUSY = 0.5
"""More other work than this for each core, and a run is said to be from a busy machine."""


@dataclass(frozen=True)
class Figure:
    """One measured quantity. `wanted` is a limit: from above, or from below if more of it is better."""

    name: str
    unit: str
    samples: tuple[float, ...]
    wanted: float | None = None
    more_is_better: bool = False

    @property
    def value(self) -> float:
        return median(self.samples)

    @property
    def spread(self) -> tuple[float, float]:
        return min(self.samples), max(self.samples)

    @property
    def is_reached(self) -> bool | None:
        """Whether it is as wanted; None if nothing is."""
        if self.wanted is None:
            return None
        return self.value >= self.wanted if self.more_is_better else self.value <= self.wanted


@dataclass(frozen=True)
class PlayerRow:
    """One player of the conversation at one load; medians of its runs, and the spread of what a comparison needs."""

    player: str
    version: str
    scenes: int
    beats: int
    runs: tuple[Mapping[str, float], ...]

    def value(self, key: str) -> float:
        return median(run[key] for run in self.runs)

    @property
    def cpu_per_call(self) -> float:
        """Milliseconds."""
        return median(1000 * run["cpu"] / run["requests"] for run in self.runs)


@dataclass(frozen=True)
class BenchRun:
    """Everything that one run of the bench measured, and on what."""

    machine: Mapping[str, Any]
    figures: tuple[Figure, ...] = ()
    players: tuple[PlayerRow, ...] = ()
    skipped: tuple[str, ...] = ()
    at: str = field(default="")


def machine() -> dict[str, Any]:
    """What it is measured on. Other people's work on it is part of that."""
    cores, load = os.cpu_count() or 1, os.getloadavg()[0]
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": cores,
        "python": platform.python_version(),
        "dramaturg": metadata.version("dramaturg"),
        "load before": round(load, 1),
        "busy": load > BUSY * cores,
    }


def written(run: BenchRun) -> str:
    """The run as JSON."""
    return json.dumps(asdict(run), indent=1, ensure_ascii=False) + "\n"


def read_run(path: Path) -> BenchRun:
    """A run from its file. Raises SystemExit if it is none."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return BenchRun(
            machine=told["machine"],
            figures=tuple(Figure(**{**one, "samples": tuple(one["samples"])}) for one in told["figures"]),
            players=tuple(PlayerRow(**{**one, "runs": tuple(one["runs"])}) for one in told["players"]),
            skipped=tuple(told["skipped"]),
            at=told["at"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SystemExit(f"{path.name} is not a run of the bench ({error}). Make one with: make bench") from error


def kept_runs(folder: Path = RESULTS) -> list[Path]:
    """The files of earlier runs, oldest first: their names begin with the time."""
    return sorted(folder.glob("*.json"))


def number(value: float) -> str:
    """A figure as a table shows it: three digits that count."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def table(run: BenchRun) -> str:
    """The one table of the bench, as Markdown: players beside the bare client, then figures beside what is wanted."""
    about = ", ".join(f"{key} {value}" for key, value in run.machine.items() if key != "busy")
    busy = "The machine was busy with other work; believe the ratios, not the seconds.\n" if run.machine["busy"] else ""
    return "\n".join([about, busy, *_player_table(run.players), *run.skipped, "", *_figure_table(run.figures), ""])


def _player_table(rows: Sequence[PlayerRow]) -> Iterable[str]:
    if not rows:
        return
    yield "| at once | player | wall, × bare | CPU ms a call | × bare | requests | tokens | cached | MB | import s |"
    yield "|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    bare = {row.scenes: row for row in rows if row.player == "bare client"}
    for row in rows:
        floor = bare.get(row.scenes)
        cells = (
            f"{row.scenes} × {row.beats} beats",
            f"{row.player} {row.version}",
            number(row.value("wall") / floor.value("wall")) if floor else "–",
            number(row.cpu_per_call),
            number(row.cpu_per_call / floor.cpu_per_call) if floor else "–",
            f"{row.value('requests'):,.0f}",
            f"{row.value('tokens'):,.0f}",
            f"{row.value('cached_share'):.0%}",
            f"{row.value('memory'):.0f}",
            number(row.value("import")),
        )
        yield f"| {' | '.join(cells)} |"


def _figure_table(figures: Sequence[Figure]) -> Iterable[str]:
    yield "| figure | measured | least to most | wanted | |"
    yield "|---|--:|--:|--:|---|"
    for one in figures:
        low, high = one.spread
        limit = "–" if one.wanted is None else f"{'≥' if one.more_is_better else '≤'} {one.wanted:,g}"
        reached = {None: "", True: "reached", False: "**not reached**"}[one.is_reached]
        measured = f"{number(one.value)} {one.unit}"
        yield f"| {one.name} | {measured} | {number(low)} to {number(high)} | {limit} | {reached} |"


def progress(text: str) -> None:
    """What is being measured now, beside the table."""
    print(text, file=sys.stderr, flush=True)
