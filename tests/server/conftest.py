"""A story on disk, and a server for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import line_for
from tests.server.visitor import Insider, Visitor, inside, served, write_story


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """Played by the rehearsal company."""
    return write_story(tmp_path / "story")


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        server.reply = line_for
        yield server


@pytest.fixture
def long_story(tmp_path: Path, models: ModelServer) -> Path:
    """Played by a model that can be held."""
    return write_story(tmp_path / "story", models.url)


@pytest.fixture
async def insider(story: Path) -> AsyncIterator[Insider]:
    async with inside(create_app(read_settings(story, {}))) as visiting:
        yield visiting


@pytest.fixture
async def visitor(story: Path) -> AsyncIterator[Visitor]:
    async with served(story) as visiting:
        yield visiting


@pytest.fixture
async def guest(long_story: Path) -> AsyncIterator[Visitor]:
    """Visits the story that is played by `models`."""
    async with served(long_story) as visiting:
        yield visiting
