"""What the figures of several processes share: the settings of a studio on a database, and processes of the bench."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from dramaturg import read_settings
from dramaturg.kernel.settings import Settings


def settings_of(folder: Path, url: str) -> Settings:
    """The settings of a project, with its store on Postgres if there is a URL."""
    settings = read_settings(folder, os.environ)
    return settings.model_copy(update={"store": settings.store.model_copy(update={"url": url})}) if url else settings


async def child(module: str, *words: str) -> asyncio.subprocess.Process:
    """A module of the bench as a process of its own, which is told by its input and tells by its output."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *words, stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.PIPE,
    )  # fmt: skip
