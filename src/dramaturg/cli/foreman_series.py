"""`foreman series`: what the book shares with the others of its series, and where it differs from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dramaturg.cli.edge import AUTHOR, echo, in_studio, tell
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project
from dramaturg.kernel.text.counts import counted

if TYPE_CHECKING:
    from dramaturg.workshop.series.wire import SeriesView

app = noun()
MOST_SHOWN = 40


@app.command("show")
def show_series(project: Project = Path(), json: Json = False) -> None:
    """Show the books of the series in order, what its pages say, and its timeline up to this book."""
    from dramaturg.cli.foreman_view import print_value

    found = in_studio(project, lambda studio: studio.workshop.series.show(), json=json)
    print_value(found) if json else _print_series(found)


@app.command("check")
def check_series(project: Project = Path(), json: Json = False) -> None:
    """Show where this book contradicts the series or an earlier book, and what it overrides with a reason."""
    from dramaturg.cli.foreman_view import print_value

    found = in_studio(project, lambda studio: studio.workshop.series.check(), json=json)
    if json:
        print_value(found)
    else:
        for one in found.contradictions:
            echo(f"contradicts: {one.said} [{one.old.book}: {one.old.file}; {one.new.file}]")
        for one in found.overrides:
            echo(f"overrides: {one.said} Because: {one.because} [{one.old.book}: {one.old.file}; {one.new.file}]")
        for problem in found.problems:
            tell(problem, "yellow")
        against, overrides = counted(len(found.contradictions), "contradiction"), len(found.overrides)
        tell(f"{against}, {counted(overrides, 'override')} with a reason.")
    if found.contradictions:
        raise typer.Exit(AUTHOR)


def _print_series(found: SeriesView) -> None:
    echo(found.title or "The series")
    for book in found.books:
        notes = [note for note, holds in (("this book", book.is_own), ("not there", not book.is_there)) if holds]
        notes += [counted(book.facts, "fact")] if book.facts else []
        noted = f" ({', '.join(notes)})" if notes else ""
        echo(f"  {book.number}. {book.title or book.name}{noted}")
    for fact in found.shared[:MOST_SHOWN]:
        echo(f"  {fact.said} [{fact.file}]")
    for row in found.timeline[:MOST_SHOWN]:
        echo(f"  {row.time}  {row.what} [{row.book}]")
    more = max(0, len(found.shared) - MOST_SHOWN) + max(0, len(found.timeline) - MOST_SHOWN)
    if more:
        tell(f"… and {more} more; --json has all.")
    for problem in found.problems:
        tell(problem, "yellow")
