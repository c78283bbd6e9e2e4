"""The command line in a process of its own, in a home of its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from tests import warm
from tests.child import clean_environment


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and everything it printed."""

    code: int
    text: str


async def typed(home: Path, *words: str, **env: str) -> Done:
    """Runs a command with nobody at the terminal."""
    home.mkdir(parents=True, exist_ok=True)
    process = await warm.start(
        "-m", "dramaturg", *words, cwd=home, env=clean_environment(home, **env),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await process.communicate()
    assert process.returncode is not None
    return Done(process.returncode, output.decode())
