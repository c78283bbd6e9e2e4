"""A batch in a terminal: how far it is, what failed, and where its results are."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import typer
from rich.text import Text

from dramaturg.cli.batch_options import AskedLimits, AskedTables
from dramaturg.cli.edge import echo, exit_code, open_studio, print_json, stderr, tell, with_queue
from dramaturg.cli.scene_status import DOT, spent_words
from dramaturg.cli.status_line import QUIET, StatusLine, elapsed
from dramaturg.cluster.worker import leave_to_workers
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs import Limits
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.author.typed_budget import limits_from
from dramaturg.scenes.batch.play import BatchLimits
from dramaturg.scenes.batch.progress import BatchProgress
from dramaturg.scenes.batch.results import RowResult
from dramaturg.scenes.batch.table import check_parquet, require_parquet, write_parquet

MOST_SHOWN = 20
"""Failures that are printed one by one; all of them are in the results."""
EVERY_ROWS = 1000
"""Without a terminal, progress is printed after so many rows."""


class BatchOptions(NamedTuple):
    """What was typed after `scene batch`."""

    file: Path
    name: str = ""
    model: str | None = None
    limits: AskedLimits = AskedLimits(8, None, 10)
    tables: AskedTables = AskedTables(None, None)


async def play_file(settings: Settings, options: BatchOptions, *, json: bool) -> None:
    """Plays a batch and prints it. Exits with the code of what stopped it, or of its first failure."""
    (at_once, asked_budget, failures, on), (out, parquet) = options.limits, options.tables
    if parquet is not None:
        require_parquet()
    budget = limits_from(asked_budget, "--budget") if asked_budget is not None else Limits()
    limits = BatchLimits(at_once, budget, failures)
    if on not in ("here", "workers"):
        raise InvalidConfig(f"--on takes 'here' or 'workers', not '{on}'.")
    elsewhere = on == "workers"
    async with open_studio(with_queue(settings) if elsewhere else settings, queued=elsewhere) as studio:
        if elsewhere:
            leave_to_workers(studio.engine)
        batch = studio.scenes.batch(options.file, options.name)
        results = out or batch.results
        if parquet is not None:
            check_parquet(parquet, batch.file, results)
        view = BatchView(lambda: batch.bytes, json=json)
        async with view.shown():
            progress = await batch.play(limits, view.follow, results=results, model=options.model, elsewhere=elsewhere)
    if parquet is not None:
        write_parquet(results, parquet)
    _print_end(progress, results, parquet, json=json)
    error = progress.stopped_by or progress.first_failure
    if error is not None:
        raise typer.Exit(exit_code(error))


class BatchView:
    """Prints results as they come, and the progress below them."""

    def __init__(self, size: Callable[[], int], *, json: bool) -> None:
        self._size, self._json = size, json
        self._progress = BatchProgress()
        self._since = time.monotonic()
        self._status = StatusLine(stderr(), self.rows)
        self._shown = self._results = 0

    def shown(self) -> StatusLine | nullcontext[None]:
        """Shows the progress for the time of a block, where there is a terminal."""
        return nullcontext() if self._json else self._status

    def follow(self, progress: BatchProgress) -> Callable[[RowResult], None]:
        self._progress = progress
        return self._print

    def rows(self) -> Sequence[Text]:
        progress = self._progress
        facts = [
            f"{progress.finished:,} rows" + (f" ({progress.offset / size:.0%})" if (size := self._size()) else ""),
            f"{progress.failed:,} failed" if progress.failed else "",
            f"{progress.under_way} playing",
            *spent_words(progress.tokens, progress.usd, progress.prices_known),
            elapsed(time.monotonic() - self._since),
        ]
        return (Text(DOT.join(filter(None, facts)), QUIET),)

    def _print(self, result: RowResult) -> None:
        self._results += 1
        if self._json:
            print_json(result.model_dump(mode="json", by_alias=True))
            return
        with self._status.hidden():
            if result.problem and self._shown < MOST_SHOWN:
                place = f"line {result.line}"
                tell(result.problem if place in result.problem else f"{place}: {result.problem}")
                self._shown += 1
            elif not self._status.is_shown and self._results % EVERY_ROWS == 0:
                tell(self.rows()[0].plain, "dim")


def _print_end(progress: BatchProgress, results: Path, parquet: Path | None, *, json: bool) -> None:
    stopped = progress.stopped_by
    if json:
        summary = {
            "finished": progress.finished,
            "skipped": progress.skipped,
            "goalAchieved": progress.reached,
            "failures": dict(progress.failures),
            "tokens": progress.tokens,
            "usd": progress.usd if progress.prices_known else None,
            "results": str(results),
            "stopped": stopped.message if stopped else None,
        }
        print_json(summary)
        return
    before = f", {progress.skipped:,} of them before" if progress.skipped else ""
    echo(
        f"{progress.finished:,} rows played{before}; the goal was reached in {progress.reached:,} of those played now."
    )
    for code, count in progress.failures.most_common():
        echo(f"{count:,} failed with {code}.")
    if spent := spent_words(progress.tokens, progress.usd, progress.prices_known):
        echo(", ".join(spent))
    for file in filter(None, (results, parquet)):
        echo(file)
    if stopped is not None:
        tell(f"dramaturg: {stopped.message}")
    elif progress.failed:
        tell("The same command tries the failed rows again.")
