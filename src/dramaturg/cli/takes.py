"""`scene takes`: one scene played several times, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from rich.console import Console
from rich.table import Table

from dramaturg.cli.costs import money
from dramaturg.cli.edge import fail, perform, say, settings_of, stdout, tell
from dramaturg.kernel.errors import DramaturgError, InvalidConfig
from dramaturg.kernel.settings import AgentMode
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.insight.takes import Slate, Take, TakeTable, slates, take_table
from dramaturg.scenes.scene import SceneConfig, find_scene
from dramaturg.studio import Studio


@dataclass(frozen=True, slots=True)
class TakeOptions:
    """How often a scene is played, with what, and how many at once."""

    count: int
    models: str = ""
    seeds: str = ""
    agents: str = ""
    at_once: int = 4
    json: bool = False


def play_takes(scene: str, project: Path, options: TakeOptions) -> None:
    async def work() -> TakeTable:
        settings = settings_of(project)
        config = find_scene(project, scene)
        first = next(seed for seed in (config.seed, settings.seed, 1) if seed is not None)
        seeds, agents = _numbers(options.seeds), tuple(_way(agent) for agent in _named(options.agents))
        wanted = slates(_named(options.models), seeds, agents, count=options.count, first_seed=first)
        async with Studio.open(settings) as studio:
            played = await _played(studio, config, wanted, options)
        return take_table(config.name, {run.id: run.entries for run in played})

    table = perform(work, json=options.json)
    if options.json:
        say(table.model_dump(mode="json", by_alias=True) | {"passRate": table.pass_rate})
        return
    _show(table, stdout())


def _way(agent: str) -> AgentMode:
    for way in get_args(AgentMode):
        if agent == way:
            return cast(AgentMode, way)
    raise InvalidConfig(f"--agents takes direct, assisted and task, with commas; found '{agent}'.")


async def _played(studio: Studio, config: SceneConfig, wanted: Sequence[Slate], options: TakeOptions) -> list[SceneRun]:
    """Open every take before any is played, so that a mistake costs nothing; then play, a few at a time."""
    if not options.models and not studio.settings.models.default and not options.json:
        tell((await studio.choose()).reason + "\n", "dim")
    _, runs = await studio.open_takes(config, wanted)
    places = asyncio.Semaphore(options.at_once)

    async def play(number: int, run: SceneRun) -> DramaturgError | None:
        async with places:
            try:
                await studio.start(run)
            except DramaturgError as error:
                tell(f"take {number}: {error.message}")
                return error
        if not options.json:
            tell(f"take {number} of {len(runs)}: {studio.result(run).metadata.reason}", "dim")
        return None

    failures = await asyncio.gather(*(play(number, run) for number, run in enumerate(runs, start=1)))
    if failures and all(failures):
        fail(next(error for error in failures if error is not None), json=options.json)
    return runs


def _show(table: TakeTable, console: Console) -> None:
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
        return "the others are held against this one"
    if take.departs is not None:
        return f"parts at line {take.departs.number}: {take.departs.rendered()}"
    return "the same" if take.common == 1 else "the same, and ends sooner"


def _named(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in _named(text))
    except ValueError:
        raise InvalidConfig(f"--seeds takes whole numbers with commas, such as 1,2,3; found '{text}'.") from None
