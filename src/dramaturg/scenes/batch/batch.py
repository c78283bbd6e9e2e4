"""A batch: the rows of a file as runs of scenes. The same row of the same batch is the same run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import orjson

from dramaturg.kernel.errors import (
    AuthorError,
    DramaturgError,
    InvalidConfig,
    InvalidSettings,
    ModelUnavailable,
    RunFenced,
    StoreUnavailable,
)
from dramaturg.kernel.files import leads_out
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.runs.events import RunStopped
from dramaturg.kernel.store import RunRecord
from dramaturg.scenes.batch.budget import Begins
from dramaturg.scenes.batch.play import BatchLimits, BatchPlay, PlayedRow, ShowResult
from dramaturg.scenes.batch.progress import BatchProgress
from dramaturg.scenes.batch.results import BatchResults, RowResult, check_apart
from dramaturg.scenes.batch.row import BatchRow, NumberedRow, ReadRow, RowScenes, open_rows, read_rows
from dramaturg.scenes.batch.row_runs import RowRuns
from dramaturg.scenes.events import NO_CAST, SceneRun
from dramaturg.scenes.insight.takes import take_table
from dramaturg.scenes.scene import can_name_folder
from dramaturg.trust import check_authored_model

if TYPE_CHECKING:
    from dramaturg.scenes.front import Scenes

FOLDER = "batches"
RESULTS = "results.jsonl"
LOOK_SECONDS = 0.5
"""How often it is looked whether a run that another process plays is over."""
PlayRun = Callable[[SceneRun], Awaitable[SceneRun]]
"""Plays a run that this process holds to its end, wherever; returns it with its log."""


class Batch:
    """A file of rows under a name. Whatever the name has played before is not played again."""

    def __init__(self, scenes: Scenes, resources: Resources, file: Path, name: str = "") -> None:
        self.file, self.name = file, name or file.stem
        if not can_name_folder(self.name):
            raise InvalidConfig(f"'{self.name}' cannot name a folder for the results. Give another with --name.")
        self.runs = RowRuns(self.name)
        self._scenes, self._resources = scenes, resources
        self.results = resources.settings.data / FOLDER / self.name / RESULTS

    @property
    def bytes(self) -> int:
        """The size of the file; 0 if it has none."""
        try:
            return self.file.stat().st_size
        except OSError:
            return 0

    async def play(
        self,
        limits: BatchLimits,
        show: Callable[[BatchProgress], ShowResult],
        *,
        results: Path | None = None,
        model: str | None = None,
        elsewhere: bool = False,
    ) -> BatchProgress:
        """Plays the rows that are not finished yet. `show` is given the progress, and returns who is told of results.

        `model` plays every part, unless a row names one. With `elsewhere`, other processes play the runs. Raises
        InvalidConfig for a file of results that is something else, StoreBlocked if another command writes it.
        """
        with open_rows(self.file) as file, self._open_results(results, file) as kept:
            player = _RowPlayer(
                self,
                self._scenes,
                self._resources,
                kept.finished.runs,
                self._elsewhere if elsewhere else self._here,
                model=model,
                needs_prices=limits.budget.usd is not None,
            )
            told: list[ShowResult] = []
            loop = BatchPlay(player.play, kept, limits, lambda result: told[0](result))
            told.append(show(loop.progress))
            return await loop.play(read_rows(file, self.file.name))

    def _open_results(self, asked: Path | None, file: BinaryIO) -> BatchResults:
        path = asked or self.results
        if leads_out(path, self._resources.settings.data):
            raise InvalidConfig(f"{path} leads out of data/ by a link. Remove the link, or give a file with --out.")
        check_apart("--out", path, self.file)
        return BatchResults(path, partial(self.runs.lines, file), private=path == self.results)

    async def _here(self, run: SceneRun) -> SceneRun:
        await self._resources.engine.start(self._resources.runs.perform(run))
        return run

    async def _elsewhere(self, run: SceneRun) -> SceneRun:
        with suppress(RunFenced):  # a worker took it before it was handed over
            await self._here(run)
        while (await self._resources.runs.get(run.id)).status == "playing":  # noqa: ASYNC110 - reason: it ends elsewhere
            await asyncio.sleep(LOOK_SECONDS)
        played = await self._scenes.open_run(run.id)
        if played.record.status != "ended":
            raise stopped_by(played)
        return played


class _RowPlayer:
    """Finds or opens the run of a row, has it played, and says what became of it.

    `model` plays the parts of rows that name none. With `needs_prices`, a row is refused whose models have no known
    price.
    """

    def __init__(
        self,
        batch: Batch,
        scenes: Scenes,
        resources: Resources,
        finished: frozenset[str],
        perform: PlayRun,
        *,
        model: str | None,
        needs_prices: bool,
    ) -> None:
        self._batch, self._scenes, self._resources = batch, scenes, resources
        self._finished, self._perform = finished, perform
        self._model, self._needs_prices = model, needs_prices
        self._rows = RowScenes(resources.settings.project)

    async def play(self, row: NumberedRow, begins: Begins) -> PlayedRow | None:
        read = row.read
        if read.row is None:
            problem = read.problem or InvalidConfig("no row")
            return RowResult(line=read.line, outcome="refused", code=problem.code, problem=problem.message), problem
        run_id, record = await self._find(row)
        blank = RowResult(line=read.line, key=read.row.key, run=run_id, outcome="ended")
        if run_id in self._finished:
            return blank, None
        is_over = record is not None and record.status == "ended"
        if not is_over and not await begins():
            return None
        run: SceneRun | None = None
        try:
            run = await self._opened(read, read.row, run_id, record)
            run = await self._performed(run)
            return _result(blank, run)
        except AuthorError as error:
            refused = blank.model_copy(update={"outcome": "refused", "run": run_id if run or record else ""})
            return _failed(refused, run, error)
        except DramaturgError as error:
            return _failed(blank.model_copy(update={"outcome": "failed"}), run, error)
        except Exception as error:  # noqa: BLE001  # reason: a row costs itself, never the batch
            failure = DramaturgError(f"{type(error).__name__}: {error}")
            return _failed(blank.model_copy(update={"outcome": "failed"}), run, failure)

    async def _find(self, row: NumberedRow) -> tuple[str, RunRecord | None]:
        """The run of a row: the first under its key that may still end well, or that would be new."""
        for run_id in self._batch.runs.of(row):
            if run_id in self._finished:
                return run_id, None
            record = await self._resources.runs.known(run_id)
            if record is None or record.status != "ended":
                return run_id, record
            if _end_of(await self._scenes.open_run(run_id)) != NO_CAST:
                return run_id, record
        raise AssertionError("they never end")

    async def _opened(self, read: ReadRow, row: BatchRow, run_id: str, record: RunRecord | None) -> SceneRun:
        if record is not None and record.status == "ended":
            return await self._scenes.open_run(run_id)
        if record is not None:
            return await self._taken_up(run_id)
        where = f"{self._batch.file.name}, line {read.line}"
        config = self._rows.scene_of(row, where)
        model = check_authored_model(self._resources.settings, row.model, where) or self._model
        if self._needs_prices and (unpriced := await self._scenes.unpriced(config, model=model)):
            raise InvalidSettings(
                f"{where}: The price of {unpriced[0]} is unknown, so a budget in dollars cannot be enforced. "
                "Give --budget in tokens."
            )
        about = orjson.dumps({"batch": self._batch.name, "line": read.line, "key": row.key}).decode()
        try:
            return await self._scenes.open(
                config, model=model, seed=row.seed, agent=row.agent, run_id=run_id, about=about
            )
        except StoreUnavailable:
            if await self._resources.runs.known(run_id) is None:
                raise
        return await self._taken_up(run_id)  # another command was quicker

    async def _performed(self, run: SceneRun) -> SceneRun:
        """A run at its end, whoever plays it there."""
        while run.record.status != "ended":
            try:
                return await self._perform(run)
            except RunFenced:  # another process has it now
                run = await self._taken_up(run.id)
        return run

    async def _taken_up(self, run_id: str) -> SceneRun:
        """A run that another command began: to be played on once nobody plays it, or at its end."""
        while (await self._resources.runs.get(run_id)).status != "ended":
            try:
                return (await self._resources.engine.adopt(run_id)).run
            except RunFenced:
                await asyncio.sleep(LOOK_SECONDS)
            except InvalidConfig:
                if (await self._resources.runs.get(run_id)).status != "ended":
                    raise
        return await self._scenes.open_run(run_id)


def stopped_by(run: SceneRun) -> DramaturgError:
    """Why a run that another process played is not at its end, as the error that stopped it there."""
    last = next((one.event for one in reversed(run.entries) if isinstance(one.event, RunStopped)), None)
    if last is None:
        return DramaturgError(f"Run {run.id} was not played to its end.")
    return next((kind for kind in _kinds(DramaturgError) if kind.code == last.code), DramaturgError)(last.reason)


def _kinds(kind: type[DramaturgError]) -> Iterator[type[DramaturgError]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from _kinds(narrower)


def _result(blank: RowResult, run: SceneRun) -> tuple[RowResult, DramaturgError | None]:
    result = _played(blank, run)
    if result.end == NO_CAST:
        lost = ModelUnavailable(f"Nobody of the cast of run {run.id} could be reached; it is played anew next time.")
        return _failed(result.model_copy(update={"outcome": "failed"}), None, lost)
    return result, None


def _failed(result: RowResult, run: SceneRun | None, error: DramaturgError) -> tuple[RowResult, DramaturgError]:
    played = _played(result, run) if run is not None else result
    return played.model_copy(update={"code": error.code, "problem": error.message}), error


def _played(blank: RowResult, run: SceneRun) -> RowResult:
    """The row's result, with what was played of it so far."""
    take = take_table(run.name, {run.id: run.entries}).takes[0]
    return blank.model_copy(
        update={
            "run": run.id,
            "scene": run.name,
            "seed": take.seed,
            "model": take.model,
            "goal_achieved": take.goal_achieved,
            "end": take.reason,
            "beats": take.beats,
            "lines": take.lines,
            "interruptions": take.interruptions,
            "tokens": take.tokens,
            "usd": take.usd,
            "seconds": take.seconds,
            "folder": _folder(run),
        }
    )


def _end_of(run: SceneRun) -> str:
    return take_table(run.name, {run.id: run.entries}).takes[0].reason


def _folder(run: SceneRun) -> str:
    from dramaturg.scenes.state import scene_state

    return scene_state(run.entries).scene.folder
