"""Which run is a row's: the same row of the same batch is the same run, wherever it stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count
from typing import BinaryIO

from dramaturg.kernel.runs.ids import id_for
from dramaturg.scenes.batch.row import NumberedRow, numbered, read_rows

ATTEMPTS_LOOKED_AT, MOST_ATTEMPTS = 4, 64
"""Runs of one row among which its result is looked for, and those if none of the file is found among them. That of a
later one is read from the store again."""


@dataclass(frozen=True, slots=True)
class RowRuns:
    """The runs of a batch, by its name."""

    batch: str

    def of(self, row: NumberedRow) -> Iterator[str]:
        """The ids under which a row is played: the first, and the next whenever nobody of the cast was reachable."""
        for attempt in count():
            yield id_for("batch", f"{self.batch}\0{row.read.digest:x}\0{row.times}\0{attempt}")

    def lines(self, file: BinaryIO, runs: Collection[str]) -> dict[str, int]:
        """On which lines of a file the rows of runs stand; it is read from its beginning, and is there again after."""
        return self._lines(file, runs, ATTEMPTS_LOOKED_AT) or self._lines(file, runs, MOST_ATTEMPTS)

    def _lines(self, file: BinaryIO, runs: Collection[str], attempts: int) -> dict[str, int]:
        lines: dict[str, int] = {}
        for row in numbered(read_rows(file, "")) if runs else ():
            ids = zip(range(attempts), self.of(row), strict=False)
            found = next((run_id for _, run_id in ids if run_id in runs), "") if row.read.row is not None else ""
            if found:
                lines[found] = row.read.line
        file.seek(0)
        return lines
