"""What a run used, by character and purpose, or by beat."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from dramaturg.cli.edge import print_json, stdout
from dramaturg.kernel.runs import Kind, Run
from dramaturg.kernel.runs.costs import CostRow, CostTable, cost_table
from dramaturg.kernel.runs.events import RunForked


def print_costs(run: Run[Any], kind: Kind[Any, Any], *, beats: bool, json: bool) -> None:
    entries = run.entries
    costs = cost_table(entries, kind.step_of)
    if json:
        print_json(costs.model_dump(mode="json", by_alias=True))
        return
    console = stdout()
    console.print(_table(costs, beats=beats))
    if costs.shared.calls:
        parent = next(entry.event.parent for entry in entries if isinstance(entry.event, RunForked))
        shared = f"{costs.shared.calls} calls, {costs.shared.total_tokens:,} tokens, {money(costs.shared.usd)}"
        console.print(f"\nOf that, {shared} were paid for in run {parent}.", soft_wrap=True)
    if costs.total.estimated:
        console.print("\nSome servers did not report how many tokens they used; those numbers are estimates.")


def _table(costs: CostTable, *, beats: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    first = ("beat",) if beats else ("who", "for")
    for column in first:
        table.add_column(column, no_wrap=True)
    for column in ("calls", "input", "cached", "output", "cost"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in costs.beats if beats else costs.rows:
        names = (str(row.beat),) if beats else (row.who or "-", row.purpose or "-")
        table.add_row(*names, *_figures(row))
    table.add_section()
    table.add_row(*("total", "")[: len(first)], *_figures(costs.total), style="bold")
    return table


def _figures(row: CostRow) -> tuple[str, ...]:
    cached = f"{row.cached_share:.0%}" if row.input_tokens else "-"
    return f"{row.calls}", f"{row.input_tokens:,}", cached, f"{row.output_tokens:,}", money(row.usd)


def money(usd: float | None) -> str:
    """An amount as people write it; an unknown one is never shown as zero."""
    if usd is None:
        return "unknown"
    return f"${usd:.2f}" if usd >= 1 or not usd else f"${usd:.4f}"
