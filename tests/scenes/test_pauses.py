"""A provider that has no room and says for how long: the scene pauses, and nobody loses a line."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dramaturg.kernel.clock import Clock, StillClock
from dramaturg.kernel.errors import ModelOverloaded, ProviderBusy
from dramaturg.kernel.floor import play_round
from dramaturg.kernel.floor import round as floor_round
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import RunPaused, public
from dramaturg.kernel.runs.pauses import LONGEST_SLEEP, Patient, ProviderPauses, pause_end
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.scene import find_scene
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.model_server import ModelServer
from tests.model_server.asking import question
from tests.scenes.test_kill_and_resume import line_for, project

BEATS = 4
CALLS = 1 + 1 + (BEATS - 1) * 4


class StuckClock(StillClock):
    """A clock on which a long wait ends only when it is `released`; `waiting` is set when somebody waits."""

    def __init__(self, start: float = 1_759_501_938.0) -> None:
        super().__init__(start)
        self.waiting, self.released = asyncio.Event(), asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        if seconds > 1:
            self.waiting.set()
            await self.released.wait()


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as serving, asyncio.timeout(120):
        serving.reply = line_for
        yield serving


@pytest.fixture
def story(tmp_path: Path, server: ModelServer) -> Path:
    return project(tmp_path, server.url)


@asynccontextmanager
async def studio_at(story: Path, clock: Clock, more: str = "") -> AsyncIterator[Studio]:
    settings = story / "dramaturg.toml"
    settings.write_text(settings.read_text(encoding="utf-8").replace("[models]\n", f"[models]\n{more}"), "utf-8")
    async with Studio.open(read_settings(story, {}, trust=True), clock) as studio:
        yield studio


async def opened(studio: Studio, story: Path) -> SceneRun:
    config = find_scene(story, "long").model_copy(update={"max_beats": BEATS})
    return await studio.scenes.open(config)


def pauses(run: SceneRun) -> list[RunPaused]:
    return [entry.event for entry in public(run.entries) if isinstance(entry.event, RunPaused)]


@pytest.mark.parametrize("status", ["429", "503", "529"])
@pytest.mark.parametrize("wait", [20, 119, 600, 3000])
async def test_the_scene_waits_as_long_as_it_is_asked_to_and_nobody_loses_a_line(
    story: Path, server: ModelServer, status: str, wait: int
) -> None:
    server.fault(status, after=3, times=2, retry_after=str(wait))
    clock = StillClock()
    async with studio_at(story, clock) as studio:
        run = await opened(studio, story)
        begun = clock.now()
        await studio.start(run)
    state = scene_state(run.entries)
    assert state.failures == ()
    assert not state.unscored
    assert [event.provider for event in pauses(run)] == ["house"]
    assert clock.now() - begun >= wait
    assert len(server.requests) == CALLS + 2
    assert studio.scenes.result(run).metadata.duration < 1000 * wait


async def test_a_judge_without_room_pauses_the_scene_too(story: Path, server: ModelServer) -> None:
    server.fault("429", after=1, retry_after="900")  # the first request is the opener's, the second the judge's
    async with studio_at(story, StillClock()) as studio:
        run = await opened(studio, story)
        await studio.start(run)
    assert not scene_state(run.entries).unscored
    assert len(pauses(run)) == 1


async def test_a_pause_that_is_too_long_stops_the_run_which_is_not_asked_again_before_it_is_over(
    story: Path, server: ModelServer
) -> None:
    server.fault("429", after=3, times=2, retry_after="7200")
    clock = StillClock()
    async with studio_at(story, clock) as studio:
        run = await opened(studio, story)
        with pytest.raises(ProviderBusy, match=r"house has no room before .* Resume it then"):
            await studio.start(run)
        assert (await studio.runs.get(run.id)).status == "stopped"
        sent = len(server.requests)
    clock = StillClock(clock.now() + 1800)
    async with studio_at(story, clock) as studio:
        with pytest.raises(ProviderBusy):
            await studio.start(await studio.adopt(run.id))
        assert len(server.requests) == sent
        clock.wind(3600)
        performance = await studio.adopt(run.id)
        await studio.start(performance)
    assert scene_state(performance.run.entries).failures == ()
    assert len(pauses(performance.run)) == 1
    assert len(server.requests) == CALLS + 2


async def test_a_run_is_cancelled_at_once_in_a_pause_and_resumed_in_it_without_asking_early(
    story: Path, server: ModelServer
) -> None:
    server.fault("429", after=3, times=2, retry_after="600")
    stuck = StuckClock()
    async with studio_at(story, stuck) as studio:
        run = await opened(studio, story)
        studio.start(run)
        await stuck.waiting.wait()
        record = await studio.cancel(run.id)
        assert record.status == "stopped"
        (paused,) = pauses(run)
        sent = len(server.requests)
    clock = StillClock(stuck.now() + 100)
    asked_at: list[float] = []
    server.on_request = lambda number, body: asked_at.append(clock.now())
    async with studio_at(story, clock) as studio:
        performance = await studio.adopt(run.id)
        await studio.start(performance)
    assert min(asked_at) >= paused.until
    assert max(clock.waits) <= LONGEST_SLEEP
    assert scene_state(performance.run.entries).failures == ()
    assert len(server.requests) - sent == CALLS - (sent - 2)


async def test_a_provider_that_keeps_saying_in_a_second_is_not_asked_every_second(
    story: Path, server: ModelServer
) -> None:
    server.fault("429", times=10_000, retry_after="1")
    clock = StillClock()
    async with studio_at(story, clock) as studio:
        run = await opened(studio, story)
        with pytest.raises(ProviderBusy):
            await studio.start(run)
    assert len(server.requests) < 60
    assert len(pauses(run)) < 15


@pytest.mark.parametrize(("more", "retry_after"), [("wait = 0\n", "600"), ("", "")])
async def test_without_a_pause_a_busy_provider_costs_lines_as_any_failure_does(
    story: Path, server: ModelServer, more: str, retry_after: str
) -> None:
    server.fault("429", after=2, times=100, retry_after=retry_after)
    async with studio_at(story, StillClock(), more) as studio:
        run = await opened(studio, story)
        await studio.start(run)
    assert pauses(run) == []
    assert {failure.code for failure in scene_state(run.entries).failures} == {"MODEL_OVERLOADED"}


async def test_a_pause_does_not_count_against_the_time_for_a_line(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, looks = StuckClock(), []

    def look(actor: asyncio.Future[object]) -> float:
        looks.append(pause_end(actor))
        if len(looks) == 5:
            clock.wind(600)
            clock.released.set()
        return looks[-1]

    monkeypatch.setattr(floor_round, "LOOK_AGAIN_SECONDS", 0.001)
    monkeypatch.setattr(floor_round, "pause_end", look)
    script = iter([ModelOverloaded("Too many.", retry_after=600), "Here I am."])
    async with studio_at(story, clock) as studio:
        run = await opened(studio, story)
        model = Patient(ScriptedModel(lambda request: next(script)), run, clock, ProviderPauses(), 3600)
        done = await play_round({"alice": model.complete(question())}, timeout=0.01)
    assert done.answers["alice"].text == "Here I am."
    assert set(looks[:5]) == {math.inf}
    assert len(pauses(run)) == 1


async def test_a_round_without_pauses_keeps_its_time() -> None:
    never = asyncio.get_running_loop().create_future()
    done = await play_round({"alice": never}, timeout=0.01)
    assert [failure.error.code for failure in done.failures] == ["MODEL_TIMEOUT"]
