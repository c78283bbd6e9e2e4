"""Several takes of one scene: read the options, play them, print them side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from typing import cast, get_args

from rich.console import Console
from rich.table import Table

from dramaturg.cli.cost_view import money
from dramaturg.cli.edge import fail, stderr, tell
from dramaturg.cli.scene_status import TakesStatus
from dramaturg.cli.status_line import StatusLine
from dramaturg.kernel.errors import DramaturgError, InvalidConfig
from dramaturg.kernel.settings import AgentMode
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.insight.takes import Take, TakeSetup, TakeTable
from dramaturg.scenes.scene import SceneConfig
from dramaturg.studio import Studio


def names_from(text: str) -> tuple[str, ...]:
    """The parts of a comma-separated option."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def seeds_from(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in names_from(text))
    except ValueError:
        raise InvalidConfig(f"--seeds takes whole numbers, comma-separated, such as 1,2,3; found '{text}'.") from None


def agents_from(text: str) -> tuple[AgentMode, ...]:
    return tuple(_agent(name) for name in names_from(text))


def _agent(name: str) -> AgentMode:
    for known in get_args(AgentMode):
        if name == known:
            return cast(AgentMode, known)
    raise InvalidConfig(f"--agents takes direct, assisted and task, comma-separated; found '{name}'.")


async def play_setups(
    studio: Studio, config: SceneConfig, wanted: Sequence[TakeSetup], *, at_once: int, json: bool
) -> list[SceneRun]:
    """Open every take before any is played, so that a mistake costs nothing; then play a few at a time."""
    _, runs = await studio.scenes.open_takes(config, wanted)
    places, console = asyncio.Semaphore(at_once), stderr()
    takes = TakesStatus(runs, console)
    status = StatusLine(console, takes.rows)

    async def play(number: int, run: SceneRun) -> DramaturgError | None:
        async with places:
            try:
                with takes.playing(number):
                    await studio.start(run)
            except DramaturgError as error:
                with status.hidden():
                    tell(f"take {number}: {error.message}")
                return error
        if not json:
            with status.hidden():
                tell(f"take {number} of {len(runs)}: {studio.scenes.result(run).metadata.reason}", "dim")
        return None

    async with nullcontext() if json else status:
        failures = await asyncio.gather(*(play(number, run) for number, run in enumerate(runs, start=1)))
    if failures and all(failures):
        fail(next(error for error in failures if error is not None), json=json)
    return runs


def print_takes(table: TakeTable, console: Console, project: str = "") -> None:
    several = len({_player(take) for take in table.takes}) > 1
    grid = Table(box=None, pad_edge=False, header_style="dim")
    words = ("take", "goal", "end")
    for column in (*words, "seed", "beats", "lines", "cuts", "tokens", "cost", "s", "common"):
        grid.add_column(column, justify="left" if column in words else "right", no_wrap=True)
    for take in table.takes:
        grid.add_row(*_cells(take))
    console.print(grid)
    console.print()
    for take in table.takes:
        by = f"{_player(take)}: " if several else ""
        console.print(f"{take.number}  {take.run}  {by}{_difference(take)}", soft_wrap=True, markup=False)
    if len(table.takes) > 1:
        first = f"dramaturg takes compare {table.takes[0].run}{project}"
        console.print(f"\nSide by side: {first}", soft_wrap=True, markup=False)
    console.print(f"\nGoal reached in {table.reached} of {len(table.takes)} takes ({table.pass_rate:.0%}).")


def _cells(take: Take) -> tuple[str, ...]:
    return (
        f"{take.number}",
        "yes" if take.goal_achieved else "no",
        take.reason,
        f"{take.seed}",
        f"{take.beats}",
        f"{take.lines}",
        f"{take.interruptions}",
        f"{take.tokens:,}",
        money(take.usd),
        f"{take.seconds:.1f}",
        f"{take.common:.0%}",
    )


def _player(take: Take) -> str:
    return f"{take.model}, {take.agent}" if take.agent else take.model


def _difference(take: Take) -> str:
    if take.number == 1:
        return "the others are compared with this one"
    if take.departs is not None:
        return f"differs from line {take.departs.number}: {take.departs.rendered()}"
    return "the same" if take.common == 1 else "the same, and ends sooner"
