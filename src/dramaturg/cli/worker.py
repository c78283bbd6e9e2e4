"""`worker`: a process that plays what is queued."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.edge import echo, open_studio, perform, settings_of, with_queue
from dramaturg.cli.group import noun
from dramaturg.cli.options import Project
from dramaturg.kernel.errors import InvalidConfig

app = noun()


@app.command()
def work(
    project: Project = Path(),
    queues: Annotated[
        str, typer.Option(help="What it plays, comma-separated: interactive, batch.")
    ] = "interactive,batch",
    places: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Runs that it plays at once.", show_default="[queue] places")
    ] = None,
) -> None:
    """Play what is queued, until Ctrl-C or SIGTERM; what is unfinished then goes to another worker."""
    from dramaturg.cluster.left_runs import warn_of_missing_models
    from dramaturg.cluster.queue import QUEUES
    from dramaturg.cluster.worker import join_queue

    async def working() -> None:
        names = [name.strip() for name in queues.split(",") if name.strip()]
        wanted = [name for name in QUEUES if name in names]
        if not wanted or len(wanted) < len(set(names)):
            raise InvalidConfig(f"--queues takes {' and '.join(QUEUES)}, comma-separated; found '{queues}'.")
        settings = with_queue(settings_of(project))
        async with open_studio(settings, queued=True) as studio:
            stopped, loop = asyncio.Event(), asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stopped.set)
            join_queue(studio.engine, wanted, places)
            echo(f"Working on {' and '.join(wanted)}, {places or settings.queue.places} at a time. Ctrl-C stops it.")
            warn_of_missing_models(settings)
            await stopped.wait()
            await studio.engine.drain(settings.server.drain_seconds)

    perform(working)
