"""Directions to a run from another terminal than the one that plays it: sent, and listed with what became of them."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from dramaturg.cli.direction_lines import AUTHOR, help_text
from dramaturg.cli.edge import echo, in_studio, print_json, stdout
from dramaturg.kernel.text.control import visible
from dramaturg.scenes.author.sent import SentDirection
from dramaturg.scenes.author.typed import read_direction
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio

OUTCOMES = {"waiting": "waiting", "followed": "followed", "refused": "not followed", "too_late": "too late"}


def send_direction(run_id: str, typed: str, project: Path, *, json: bool) -> None:
    """Send one direction as it was typed, and say when it is followed."""
    if typed.strip().removeprefix("/").casefold() == "help":
        echo(help_text().replace("  /", "  "))
        return

    async def work(studio: Studio) -> SentDirection:
        run = await studio.scenes.open_run(run_id)
        asked = read_direction(typed, scene_state(run.entries))
        return await studio.scenes.steer(run.id, asked, author=AUTHOR)

    sent = in_studio(project, work, json=json)
    if json:
        print_json(sent.model_dump(mode="json", by_alias=True))
    else:
        echo(f"Direction {sent.number} is stored: {sent.reason or OUTCOMES[sent.outcome]}.")


def list_directions(run_id: str, project: Path, *, json: bool) -> None:
    """List what was asked of a run."""
    sent = in_studio(project, lambda studio: studio.scenes.directions(run_id), json=json)
    if json:
        for one in sent:
            print_json(one.model_dump(mode="json", by_alias=True))
    elif not sent:
        echo("Nothing was asked of this run while it was played. 'dramaturg runs steer RUN help' lists what can be.")
    else:
        stdout().print(_table(sent))


def _table(sent: tuple[SentDirection, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("#", "direction", "beat", "outcome"):
        table.add_column(title)
    for one in sent:
        fields = one.direction.model_dump(mode="json", exclude={"do"}, exclude_defaults=True).values()
        asked = visible(" ".join([one.direction.do, *(str(value) for value in fields)]))
        why = f": {one.reason}" if one.reason and one.outcome != "waiting" else ""
        table.add_row(f"{one.number}", asked, "" if one.beat is None else f"{one.beat}", OUTCOMES[one.outcome] + why)
    return table
