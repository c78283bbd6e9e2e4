"""The results of a batch: those of its rows, in a file that nobody else writes and that holds nothing else."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, StoreBlocked
from dramaturg.scenes.batch.results import BatchResults, RowResult, check_apart, read_results
from dramaturg.scenes.batch.row import numbered, open_rows, read_rows
from dramaturg.scenes.batch.row_runs import RowRuns
from dramaturg.scenes.batch.table import check_parquet, write_parquet

RUNS = RowRuns("mine")


def ids(rows: bytes, attempt: int = 0) -> list[str]:
    """The runs of rows, at so many attempts before."""
    found = []
    for row in numbered(read_rows(io.BytesIO(rows), "rows.jsonl")):
        of_row = RUNS.of(row)
        found.append([next(of_row) for _ in range(attempt + 1)][-1])
    return found


def written(path: Path, *results: RowResult) -> Path:
    with BatchResults(path) as kept:
        for result in results:
            kept.add(result)
    return path


def ended(line: int, run: str, tokens: int = 0, usd: float | None = 0.0) -> RowResult:
    return RowResult(line=line, run=run, outcome="ended", tokens=tokens, usd=usd)


@pytest.mark.parametrize(
    "foreign",
    [
        b"a diary\n",
        b"a diary",
        b'{"scene": "a"}\n',
        b'{"scene": "a"}',
        b'{"line": 1, "outcome": "ended"}\nand a note\n{"line": 2, "outcome": "ended"}\n',
        b'{"line": 1, "outc\n',
        b'{"line":' + b"1" * 1_000_000,
        b"\x00\xff\xfe",
    ],
)
def test_a_file_of_something_else_is_refused_and_stays_as_it_is(tmp_path: Path, foreign: bytes) -> None:
    path = tmp_path / "diary.jsonl"
    path.write_bytes(foreign)
    with pytest.raises(InvalidConfig, match=r"diary.jsonl, line \d: not a result of a batch"), BatchResults(path):
        pass
    assert path.read_bytes() == foreign
    assert os.listdir(tmp_path) == ["diary.jsonl"]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in (".", "pipe"):
        with pytest.raises(InvalidConfig, match="is not a file"), BatchResults(tmp_path / name):
            pass


@pytest.mark.parametrize("rest", [b"", b"\n \n", b"{", b'{"li', b'{"line":7,"key":"x'])
def test_an_empty_file_blank_lines_and_a_line_cut_off_by_a_kill_are_none_of_that(tmp_path: Path, rest: bytes) -> None:
    path = written(tmp_path / "r.jsonl", ended(1, "a"))
    for before in (path.read_bytes(), b""):
        path.write_bytes(before + rest)
        with BatchResults(path) as kept:
            kept.add(ended(2, "b"))
        assert [one.run for one in read_results(path)] == (["a", "b"] if before else ["b"])


def test_other_files_in_the_folder_stay_open_to_others(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("mine")
    other.chmod(0o644)
    tmp_path.chmod(0o755)
    written(tmp_path / "r.jsonl", ended(1, "a"))
    assert (other.stat().st_mode & 0o777, tmp_path.stat().st_mode & 0o777) == (0o644, 0o755)
    written(own := tmp_path / "own" / "r.jsonl")
    with BatchResults(own, private=True):
        assert (own.stat().st_mode & 0o777, own.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_file_to_write_is_none_of_those_that_are_read_whatever_it_is_called(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("{}")
    (tmp_path / "deep").mkdir()
    (tmp_path / "soft").symlink_to(rows)
    os.link(rows, tmp_path / "hard")
    for name in ("rows.jsonl", "deep/../rows.jsonl", "soft", "hard"):
        with pytest.raises(InvalidConfig, match=r"--out .* is the same file as .*rows.jsonl"):
            check_apart("--out", tmp_path / name, tmp_path / "none", rows)
    check_apart("--out", tmp_path / "new.jsonl", rows)


def test_a_table_replaces_only_a_table_of_a_batch(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    results, table = written(tmp_path / "r.jsonl", ended(1, "a")), tmp_path / "t.parquet"
    check_parquet(table, results)
    write_parquet(results, table)
    check_parquet(table, results)
    with pytest.raises(InvalidConfig, match="the same file"):
        check_parquet(results, results)
    other = tmp_path / "other.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"sales": [1]}), other)
    (tmp_path / "diary.txt").write_text("a diary")
    for path in (other, tmp_path / "diary.txt", tmp_path):
        with pytest.raises(InvalidConfig, match="is not a table of a batch"):
            check_parquet(path, results)


HOLD = """
import sys
from pathlib import Path
from dramaturg.scenes.batch.results import BatchResults, RowResult
with BatchResults(Path(sys.argv[1])) as kept:
    print(len(kept.finished.runs), flush=True)
    sys.stdin.read()
    kept.add(RowResult(line=2, run="b", outcome="ended"))
