"""The options of `scene batch`: when it stops, and where its results go."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from dramaturg.cli.option_group import OptionGroup


class AskedLimits(NamedTuple):
    """How many scenes at once, and when to stop."""

    at_once: int
    budget: str | None
    failures: int
    on: str = "here"


class AskedTables(NamedTuple):
    """Where the results go."""

    out: Path | None
    parquet: Path | None


@OptionGroup
def asked_limits(
    at_once: Annotated[int, typer.Option(min=1, max=1024, help="Number of scenes played at the same time.")] = 8,
    budget: Annotated[
        str | None, typer.Option(help="A limit for the whole batch: tokens, such as 2000000, or dollars, such as $50.")
    ] = None,
    failures: Annotated[
        int, typer.Option(min=0, help="Stop at so many failures of one kind; 0 plays all rows, whatever fails.")
    ] = 10,
    on: Annotated[str, typer.Option(metavar="here|workers", help="Who plays: this process, or workers.")] = "here",
) -> AskedLimits:
    """The limits of a batch, and who plays it."""
    return AskedLimits(at_once, budget, failures, on)


@OptionGroup
def asked_tables(
    out: Annotated[
        Path | None,
        typer.Option(
            help="File for the results, a line of JSON per row.", show_default="data/batches/NAME/results.jsonl"
        ),
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option(help="Also write the results as a Parquet table to this file.")
    ] = None,
) -> AskedTables:
    """The tables of a batch."""
    return AskedTables(out, parquet)
