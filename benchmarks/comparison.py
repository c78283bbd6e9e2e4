"""`python -m benchmarks compare [NEW [OLD]]`: two runs of the bench as ratios, with what moved by more than its spread.

Without names, the newest file in `results/` and the one before. What is compared is a ratio to the bare client of its
own run where there is one, so that two machines, or one that is busier, do not look like a change.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import RESULTS, BenchRun, Figure, PlayerRow, kept_runs, number, read_run


@dataclass(frozen=True)
class Change:
    """One figure in two runs."""

    name: str
    old: tuple[float, ...]
    new: tuple[float, ...]
    more_is_better: bool = False

    @property
    def ratio(self) -> float:
        """New to old; infinite where nothing became something."""
        old, new = Figure("", "", self.old).value, Figure("", "", self.new).value
        return new / old if old else (1.0 if new == old else float("inf"))

    @property
    def verdict(self) -> str:
        """Better or worse if the samples of the two runs do not overlap; else nothing. One sample has no spread."""
        if min(len(self.old), len(self.new)) < 2:
            return "one sample"
        if max(self.new) < min(self.old):
            return "worse" if self.more_is_better else "better"
        if min(self.new) > max(self.old):
            return "better" if self.more_is_better else "worse"
        return ""


def changes(old: BenchRun, new: BenchRun) -> Iterator[Change]:
    """What both runs measured."""
    before = {one.name: one for one in old.figures}
    for one in new.figures:
        if one.name in before:
            yield Change(one.name, before[one.name].samples, one.samples, one.more_is_better)
    floors = _floors(old), _floors(new)
    rows = {(row.player, row.scenes, row.beats): row for row in old.players}
    for row in new.players:
        key = (row.player, row.scenes, row.beats)
        if row.player == "bare client" or key not in rows or not all(row.scenes in one for one in floors):
            continue
        for what, cost in (("CPU of a call", _cpu), ("wall", _wall)):
            name = f"{row.player}, {row.scenes} × {row.beats} beats, {what}, × bare"
            was, now = (
                _ratios(one, floor[row.scenes], cost) for one, floor in zip((rows[key], row), floors, strict=True)
            )
            yield Change(name, was, now)


def _floors(run: BenchRun) -> dict[int, PlayerRow]:
    return {row.scenes: row for row in run.players if row.player == "bare client"}


def _cpu(run: Mapping[str, float]) -> float:
    return run["cpu"] / run["requests"]


def _wall(run: Mapping[str, float]) -> float:
    return run["wall"]


def _ratios(row: PlayerRow, floor: PlayerRow, cost: Callable[[Mapping[str, float]], float]) -> tuple[float, ...]:
    """Each run beside the bare client's of the same round."""
    return tuple(cost(one) / cost(other) for one, other in zip(row.runs, floor.runs, strict=False))


def comparison(old: BenchRun, new: BenchRun) -> str:
    """The comparison as Markdown."""
    lines = [f"{old.at} → {new.at}", "", "| figure | before | now | × | |", "|---|--:|--:|--:|---|"]
    if new.machine["busy"] or old.machine["busy"]:
        lines[1:1] = ["One of the machines was busy with other work."]
    found = list(changes(old, new))
    for one in found:
        was, now = Figure("", "", one.old).value, Figure("", "", one.new).value
        lines.append(f"| {one.name} | {number(was)} | {number(now)} | {one.ratio:.2f} | {one.verdict} |")
    return "\n".join(lines) if found else "The two runs have no figure in common."


def main(words: list[str], folder: Path = RESULTS) -> None:
    files = kept_runs(folder)
    named = [Path(word) for word in words]
    new = named[0] if named else files[-1] if files else None
    earlier = [one for one in files if new is None or one.resolve() != new.resolve()]
    old = named[1] if len(named) > 1 else earlier[-1] if earlier else None
    if new is None or old is None:
        sys.exit(f"There is nothing to compare with: {len(files)} runs are kept. Make one more with: make bench")
    print(comparison(read_run(old), read_run(new)))
