"""A provider, and a story on a Postgres database of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.faults.served import Site, site
from tests.model_server import ModelServer
from tests.postgres import Server
from tests.scenes.test_kill_and_resume import line_for

MakeSite = Callable[..., Site]


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server, asyncio.timeout(300):
        server.reply = line_for
        yield server


@pytest.fixture
async def make_site(postgres: Server, tmp_path: Path, models: ModelServer) -> AsyncIterator[MakeSite]:
    """Called with a lease and the time that a statement may take."""
    url = await postgres.new_database()
    yield lambda **how: site(tmp_path, models, url, **how)
    await postgres.drop_database(url)
