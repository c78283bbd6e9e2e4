"""Takes side by side in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dramaturg.scenes.insight.alignment import TakeComparison, TakeRow
from dramaturg.scenes.line import Line

NARROWEST = 24
"""Below so many characters a column is no longer read with pleasure; takes are then shown below one another."""
MOST_REPEATED = 2
"""So many lines in a row that are the same are shown; more are counted."""


def print_comparison(found: TakeComparison, out: Console, *, everything: bool = False) -> None:
    """Columns where they fit, otherwise one take below the other, row by row."""
    out.print(Text(found.title, "bold"), soft_wrap=True)
    for number, take in enumerate(found.takes, start=1):
        favourite = ", favourite" if take.picked else ""
        out.print(Text(f"{number}  {take.run}  {take.played_by}, {take.beats} beats{favourite}", "dim"), soft_wrap=True)
    out.print()
    in_columns = (out.width - 2 * (len(found.takes) - 1)) // len(found.takes) >= NARROWEST
    if in_columns:
        out.print(_columns(found, everything=everything))
    else:
        _print_stacked(found, out, everything=everything)
    same = len(found.rows) - found.differing
    more = "" if everything or not same else "; --all shows them"
    out.print(Text(f"\n{same} of {len(found.rows)} rows are the same in every take{more}.", "dim"), soft_wrap=True)


def _columns(found: TakeComparison, *, everything: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0), header_style="dim", expand=True)
    for number in range(1, len(found.takes) + 1):
        table.add_column(f"take {number}", ratio=1, overflow="fold")
    for row in _shown(found.rows, everything=everything):
        if isinstance(row, int):
            table.add_row(Text(_counted(row), "dim"))
        else:
            table.add_row(*(Text(_line(cell), "dim" if row.same else "") for cell in row.cells))
    table.add_row(*(Text(take.end, "bold") for take in found.takes))
    return table


def _print_stacked(found: TakeComparison, out: Console, *, everything: bool) -> None:
    for row in _shown(found.rows, everything=everything):
        if isinstance(row, int):
            out.print(Text(_counted(row), "dim"))
        elif row.same:
            out.print(Text(f"=  {_line(row.cells[0])}", "dim"))
        else:
            for number, cell in enumerate(row.cells, start=1):
                out.print(Text(f"{number}  {_line(cell)}"))
        out.print()
    for number, take in enumerate(found.takes, start=1):
        out.print(Text(f"{number}  {take.end}", "bold"))


def _shown(rows: Sequence[TakeRow], *, everything: bool) -> Iterator[TakeRow | int]:
    """The rows; instead of many in succession that are the same, how many they are."""
    for same, group in groupby(rows, key=lambda row: row.same):
        found = list(group)
        if same and not everything and len(found) > MOST_REPEATED:
            yield len(found)
        else:
            yield from found


def _counted(rows: int) -> str:
    return f"({rows} lines the same)"


def _line(line: Line | None) -> str:
    return line.rendered() if line is not None else "–"
