"""The bench's table: what it shows, what it keeps, and a tiny run of its players and figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.figures import BenchRun, Figure, PlayerRow, kept_runs, machine, read_run, table, written
from benchmarks.peers.conversation import requests_of
from benchmarks.scene_figures import calls
from benchmarks.studio import figures_in
from benchmarks.table import Player, conversations, keep, main, played, players


def player(name: str, cpu: float, wall: float) -> PlayerRow:
    once = {"wall": wall, "cpu": cpu, "requests": 10, "tokens": 900, "cached_share": 0.5, "memory": 40.0, "import": 0.2}
    return PlayerRow(name, "1.0", 1, 3, (once, once))


def some_run(*figures: Figure, at: str = "2026-01-02 03:04") -> BenchRun:
    rows = (player("bare client", 0.01, 1.0), player("dramaturg", 0.03, 1.5))
    return BenchRun({"cores": 2, "busy": True}, figures, rows, ("X is not installed.",), at)


def test_a_figure_is_as_wanted_on_the_right_side_of_its_limit() -> None:
    assert Figure("append", "ms", (1.0, 2.0, 9.0), 2.0).is_reached is True
    assert Figure("append", "ms", (1.0, 2.1, 9.0), 2.0).is_reached is False
    assert Figure("beats/s", "", (299.0,), 300, more_is_better=True).is_reached is False
    assert Figure("beats/s", "", (300.0,), 300, more_is_better=True).is_reached is True
    assert Figure("beats/s", "", (300.0,)).is_reached is None


def test_the_table_has_ratios_to_the_bare_client_and_says_what_is_not_reached_and_what_was_skipped() -> None:
    shown = table(some_run(Figure("append", "ms", (4.0, 5.0, 6.0), 2.0)))
    assert "| 1 × 3 beats | dramaturg 1.0 | 1.50 | 3.00 | 3.00 | 10 | 900 | 50% | 40 | 0.20 |" in shown
    assert "| append | 5.00 ms | 4.00 to 6.00 | ≤ 2 | **not reached** |" in shown
    assert "X is not installed." in shown
    assert "busy with other work" in shown


def test_a_player_is_shown_without_ratios_where_the_bare_client_did_not_finish() -> None:
    alone = BenchRun({"busy": False}, (), (player("dramaturg", 0.03, 1.5),), ("bare client did not finish.",))
    assert "| 1 × 3 beats | dramaturg 1.0 | – | 3.00 | – | 10 |" in table(alone)


@pytest.mark.parametrize("rounds", ["0", "-1", "many", "100"])
def test_a_run_without_a_round_is_refused(rounds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--rounds", rounds])
    assert "--rounds" in capsys.readouterr().err


def test_a_run_is_kept_under_its_time_and_read_back_the_same(tmp_path: Path) -> None:
    run = some_run(Figure("append", "ms", (4.0, 5.0), 2.0))
    later = some_run(at="2026-01-02 03:05")
    paths = [keep(one, tmp_path) for one in (later, run)]
    assert kept_runs(tmp_path) == sorted(paths)
    assert read_run(paths[1]) == run
    assert written(read_run(paths[0])) == written(later)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"machine": {}, "figures": [{}], "players": [], "skipped": [], "at": ""}']
)
def test_a_file_that_is_no_run_is_named_in_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit, match=r"^run\.json is not a run of the bench .*make bench$"):
        read_run(tmp_path / "run.json")


def test_the_machine_is_described_without_names_of_its_own() -> None:
    told = machine()
    assert {"cores", "python", "dramaturg", "load before", "busy"} <= told.keys()
    assert json.dumps(told)


async def test_the_bare_client_and_a_scene_of_ours_ask_the_same_number_of_questions() -> None:
    found = [part async for part in conversations(players([]), 1, ((2, 2),))]
    [(rows, given_up)] = found
    assert given_up == []
    assert [(row.player, int(row.value("requests"))) for row in rows] == [
        ("bare client", requests_of(2, 2)),
        ("dramaturg", requests_of(2, 2)),
    ]
    assert all(row.value("cpu") > 0 and row.value("memory") > 1 and row.value("tokens") > 0 for row in rows)


async def test_a_player_that_fails_is_left_out_with_a_line() -> None:
    broken = Player("Nobody", "nobody", players([])[0].python)
    assert await played(broken, "http://127.0.0.1:9", 1, 1) is None
    [(rows, given_up)] = [part async for part in conversations([broken], 1, ((1, 1),))]
    assert rows == []
    assert given_up == ["Nobody did not finish 1 × 1 beats."]


async def test_the_figures_of_calls_are_measured_for_a_tiny_scene() -> None:
    found = await calls(1, beats=2, crowd=2, crowd_beats=1)
    assert [one.unit for one in found] == ["ms", "ms", "ms", "ms", "", "", "×"]
    assert all(len(one.samples) == 1 for one in found)
    assert found[4].value > 0 < found[5].value


def test_the_figures_of_the_studio_are_read_line_by_line_with_and_without_a_limit() -> None:
    limited = '{"name":"fold","unit":"ms","samples":[3,5,4],"wanted":20}'
    fold, frame = figures_in(f'{limited}\n{{"name":"frame","unit":"ms","samples":[1],"wanted":null}}\n')
    assert (fold.value, fold.is_reached) == (4, True)
    assert frame.is_reached is None
