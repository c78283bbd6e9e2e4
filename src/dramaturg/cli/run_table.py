"""A list of runs in a terminal: one row each, and below it what it was about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from dramaturg.cli.edge import stdout
from dramaturg.kernel.clock import moment
from dramaturg.kernel.runs.digest import RunDigest

_ENDS = {
    "goal_achieved": "goal achieved",
    "walked_through": "walked through",
    "max_beats_exceeded": "too many beats",
    "cast_unavailable": "no answers",
}
COLUMNS = ("run", "name", "end", "beats", "model", "seed", "cost")
RIGHT = frozenset({"beats", "seed", "cost"})
GIVES = {"name": 8, "model": 7, "end": 7, "seed": 6}
"""Columns that are shortened where the terminal is narrow, and how far."""


def print_digests(digests: Sequence[RunDigest]) -> None:
    """Never wider than the terminal: long names are shortened, the ids of runs are not."""
    console = stdout()
    rows = [_cells(digest) for digest in digests]
    wanted = (max(map(cell_len, column)) for column in zip(COLUMNS, *rows, strict=True))
    widths = _fitted([min(width, console.width) for width in wanted], console.width)
    table = Text().append(_row(COLUMNS, widths), "dim")
    for digest, row in zip(digests, rows, strict=True):
        table.append(f"\n{_row(row, widths)}")
        for remark in _remarks(digest):
            table.append(f"\n  {_shortened(remark, console.width - 2)}", "dim")
    console.print(table, soft_wrap=True)


def _cells(digest: RunDigest) -> tuple[str, ...]:
    end = _ENDS.get(digest.reason, digest.reason.replace("_", " ")) or digest.status
    beats = "" if digest.beats is None else f"{digest.beats}"
    models = ", ".join(one.rpartition("/")[2] for one in digest.models)
    return digest.id, _one_line(digest.name), _one_line(end), beats, _one_line(models), f"{digest.seed}", _cost(digest)


def _cost(digest: RunDigest) -> str:
    if digest.usd is None:
        return "unknown"
    return f"${digest.usd:.2f}" if digest.usd >= 0.005 or not digest.usd else "<$0.01"


def _remarks(digest: RunDigest) -> Iterator[str]:
    started = moment(digest.created_at).astimezone()
    facts = [f"{digest.kind}, {started:%Y-%m-%d %H:%M}"]
    if digest.status in ("playing", "failed"):
        facts.append(digest.status)
    if digest.take is not None and digest.parent_id is None:
        facts.append(f"take {digest.take}")
    if digest.parent_id:
        beat = "" if digest.forked_at_beat is None else f" after beat {digest.forked_at_beat}"
        facts.append(f"fork of {digest.parent_id}{beat}")
    if digest.picked:
        facts.append("favourite")
    yield ", ".join(facts)
    if digest.goal:
        yield _one_line(digest.goal)


def _fitted(widths: list[int], limit: int) -> list[int]:
    """The widths, less what must be taken from those that give way, the widest first."""
    over = sum(widths) + 2 * (len(widths) - 1) - limit
    while over > 0:
        widest = max(GIVES, key=lambda name: widths[COLUMNS.index(name)] - GIVES[name])
        place = COLUMNS.index(widest)
        if widths[place] <= GIVES[widest]:
            break
        widths[place] -= 1
        over -= 1
    return widths


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    parts = []
    for column, cell, width in zip(COLUMNS, cells, widths, strict=True):
        text = _shortened(cell, width)
        space = " " * (width - cell_len(text))
        parts.append(space + text if column in RIGHT else text + space)
    return "  ".join(parts).rstrip()


def _shortened(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    text = text[: width - 1]  # no character is less than a cell wide, but for a few that may go
    while text and cell_len(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def _one_line(text: str) -> str:
    return " ".join(text.split())
