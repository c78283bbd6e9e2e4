"""Contradictions of a book over HTTP, on a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.server.visitor import served
from tests.workshop.consolidation.manuscripts import prose

BOOK = "/v1/projects/main"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    settings = '[models]\ndefault = "rehearsal"\n[workshop]\nconsolidate_minutes = 600\n'
    (tmp_path / "dramaturg.toml").write_text(settings, encoding="utf-8")
    prose(tmp_path, "ch01", "Elena had green eyes. She waited at the rail.")
    prose(tmp_path, "ch02", "Elena's eyes were blue in the morning light.")
    async with served(tmp_path) as visitor, aiohttp.ClientSession(visitor.url) as session:
        started = await visitor.post(f"{BOOK}/works/consolidation", {})
        await visitor.to_the_end(started.json["run"])
        yield session


async def called(desk: aiohttp.ClientSession, method: str, path: str, status: int = 200, body: Any = None) -> Any:
    async with desk.request(method, f"{BOOK}{path}", json=body) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


async def test_conflicts_are_listed_settled_and_reopened_over_http(desk: aiohttp.ClientSession) -> None:
    listed = await called(desk, "GET", "/conflicts")
    assert (listed["waiting"], listed["conflicts"][0]["rule"]) == (1, "single_value")
    assert (await called(desk, "GET", "/merges"))["batches"][0]["counts"]["conflicts"] == 1
    await called(desk, "POST", "/conflicts/1", 422, {"resolution": "keep_both"})
    await called(desk, "POST", "/conflicts/1", 422, {"resolution": "keep_both", "reason": "whim"})
    await called(desk, "POST", "/conflicts/9", 404, {"resolution": "keep_old"})
    settled = await called(desk, "POST", "/conflicts/1", body={"resolution": "keep_both", "reason": "lie"})
    assert (settled["resolution"], settled["reason"]) == ("keep_both", "lie")
    assert (await called(desk, "GET", "/conflicts"))["conflicts"] == []
    assert len((await called(desk, "GET", "/conflicts?all=true"))["conflicts"]) == 1
    assert (await called(desk, "DELETE", "/conflicts/1/resolution"))["resolution"] == ""
    assert (await called(desk, "DELETE", "/merges/last"))["id"] == 1
    await called(desk, "DELETE", "/merges/last", 404)
