"""The knowledge graph over HTTP, on a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.server.visitor import served
from tests.workshop.graph.stories import the_book

GRAPH = "/v1/projects/main/graph"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    the_book(tmp_path)
    async with served(tmp_path) as visitor, aiohttp.ClientSession(visitor.url) as session:
        yield session


async def get(desk: aiohttp.ClientSession, path: str, status: int = 200, **asked: str) -> Any:
    async with desk.get(f"{GRAPH}{path}", params=asked) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


async def test_the_graph_answers_over_http(desk: aiohttp.ClientSession) -> None:
    assert [one["entity"]["name"] for one in (await get(desk, ""))["characters"]] == ["Elena", "Marcus", "Ruth"]
    assert (await get(desk, "/who", name="Mrs Vance"))["entity"]["name"] == "Elena"
    assert [one["end"] for one in (await get(desk, "/path", start="the Meridian", end="Elena"))["steps"]] == [
        "Marcus",
        "Elena",
    ]
    known = await get(desk, "/knows", who="Elena", at="ch01-sc01")
    assert {"witnessed", "heard"} == {one["way"] for one in known["facts"]}
    near = await get(desk, "/scene", name="Chapter 1, Scene 1")
    assert near["facts"][0]["distance"] == 0
    assert [one["scene"] for one in (await get(desk, "/together", who="Elena"))["meetings"]] == ["ch01-sc01"]


async def test_whoever_is_not_there_is_a_404_that_names_those_who_are(desk: aiohttp.ClientSession) -> None:
    answer = await get(desk, "/who", 404, name="Nobody")
    assert "characters: Elena, Marcus, Ruth" in answer["error"]["message"]
    assert "ch02-sc01" in (await get(desk, "/scene", 404, name="nowhere"))["error"]["message"]
