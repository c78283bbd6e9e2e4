"""A kiosk as a process of its own, to be killed: `python -m tests.ensemble.kiosk_process PROJECT [ask MESSAGE]`.

Without a message it takes up what a dead process left. It prints what every session sent when all is over.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from dramaturg.ensemble.request import request_from
from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio
from tests.ensemble.booth import ToneBooth
from tests.ensemble.table import PROFILES


async def main(project: Path, message: str) -> None:
    async with Studio.open(read_settings(project, {})) as studio:
        studio.ensemble.voice_profiles = PROFILES
        studio.booth.booth = ToneBooth(studio.artifacts)
        runs = (
            [await studio.ensemble.ask(request_from({"message": message}))]
            if message
            else await studio.resume_unfinished()
        )
        for run in runs:
            async for event in studio.ensemble.follow(run.id):
                print(event.payload(), flush=True)
        await studio.engine.join()
        print(f"recorded {len(studio.booth.booth.recorded)}")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), " ".join(sys.argv[3:])))
