"""A house on disk, a model that numbers its answers, and a server for them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from openai import AsyncOpenAI

from tests.model_server import ModelServer
from tests.server.completions.chat_program import Numbered, program, write_house
from tests.server.visitor import Visitor, served


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        server.reply = Numbered()
        yield server


@pytest.fixture
def house(tmp_path: Path, models: ModelServer) -> Path:
    return write_house(tmp_path / "house", models.url)


@pytest.fixture
async def visitor(house: Path) -> AsyncIterator[Visitor]:
    async with served(house) as visiting:
        yield visiting


@pytest.fixture
async def client(visitor: Visitor) -> AsyncIterator[AsyncOpenAI]:
    async with program(visitor.url) as made:
        yield made