"""


def test_two_commands_do_not_write_one_file_and_a_dead_one_keeps_nobody_out(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", ended(1, "a"))
    for kill in (False, True):
        other = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert other.stdout is not None
        assert other.stdout.readline() == ("2\n" if kill else "1\n")
        before = path.read_bytes()
        with pytest.raises(StoreBlocked, match=r"r.jsonl is being written by another command"), BatchResults(path):
            pass
        assert path.read_bytes() == before
        if kill:
            other.kill()
        other.communicate()
        with BatchResults(path) as kept:
            assert kept.finished.runs == {"a", "b"}


def test_the_results_are_those_of_the_rows_of_the_file_each_with_its_present_line(tmp_path: Path) -> None:
    before = b'{"scene": "a"}\n{"scene": "b"}\n{"scene": "a"}\n{"scene": "c"}\n'
    a, b, a_again, c = ids(before)
    path = written(tmp_path / "r.jsonl", *(ended(n, run, tokens=10**n) for n, run in enumerate((a, b, a_again, c), 1)))
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(b'{"scene": "new"}\n\n{"scene": "c"}\nnot json\n{"scene":  "a"}\n')
    with open_rows(rows) as file:
        with BatchResults(path, lambda runs: RUNS.lines(file, runs)) as kept:
            assert kept.finished.runs == {a, c}
            assert kept.finished.tokens == 10_010
        assert [one.line for one in read_rows(file, "rows.jsonl")] == [1, 3, 4, 5]  # it is at its beginning again
    assert [(one.line, one.run) for one in read_results(path)] == [(5, a), (3, c)]


def test_the_results_of_another_batch_are_refused_and_stay_as_they_are(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", ended(1, "a"), ended(2, "b"))
    before = path.read_bytes()
    rows = io.BytesIO(b'{"scene": "a"}\n')
    with pytest.raises(InvalidConfig, match="holds 2 results, and none is of a row of this batch"):
        BatchResults(path, lambda runs: RUNS.lines(rows, runs)).__enter__()
    assert path.read_bytes() == before


@pytest.mark.parametrize("attempt", [2, 9])
def test_a_row_that_was_played_anew_keeps_its_result(attempt: int, tmp_path: Path) -> None:
    rows = b'{"scene": "a"}\n{"scene": "b"}\n'
    second = ids(rows, attempt)[1]
    path = written(tmp_path / "r.jsonl", ended(9, second))
    with BatchResults(path, lambda runs: RUNS.lines(io.BytesIO(rows), runs)) as kept:
        assert kept.finished.runs == {second}
    assert [one.line for one in read_results(path)] == [2]


def test_an_unknown_price_stays_unknown(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", ended(1, "a", 5, 0.25), ended(2, "b", 5, None))
    with BatchResults(path) as kept:
        assert (kept.finished.tokens, kept.finished.usd) == (10, None)
    with BatchResults(written(tmp_path / "s.jsonl", ended(1, "a", 5, 0.25))) as kept:
        assert kept.finished.usd == 0.25


def test_rows_can_come_out_of_a_pipe(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"scene": "a"}\n{"scene": "b"}\n')
    os.close(writing)
    with open_rows(Path(f"/dev/fd/{reading}")) as file:
        assert RUNS.lines(file, ids(b'{"scene": "b"}')) == {ids(b'{"scene": "b"}')[0]: 2}
        assert len(list(read_rows(file, "rows"))) == 2
    os.close(reading)
