"""A process that is killed while it writes leaves a log that opens, has no gap and lacks nothing it confirmed."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.runs import RunLibrary
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store, open_store
from tests.said import KINDS, Said

ENOUGH = 200

WRITER = """
    import asyncio, sys
    from pathlib import Path
    from tests.said import KINDS, Said
    from dramaturg.kernel.clock import Clock
    from dramaturg.kernel.runs import RunLibrary
    from dramaturg.kernel.settings import Settings, StoreSettings
    from dramaturg.kernel.store import open_store

    async def play(run, player):
        for i in range(10_000):
            for entry in await run.append(Said(text=f"{player}.{i}"), Said(text="x" * 500)):
                print(entry.seq, flush=True)

    async def main(project, url, run_id):
        settings = Settings(project=Path(project), store=StoreSettings(url=url or None))
        run = await RunLibrary(await open_store(settings), Clock(), KINDS).open(run_id)
        await asyncio.gather(*(play(run, player) for player in range(4)))

    asyncio.run(main(*sys.argv[1:]))
"""


async def test_a_killed_process_leaves_a_gapless_log_with_everything_it_confirmed(
    store: Store, store_settings: Settings
) -> None:
    library = RunLibrary(store, StillClock(), KINDS)
    run = await library.create("said", "hello")
    command = [
        sys.executable,
        "-c",
        textwrap.dedent(WRITER),
        store_settings.project,
        store_settings.store.url or "",
        run.id,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        confirmed = [int(process.stdout.readline()) for _ in range(ENOUGH)]
        process.send_signal(signal.SIGKILL)
        confirmed += [int(line) for line in process.stdout if line.endswith("\n")]

    fresh = await open_store(store_settings)
    try:
        found = await RunLibrary(fresh, StillClock(), KINDS).open(run.id)
    finally:
        await fresh.close()
    assert [entry.seq for entry in found.entries] == list(range(1, found.seq + 1))
    assert sorted(confirmed) == list(range(1, len(confirmed) + 1))
    assert found.seq >= len(confirmed)

    await found_can_go_on(library, run.id)


async def found_can_go_on(library: RunLibrary, run_id: str) -> None:
    again = await library.open(run_id)
    [entry] = await again.append(Said(text="and on"))
    assert entry.seq == again.seq
