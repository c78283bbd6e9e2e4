"""The results of a batch: a line of JSON per row, in the order in which rows were finished."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal, NamedTuple

from pydantic import ValidationError

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import WireValue

Outcome = Literal["ended", "failed", "stopped", "refused"]


class RowResult(WireValue):
    """What became of a row. `refused` is a row that cannot be played, `stopped` one that goes on next time.

    `usd` is null where a price is unknown. `code` and `problem` say what went wrong, `end` how the scene ended.
    """

    line: int
    key: str = ""
    run: str = ""
    scene: str = ""
    seed: int | None = None
    model: str = ""
    outcome: Outcome
    goal_achieved: bool = False
    end: str = ""
    beats: int = 0
    lines: int = 0
    interruptions: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    seconds: float = 0.0
    folder: str = ""
    code: str = ""
    problem: str = ""


class Finished(NamedTuple):
    """What an earlier call has finished: runs, tokens and dollars."""

    runs: frozenset[str] = frozenset()
    tokens: int = 0
    usd: float = 0.0


class BatchResults:
    """The file of results, opened to add to it. What did not end before is left out: it is tried again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.finished = Finished()
        self._file: IO[bytes] | None = None

    def __enter__(self) -> BatchResults:
        try:
            self.finished = self._kept()
            self._file = self.path.open("ab")
        except OSError as error:
            raise self._unwritable(error) from error
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, result: RowResult) -> None:
        """One more line, there at once for whoever reads the file. Raises StoreUnavailable."""
        if self._file is None:
            raise AssertionError("results are added inside the block")
        try:
            self._file.write(result.model_dump_json(by_alias=True).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def read(self) -> Iterator[RowResult]:
        """The lines so far; a line that a killed process wrote half of is left out."""
        return read_results(self.path)

    def _kept(self) -> Finished:
        """Drops what is to be tried again."""
        runs: set[str] = set()
        tokens, usd = 0, 0.0
        artifacts = Artifacts(self.path.parent, private=True)
        with artifacts.writing(self.path.name) as file:
            for result in self.read() if self.path.exists() else ():
                if result.outcome == "ended" and result.run not in runs:
                    runs.add(result.run)
                    tokens, usd = tokens + result.tokens, usd + (result.usd or 0.0)
                    file.write(result.model_dump_json(by_alias=True).encode() + b"\n")
        return Finished(frozenset(runs), tokens, usd)

    def _unwritable(self, error: OSError) -> StoreUnavailable:
        return StoreUnavailable(
            f"{self.path} cannot be written: {error.strerror}. Make room or give another file with --out; what was "
            "played is kept."
        )


def read_results(path: Path) -> Iterator[RowResult]:
    """The results in a file, one at a time; lines that are none are left out."""
    with path.open("rb") as file:
        for line in file:
            try:
                yield RowResult.model_validate_json(line)
            except ValidationError:
                continue
