"""Takes side by side as one HTML file: no script, nothing loaded, the words that differ marked."""

from __future__ import annotations

from difflib import SequenceMatcher
from html import escape
from importlib.resources import files

from dramaturg.kernel.text.counts import counted
from dramaturg.scenes.exports.html_page import head
from dramaturg.scenes.exports.script import plain
from dramaturg.scenes.insight.alignment import ComparedTake, TakeComparison, TakeRow
from dramaturg.scenes.line import Line


def render_takes(comparison: TakeComparison) -> str:
    """One column per take, one row per line; a line that all takes have is faint."""
    style = files(__package__).joinpath("takes.css").read_text(encoding="utf-8")
    count, all_rows = comparison.differing, len(comparison.rows)
    rows = (
        *head(f"{comparison.title}: {len(comparison.takes)} takes", style),
        "<body>",
        "<main>",
        f'<h1 dir="auto">{_text(comparison.title)}</h1>',
        f'<p class="goal" dir="auto">{_text(comparison.goal)}</p>',
        f"<p>{len(comparison.takes)} takes; {count} of {all_rows} rows differ.</p>",
        "<table>",
        f"<thead><tr>{''.join(_head(number, take) for number, take in enumerate(comparison.takes, 1))}</tr></thead>",
        "<tbody>",
        *(_row(row) for row in comparison.rows),
        "</tbody>",
        f"<tfoot><tr>{''.join(f'<td>{_text(take.end)}</td>' for take in comparison.takes)}</tr></tfoot>",
        "</table>",
        "</main>",
        "</body>",
        "</html>",
    )
    return "\n".join(rows) + "\n"


def _head(number: int, take: ComparedTake) -> str:
    favourite = ' <span class="favourite">favourite</span>' if take.picked else ""
    return (
        f'<th scope="col">Take {number}{favourite}<br><code>{_text(take.run)}</code><br>'
        f'<span class="by">{_text(take.played_by)}, {counted(take.beats, "beat")}</span></th>'
    )


def _row(row: TakeRow) -> str:
    kind = "same" if row.same else "differs"
    first = row.cells[0]
    cells = (_cell(cell, first if place and not row.same else None) for place, cell in enumerate(row.cells))
    return f'<tr class="{kind}">{"".join(cells)}</tr>'


def _cell(line: Line | None, base: Line | None) -> str:
    if line is None:
        return '<td class="none">–</td>'
    fields = ", ".join(line.fields()) if line.kind == "line" else line.kind
    who = f"<b>{_text(line.speaker)}</b> " if line.speaker else ""
    words = _marked(line.content, base.content) if base is not None else _text(line.content)
    return f'<td dir="auto">{who}<span class="how">{_text(fields)}</span> {words}</td>'


def _marked(text: str, base: str) -> str:
    """The text with the words marked that the baseline has not."""
    here, there = plain(text).split(), plain(base).split()
    parts = []
    for kind, start, end, _, _ in SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
        if piece := escape(" ".join(here[start:end]), quote=True):
            parts.append(piece if kind == "equal" else f"<mark>{piece}</mark>")
    return " ".join(parts)


def _text(text: str) -> str:
    return escape(plain(text), quote=True)
