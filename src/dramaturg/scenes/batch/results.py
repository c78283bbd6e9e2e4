"""The results of a batch: a line of JSON per row, in the order in which rows were finished."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Literal, NamedTuple

from pydantic import ValidationError

from dramaturg.kernel.errors import InvalidConfig, StoreBlocked, StoreUnavailable
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.store.private_files import private_folder, private_opener
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.batch.lock import CAN_LOCK, open_locked

Outcome = Literal["ended", "failed", "stopped", "refused"]
LinesOf = Callable[[Collection[str]], Mapping[str, int]]
"""Given runs, says on which line the row of each stands now. A run whose row is gone is not among them."""
LONGEST_LINE = 1_000_000
BEGINNING = b'{"line":'


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
    """What an earlier call has finished: runs, tokens and dollars, which are None where a price is unknown."""

    runs: frozenset[str] = frozenset()
    tokens: int = 0
    usd: float | None = 0.0


class BatchResults:
    """The file of results, opened to add to it; no other command can meanwhile.

    What did not end before is left out: it is tried again. So is what no row asks for any more, if `lines_of` says
    which do. A file with anything else in it, or with nothing but the results of other rows, is refused, and stays as
    it is. If `private`, so are the file and its folder.
    """

    def __init__(self, path: Path, lines_of: LinesOf | None = None, *, private: bool = False) -> None:
        self.path = path
        self.finished = Finished()
        self._lines_of = lines_of
        self._artifacts = Artifacts(path.parent, private=private)
        self._private = private
        self._file: IO[bytes] | None = None

    def __enter__(self) -> BatchResults:
        """Raises InvalidConfig for a file of something else, StoreBlocked for one that another command writes."""
        try:
            self._make_place()
            with self._open() as before:
                if not CAN_LOCK:
                    before.close()  # where an open file cannot be replaced
                self.finished = self._kept()
            self._file = self._open()
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
            self._file.write(_line(result))
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def read(self) -> Iterator[RowResult]:
        """The lines so far; a line that a killed process wrote half of is left out."""
        return read_results(self.path)

    def _make_place(self) -> None:
        path = self._artifacts.path(self.path.name)
        if path.exists() and not path.is_file():
            raise InvalidConfig(f"{path} is not a file. Give a file for the results with --out.", file=str(path))
        if self._private:
            private_folder(path.parent)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)

    def _open(self) -> IO[bytes]:
        file = open_locked(self.path, private_opener if self._private else None)
        if file is None:
            raise StoreBlocked(
                f"{self.path} is being written by another command that plays this batch. Wait for its end, or give "
                "another file with --out: what it plays is not played twice.",
                place=str(self.path),
            )
        return file

    def _kept(self) -> Finished:
        """Drops what is to be tried again and what no row asks for, and gives each of the others its present line."""
        ended = frozenset(result.run for result in self._checked() if result.outcome == "ended")
        lines = self._lines_of(ended) if self._lines_of is not None else None
        if ended and lines is not None and not lines:
            raise InvalidConfig(
                f"{self.path} holds {len(ended)} results, and none is of a row of this batch as it is played now, so "
                "nothing was written there. Give another file with --out, or move this one away.",
                file=str(self.path),
            )
        runs: set[str] = set()
        tokens, usd, prices_known = 0, 0.0, True
        with self._artifacts.writing(self.path.name) as file:
            for result in self.read():
                is_asked_for = lines is None or result.run in lines
                if result.outcome != "ended" or result.run in runs or not is_asked_for:
                    continue
                runs.add(result.run)
                tokens, usd = tokens + result.tokens, usd + (result.usd or 0.0)
                prices_known = prices_known and result.usd is not None
                file.write(_line(result if lines is None else result.model_copy(update={"line": lines[result.run]})))
        return Finished(frozenset(runs), tokens, usd if prices_known else None)

    def _checked(self) -> Iterator[RowResult]:
        """The results in the file. Raises InvalidConfig at the first line that is none."""
        with self.path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=1):
                result = _result_in(line)
                if result is not None:
                    yield result
                elif line.strip() and not _is_half_written(line):
                    raise InvalidConfig(
                        f"{self.path}, line {number}: not a result of a batch, so nothing was written there. Give "
                        "another file with --out, or move this one away.",
                        file=str(self.path),
                        line=number,
                    )

    def _unwritable(self, error: OSError) -> StoreUnavailable:
        return StoreUnavailable(
            f"{self.path} cannot be written: {error.strerror}. Make room or give another file with --out; what was "
            "played is kept."
        )


def read_results(path: Path) -> Iterator[RowResult]:
    """The results in a file, one at a time; lines that are none are left out."""
    with path.open("rb") as file:
        yield from filter(None, map(_result_in, file))


def check_apart(option: str, path: Path, *others: Path) -> None:
    """Raises InvalidConfig if a file to write is one of the others, by whatever path or link."""
    for other in others:
        with suppress(OSError):  # one of them is missing, so they are two
            if path.samefile(other):
                raise InvalidConfig(
                    f"{option} {path} is the same file as {other}, and would replace it. Give another file with "
                    f"{option}; nothing was written.",
                    file=str(path),
                )


def _line(result: RowResult) -> bytes:
    return result.model_dump_json(by_alias=True).encode() + b"\n"


def _result_in(line: bytes) -> RowResult | None:
    try:
        return RowResult.model_validate_json(line)
    except ValidationError:
        return None


def _is_half_written(line: bytes) -> bool:
    """Whether a line is what a killed process had written of a result."""
    found = line.replace(b" ", b"")
    return len(line) < LONGEST_LINE and not line.endswith(b"\n") and found[: len(BEGINNING)] == BEGINNING[: len(found)]
