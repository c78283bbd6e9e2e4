"""A batch of scenes: played, stopped by its limits, and gone on with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dramaturg.kernel.errors import (
    BudgetExceeded,
    DramaturgError,
    InvalidSettings,
    ModelTimeout,
    ModelUnavailable,
    StoreUnavailable,
)
from dramaturg.kernel.runs import Limits
from dramaturg.scenes.batch.budget import Begins
from dramaturg.scenes.batch.play import BatchLimits, BatchPlay, PlayedRow
from dramaturg.scenes.batch.progress import BatchProgress
from dramaturg.scenes.batch.results import BatchResults, RowResult, read_results
from dramaturg.scenes.batch.row import BatchRow, NumberedRow, ReadRow


def rows(count: int) -> Iterator[ReadRow]:
    return (ReadRow(line, line, line, BatchRow(scene="a")) for line in range(1, count + 1))


class Player:
    """Finishes each row with so many tokens, or fails it with what the test gave for its line."""

    def __init__(self, tokens: int = 0, usd: float | None = 0.0, failures: dict[int, DramaturgError] | None = None):
        self.tokens, self.usd, self.failures = tokens, usd, failures or {}
        self.played: list[int] = []
        self.finished: frozenset[str] = frozenset()
        self.ended = self.most_at_once = 0

    async def play(self, row: NumberedRow, begins: Begins) -> PlayedRow | None:
        read, times = row
        if f"{read.digest}/{times}" not in self.finished and not await begins():
            return None
        self.played.append(read.line)
        self.most_at_once = max(self.most_at_once, len(self.played) - self.ended)
        for _ in range(9 + read.line % 5):
            await asyncio.sleep(0)
        self.ended += 1
        error = self.failures.get(read.line)
        result = RowResult(
            line=read.line,
            run=f"{read.digest}/{times}",
            outcome="failed" if error else "ended",
            tokens=self.tokens,
            usd=self.usd,
        )
        return result, error


async def play(player: Player, results: Path, count: int, at_once: int = 1, **limits: object) -> BatchProgress:
    with BatchResults(results) as kept:
        player.finished = kept.finished.runs
        loop = BatchPlay(player.play, kept, BatchLimits(at_once=at_once, **limits), lambda result: None)
        return await loop.play(rows(count))


async def test_failures_of_one_kind_stop_it_and_others_are_counted_apart(tmp_path: Path) -> None:
    late, down = ModelTimeout("no answer"), ModelUnavailable("nobody there")
    player = Player(failures={2: late, 3: down, 5: late, 6: late, 8: late})
    progress = await play(player, tmp_path / "r.jsonl", 100, failures=3)
    assert player.played == [1, 2, 3, 4, 5, 6]
    assert isinstance(progress.stopped_by, ModelTimeout)
    assert "3 rows failed with MODEL_TIMEOUT" in progress.stopped_by.message
    assert "no answer" in progress.stopped_by.message
    everything = Player(failures=player.failures)
    assert (await play(everything, tmp_path / "s.jsonl", 9, failures=0)).stopped_by is None
    assert everything.played == list(range(1, 10))


async def test_no_row_begins_that_would_not_fit_the_budget_as_rows_went_so_far(tmp_path: Path) -> None:
    player = Player(tokens=100)
    progress = await play(player, tmp_path / "r.jsonl", 100, budget=Limits(tokens=550))
    assert len(player.played) == 5
    assert isinstance(progress.stopped_by, BudgetExceeded)
    assert "500 of 550 tokens" in progress.stopped_by.message
    again = Player(tokens=100)
    assert (await play(again, tmp_path / "r.jsonl", 100, budget=Limits(tokens=550))).ended == 0
    assert again.played == [1, 2, 3, 4, 5]  # which were found finished
    more = await play(Player(tokens=100), tmp_path / "r.jsonl", 8, budget=Limits(tokens=900))
    assert (more.ended, more.skipped, more.tokens, more.stopped_by) == (3, 5, 800, None)
    dollars = await play(Player(usd=0.5), tmp_path / "s.jsonl", 9, budget=Limits(usd=2.0))
    assert dollars.ended == 4


async def test_rows_under_way_have_their_share_of_the_budget_set_aside(tmp_path: Path) -> None:
    player = Player(tokens=100)
    progress = await play(player, tmp_path / "r.jsonl", 100, at_once=8, budget=Limits(tokens=550))
    assert (progress.tokens, progress.under_way, len(player.played)) == (500, 0, 5)
    assert progress.stopped_by is not None
    assert "500 of 550 tokens" in progress.stopped_by.message
    assert player.most_at_once == 4  # the first alone, then what fits beside it


async def test_a_budget_that_is_large_or_costs_nothing_leaves_all_places_in_use(tmp_path: Path) -> None:
    for tokens, limits in ((100, Limits(tokens=100_000)), (0, Limits(tokens=1)), (100, Limits())):
        player = Player(tokens=tokens)
        progress = await play(player, tmp_path / f"{tokens}-{limits}.jsonl", 60, at_once=8, budget=limits)
        assert (progress.ended, progress.stopped_by, player.most_at_once) == (60, None, 8)


async def test_a_row_that_failed_before_it_cost_anything_is_no_measure_of_the_others(tmp_path: Path) -> None:
    class Refusing(Player):
        async def play(self, row: NumberedRow, begins: Begins) -> PlayedRow | None:
            self.tokens = 0 if row.read.line <= 4 else 100
            return await super().play(row, begins)

    player = Refusing(failures={line: ModelTimeout("late") for line in range(1, 5)})
    progress = await play(player, tmp_path / "r.jsonl", 100, budget=Limits(tokens=250))
    assert (progress.ended, progress.tokens) == (2, 200)


async def test_without_a_next_row_to_play_a_spent_budget_stops_nothing(tmp_path: Path) -> None:
    for count in (5, 4):
        progress = await play(Player(tokens=100), tmp_path / "r.jsonl", count, at_once=8, budget=Limits(tokens=500))
        assert progress.stopped_by is None
    assert (await play(Player(), tmp_path / "r.jsonl", 5, budget=Limits(tokens=10))).stopped_by is None


async def test_a_budget_in_dollars_needs_a_price(tmp_path: Path) -> None:
    player = Player(tokens=10, usd=None)
    progress = await play(player, tmp_path / "r.jsonl", 9, at_once=8, budget=Limits(usd=2.0))
    assert len(player.played) == 1
    assert isinstance(progress.stopped_by, InvalidSettings)
    again = await play(Player(tokens=10, usd=None), tmp_path / "r.jsonl", 9, at_once=8, budget=Limits(usd=2.0))
    assert (again.ended, again.skipped, again.prices_known) == (0, 1, False)
    assert isinstance(again.stopped_by, InvalidSettings)


async def test_results_keep_what_ended_and_leave_out_what_is_tried_again(tmp_path: Path) -> None:
    results = tmp_path / "deep" / "r.jsonl"
    await play(Player(failures={2: ModelTimeout("late")}), results, 3)
    assert [(one.line, one.outcome) for one in read_results(results)] == [(1, "ended"), (2, "failed"), (3, "ended")]
    whole = results.read_bytes()
    results.write_bytes(whole + b'{"line": 4, "outc')
    player = Player()
    progress = await play(player, results, 3)
    assert (progress.ended, progress.skipped) == (1, 2)
    assert sorted((one.line, one.outcome) for one in read_results(results)) == [(n, "ended") for n in (1, 2, 3)]
    assert all(json.loads(line) for line in results.read_text().splitlines())


async def test_results_that_cannot_be_kept_stop_it_with_one_sentence(tmp_path: Path) -> None:
    class FullDisk(BatchResults):
        def add(self, result: RowResult) -> None:
            raise self._unwritable(OSError(28, "No space left on device"))

    with FullDisk(tmp_path / "r.jsonl") as kept:
        loop = BatchPlay(Player().play, kept, BatchLimits(at_once=4), lambda result: None)
        with pytest.raises(StoreUnavailable, match="No space left on device"):
            await loop.play(rows(9))


@pytest.mark.parametrize("at_once", [1, 7])
async def test_rows_that_are_the_same_are_runs_of_their_own(tmp_path: Path, at_once: int) -> None:
    seen: list[tuple[int, int]] = []

    async def told(row: NumberedRow, begins: Begins) -> PlayedRow:
        assert await begins()
        seen.append((row.read.digest, row.times))
        return RowResult(line=row.read.line, run=f"{row.times}", outcome="ended"), None

    with BatchResults(tmp_path / "r.jsonl") as kept:
        same = (ReadRow(line, line, 7, BatchRow(scene="a")) for line in range(1, 4))
        await BatchPlay(told, kept, BatchLimits(at_once=at_once), lambda result: None).play(same)
    assert sorted(seen) == [(7, 0), (7, 1), (7, 2)]
