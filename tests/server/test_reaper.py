"""Runs that nobody plays any more, and one among them that cannot be read."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from pathlib import Path

import pytest

from dramaturg.ensemble.request import request_from
from dramaturg.kernel.settings import read_settings
from dramaturg.server.push.websocket import EventRelay
from dramaturg.server.reaper import FAILED, Reaper
from dramaturg.studio import Studio
from tests.kernel.runs.test_engine import a_dead_process
from tests.server.visitor import served


async def test_a_server_starts_with_a_run_whose_config_is_not_json(story: Path) -> None:
    async with Studio.open(read_settings(story, {})) as studio:
        broken = await studio.runs.create(studio.scenes.kind, "argument")
        whole = await studio.ensemble.open(request_from({"message": "Who?", "slots": [1], "audio": False}))
    with sqlite3.connect(story / "data" / "dramaturg.db") as db:
        db.execute("update runs set status = 'playing', player = ?, lease_until = 0", (str(a_dead_process()),))
        db.execute("""update runs set config = '{"act": ' where id = ?""", (broken.id,))
    async with served(story) as visitor:
        await visitor.studio.engine.settled(whole.id)
        assert (await visitor.studio.runs.get(whole.id)).status == "ended"
        assert not visitor.server.config.app.state.reaper.done()


class Stumbling(Reaper):
    """The first look fails in a way that nobody has thought of."""

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio, EventRelay(studio), seconds=0)
        self._looks = 0
        self.looked_again = asyncio.Event()

    async def _look(self) -> None:
        self._looks += 1
        if self._looks == 1:
            raise ValueError("a log of tomorrow")
        self.looked_again.set()


async def test_a_look_that_fails_is_logged_and_not_the_last(story: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with Studio.open(read_settings(story, {})) as studio:
        reaper = Stumbling(studio)
        with caplog.at_level(logging.ERROR, "uvicorn.error"):
            going = asyncio.create_task(reaper.go_on())
            again = asyncio.create_task(reaper.looked_again.wait())
            await asyncio.wait({going, again}, return_when=asyncio.FIRST_COMPLETED)
        assert not going.done()
        going.cancel()
    assert FAILED in caplog.text
    assert "a log of tomorrow" in caplog.text
