"""A long work of the book in a terminal: its price, its progress and its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import print_json, stderr, stdout, tell
from dramaturg.cli.line_reader import confirmed
from dramaturg.cli.runs_view import print_run
from dramaturg.cli.status_line import QUIET, StatusLine
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs.events import Entry

if TYPE_CHECKING:
    from dramaturg.kernel.runs import Limits, Run
    from dramaturg.studio import Studio
    from dramaturg.workshop.drafts.previews import VariantPreview
    from dramaturg.workshop.front import Workshop
    from dramaturg.workshop.works.price import WorkPrice
    from dramaturg.workshop.works.wire import WorkRow
    from dramaturg.workshop.works.work import WorkRequest

LAST_WORDS = 12
"""How many of its last words are shown of a text that is being written."""


async def do_work(
    studio: Studio, name: str, request: WorkRequest, *, yes: bool, json: bool, limits: Limits | None = None
) -> Run[Any] | None:
    """Start a work, once the user agrees to its price, show how far it gets, and print what came of it.

    None if the user does not agree. Stopped with Ctrl-C, it can be resumed.
    """
    from dramaturg.kernel.runs import Limits

    works, limits = studio.workshop.works, limits or Limits()
    price = await works.price(name, request, limits)
    if not json:
        print_price(price)
    if price.needs_yes and not yes:
        if json:
            raise InvalidConfig("With --json, nobody can be asked for confirmation; add --yes to start.")
        if not await confirmed("Start?"):
            tell("Nothing was sent.")
            return None
    run = await works.start(name, request, limits)
    await wait_for_work(studio.workshop, run.id, quiet=json)
    found, kind = await studio.runs.open_with_kind(run.id)
    print_run(found, kind, debug=False, json=json)
    return found


def print_price(price: WorkPrice) -> None:
    """What a work costs, for somebody who decides whether to start it; nothing if it asks no model."""
    if price.most_questions:
        tell(price.said)
    for remark in price.remarks:
        tell(remark, "yellow")
    for unseen in price.blind_spots:
        tell(f"It will not look at: {unseen}", "dim")


async def wait_for_work(foreman: Workshop, run_id: str, *, quiet: bool) -> None:
    """Show how far a work has got, until it is over. Raises what it failed with."""
    from dramaturg.workshop.drafts.previews import VariantPreview
    from dramaturg.workshop.works.events import CellFailed, WorkProgressed

    rows: list[Text] = []
    written: dict[str, Text] = {}
    async with StatusLine(stderr(), lambda: [] if quiet else [*written.values(), *rows]):
        async for shown in foreman.works.follow(run_id):
            if isinstance(shown, VariantPreview):
                written[shown.letter] = preview_row(shown)
                continue
            event = shown.event if isinstance(shown, Entry) else None
            if isinstance(event, WorkProgressed):
                rows = [Text(f"{event.done} of {event.of} {event.what}".rstrip(), QUIET)]
            elif isinstance(event, CellFailed) and not quiet:
                tell(f"{event.key}: no answer. {event.error}", "yellow")
    await foreman.works.wait(run_id)


def preview_row(shown: VariantPreview) -> Text:
    """A variant on its way, in one line: how long it is, and its last words."""
    last = " ".join(shown.text.split()[-LAST_WORDS:])
    return Text(f"{shown.letter}  {shown.words:,} words  … {last}", QUIET, no_wrap=True, overflow="ellipsis")


def print_works(rows: Sequence[WorkRow], *, json: bool) -> None:
    """The long works of the book, newest first."""
    if json:
        for row in rows:
            print_json(row.model_dump(mode="json", by_alias=True))
        return
    if not rows:
        tell("No long work has been done on this book yet.")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("run", "work", "status", "done", "result"):
        table.add_column(column, no_wrap=column != "result", overflow="fold")
    for row in rows:
        table.add_row(row.run, row.work, row.status, f"{row.done}/{row.of}" if row.of else "", row.said)
    stdout().print(table)
