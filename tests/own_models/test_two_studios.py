"""Two studios of one program on one project: each run is played by one of them, and either may stop it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dramaturg import EpisodeTemplate, ModelAnswer, ModelRequest, Persona, Studio
from dramaturg.kernel.errors import RunFenced
from tests.own_models.house import SCENE, House, settings


class Waiting(House):
    """Says nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.go = asyncio.Event(), asyncio.Event()

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.reached.set()
        await self.go.wait()
        return await super().complete(request)


@asynccontextmanager
async def two_studios(folder: Path, model: Waiting) -> AsyncIterator[tuple[Studio, Studio]]:
    own = settings(folder)
    async with (
        Studio.open(own, models={"house": model}) as one,
        Studio.open(own, models={"house": model}) as other,
    ):
        yield one, other


async def test_a_run_that_one_of_them_plays_is_not_taken_by_the_other(tmp_path: Path) -> None:
    model = Waiting()
    async with two_studios(tmp_path, model) as (one, other):
        run = await one.scenes.open(SCENE)
        task = one.start(run)
        await model.reached.wait()
        with pytest.raises(RunFenced, match="is being played"):
            await other.adopt(run.id)
        with pytest.raises(RunFenced, match="is being played already"):
            await one.adopt(run.id)
        model.go.set()
        await task
        assert one.scenes.result(run).metadata.reason == "max_beats_exceeded"


async def test_the_other_can_stop_it_and_then_play_it_on(tmp_path: Path) -> None:
    model = Waiting()
    async with two_studios(tmp_path, model) as (one, other):
        run = await one.scenes.open(SCENE)
        task = one.start(run)
        await model.reached.wait()
        assert (await other.cancel(run.id)).status == "stopped"
        assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
        model.go.set()
        performance = await other.adopt(run.id)
        await other.start(performance)
        assert other.scenes.result(performance.run).metadata.reason == "max_beats_exceeded"


async def test_a_message_to_one_waits_for_a_turn_that_the_other_plays(tmp_path: Path) -> None:
    model = Waiting()
    async with two_studios(tmp_path, model) as (one, other):
        template = EpisodeTemplate(name="talk", character="ann", opening_line="Ahoy.")
        session = await one.episodes.open(template, Persona(id="eve", name="Eve"))
        await one.episodes.send(session.id, "First?")
        await model.reached.wait()
        second = asyncio.create_task(other.episodes.send(session.id, "Second?"))
        await asyncio.sleep(0.05)
        model.go.set()
        await second
        await other.episodes.settle(session.id)
        said = [one.content for one in (await other.episodes.view(session.id)).messages if one.role == "player"]
    assert said == ["First?", "Second?"]


async def test_a_run_that_was_opened_and_never_started_can_be_stopped(tmp_path: Path) -> None:
    async with two_studios(tmp_path, Waiting()) as (one, _):
        run = await one.scenes.open(SCENE)
        assert (await one.cancel(run.id)).status == "stopped"
