"""Two runs of the bench side by side: ratios, and only what moved by more than its spread is marked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.comparison import Change, comparison, main
from benchmarks.figures import BenchRun, Figure, PlayerRow
from benchmarks.table import keep


def run_of(at: str, *figures: Figure, cpu: float = 0.03) -> BenchRun:
    def row(name: str, cost: float) -> PlayerRow:
        runs = tuple({"wall": 2.0, "cpu": cost * noise, "requests": 10} for noise in (0.98, 1.0, 1.02))
        return PlayerRow(name, "1", 20, 3, runs)

    return BenchRun({"busy": False}, figures, (row("bare client", 0.01), row("dramaturg", cpu)), (), at)


OLD = run_of("2026-01-01 00:00", Figure("append", "ms", (4.0, 5.0)), Figure("beats/s", "", (90.0, 110.0)))
NEW = run_of("2026-01-02 00:00", Figure("append", "ms", (2.0, 3.0)), Figure("beats/s", "", (100.0, 120.0)), cpu=0.06)


def test_what_moved_by_more_than_its_spread_is_marked_and_nothing_else() -> None:
    told = comparison(OLD, NEW)
    assert "| append | 4.50 | 2.50 | 0.56 | better |" in told
    assert "| beats/s | 100 | 110 | 1.10 |  |" in told
    assert "| dramaturg, 20 × 3 beats, CPU of a call, × bare | 3.00 | 6.00 | 2.00 | worse |" in told
    assert "| dramaturg, 20 × 3 beats, wall, × bare | 1.00 | 1.00 | 1.00 |  |" in told


def test_more_of_what_is_better_in_plenty_is_better() -> None:
    assert Change("beats/s", (1.0, 2.0), (3.0, 4.0), more_is_better=True).verdict == "better"
    assert Change("beats/s", (3.0, 4.0), (1.0, 2.0), more_is_better=True).verdict == "worse"


def test_one_sample_has_no_spread_and_is_not_judged() -> None:
    assert Change("append", (4.0,), (1.0, 2.0)).verdict == "one sample"


def test_nothing_that_stays_nothing_has_not_moved() -> None:
    assert Change("reads/s", (0.0, 0.0), (0.0, 0.0)).ratio == 1.0
    assert Change("reads/s", (0.0, 0.0), (1.0, 1.0)).ratio == float("inf")


def test_a_machine_that_is_twice_as_slow_for_everybody_is_no_change() -> None:
    slow = tuple(
        replace(row, runs=tuple({**one, "cpu": 2 * one["cpu"], "wall": 2 * one["wall"]} for one in row.runs))
        for row in OLD.players
    )
    told = comparison(OLD, replace(OLD, players=slow))
    assert "worse" not in told
    assert "better" not in told


def test_runs_with_nothing_in_common_say_so() -> None:
    assert comparison(BenchRun({"busy": False}), BenchRun({"busy": False})) == "The two runs have no figure in common."


def test_the_newest_run_is_compared_with_the_one_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for one in (NEW, run_of("2025-12-31 00:00"), OLD):
        keep(one, tmp_path)
    main([], tmp_path)
    assert capsys.readouterr().out.startswith("2026-01-01 00:00 → 2026-01-02 00:00")


def test_two_given_files_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = keep(OLD, tmp_path), keep(NEW, tmp_path)
    main([str(old), str(new)], tmp_path)
    assert capsys.readouterr().out.startswith("2026-01-02 00:00 → 2026-01-01 00:00")


@pytest.mark.parametrize("kept", [0, 1])
def test_without_a_second_run_the_way_to_one_is_said(tmp_path: Path, kept: int) -> None:
    if kept:
        keep(OLD, tmp_path)
    with pytest.raises(SystemExit, match=rf"^There is nothing to compare with: {kept} runs are kept.*make bench$"):
        main([], tmp_path)
