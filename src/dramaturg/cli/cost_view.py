"""What a run used, by character and purpose, or by beat."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table

from dramaturg.cli.edge import print_json, stdout
from dramaturg.kernel.runs.costs import CostRow, CostTable, cost_table
from dramaturg.kernel.runs.events import RunForked

if TYPE_CHECKING:
    from dramaturg.studio import Studio


class RunCosts(NamedTuple):
    """What a run used, what a step of it is called, and the run that paid for what it shares, if it shares any."""

    table: CostTable
    step: str
    parent: str


async def costs_of(studio: Studio, run_id: str) -> RunCosts:
    run, kind = await studio.runs.open_with_kind(run_id)
    entries = await kind.paid_entries(run)
    parent = next((entry.event.parent for entry in entries if isinstance(entry.event, RunForked)), "")
    return RunCosts(cost_table(entries, kind.step_of), kind.step, parent)


def print_costs(found: RunCosts, *, beats: bool, json: bool) -> None:
    costs = found.table
    if json:
        print_json(costs.model_dump(mode="json", by_alias=True))
        return
    console = stdout()
    console.print(_table(costs, found.step if beats else ""))
    if costs.shared.calls:
        shared = f"{costs.shared.calls} calls, {costs.shared.total_tokens:,} tokens, {money(costs.shared.usd)}"
        console.print(f"\nOf that, {shared} were paid for in run {found.parent}.", soft_wrap=True)
    if costs.total.estimated:
        console.print("\nSome servers did not report how many tokens they used; those numbers are estimates.")


def _table(costs: CostTable, step: str) -> Table:
    """By beats, or whatever the steps of the run are called; by character and purpose without a name for them."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    first = (step,) if step else ("who", "for")
    for column in first:
        table.add_column(column, no_wrap=True)
    for column in ("calls", "input", "cached", "output", "cost"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in costs.beats if step else costs.rows:
        names = (str(row.beat),) if step else (row.who or "-", row.purpose or "-")
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
