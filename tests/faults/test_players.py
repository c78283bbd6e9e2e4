"""Whoever plays a run is killed, stopped, renamed or told to go: the run goes on once, and nothing is paid twice."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from dramaturg.kernel.settings import Settings
from tests.faults.servers import BEAT, IN_FLIGHT, House, house
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import line_for
from tests.server.visitor import CALLS

MakeHouse = Callable[..., House]
SHORT = 2.0
"""A lease that is over soon, for tests in which its holder is gone."""


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server, asyncio.timeout(300):
        server.reply = line_for
        yield server


@pytest.fixture
def make(store_settings: Settings, tmp_path: Path, models: ModelServer) -> MakeHouse:
    return lambda lease=15.0: house(tmp_path, models, store_settings.store.url, lease)


async def check_whole(place: House) -> None:
    """Every question is answered once in the log, and at most those in flight were asked a second time."""
    paid = await place.paid()
    assert set(paid.values()) == {1}
    assert paid.total() == CALLS
    assert len(place.models.requests) <= CALLS + IN_FLIGHT
    assert await place.read("SELECT status FROM runs") == [("ended",)]


async def test_the_run_of_a_killed_server_goes_on_in_another_that_was_there_already(make: MakeHouse) -> None:
    place = make(SHORT)
    async with place.server("one") as one, place.server("two") as two:
        run = await one.into_a_beat(place.models)
        await one.kill()
        place.models.release()
        assert await two.over(run) == "ended"
    await check_whole(place)
    assert (await place.types()).count("run.adopted") >= 1


async def test_a_container_made_anew_under_another_name_plays_on_what_the_first_left(make: MakeHouse) -> None:
    place = make(SHORT)
    async with place.server("web-7f9c") as one:
        run = await one.into_a_beat(place.models)
        await one.kill()
    place.models.release()
    async with place.server("web-b41d") as two:
        assert await two.over(run) == "ended"
    await check_whole(place)


@pytest.mark.parametrize("off", [0.0, 3600.0, -3600.0])
async def test_servers_of_one_name_and_with_clocks_that_are_off_leave_each_others_runs_alone(
    make: MakeHouse, off: float
) -> None:
    place = make(60.0)
    async with place.server("studio") as one:
        run = await one.into_a_beat(place.models)
        async with place.server("studio", off) as two:
            refused, _ = await two.ask("POST", f"/v1/runs/{run}/resume")
            assert refused == 409
            place.models.release()
            assert await two.over(run) == "ended"
    await check_whole(place)
    assert len(place.models.requests) == CALLS
    assert await place.read("SELECT generation, adoptions FROM runs") == [(1, 0)]


@pytest.mark.parametrize("second", ["quicker", "slower"])
async def test_a_player_that_slept_past_its_lease_asks_nothing_more_when_it_wakes(make: MakeHouse, second: str) -> None:
    place = make(SHORT)
    async with place.server("sleeper") as one:
        run = await one.into_a_beat(place.models)
        one.send(signal.SIGSTOP)
        async with place.server("other") as two:
            if second == "quicker":
                place.models.release()
                assert await two.over(run) == "ended"
                one.send(signal.SIGCONT)
            else:
                await place.models.received(BEAT + 1 + IN_FLIGHT)
                one.send(signal.SIGCONT)
                place.models.release()
                assert await two.over(run) == "ended"
            _, seen = await one.ask("POST", f"/v1/runs/{run}/cancel")
            assert seen["status"] == "ended"
    await check_whole(place)


async def test_a_server_that_is_told_to_end_hands_back_what_it_plays_and_another_goes_on(make: MakeHouse) -> None:
    place = make(300.0)
    async with place.server("one") as one, place.server("two") as two:
        run = await one.into_a_beat(place.models)
        one.send(signal.SIGTERM)
        await one.process.communicate()
        assert "Traceback" not in one.errors.read_text(encoding="utf-8")
        place.models.release()
        assert await two.over(run) == "ended"
    types = await place.types()
    assert types.index("run.adopted") == types.index("run.released") + 1
    assert "run.stopped" not in types
    await check_whole(place)


async def test_a_run_is_cancelled_and_deleted_by_a_server_that_does_not_play_it(make: MakeHouse) -> None:
    place = make(300.0)
    async with place.server("one") as one, place.server("two") as two:
        run = await one.into_a_beat(place.models)
        assert (await two.ask("DELETE", f"/v1/runs/{run}"))[0] == 409
        status, stopped = await two.ask("POST", f"/v1/runs/{run}/cancel")
        assert (status, stopped.get("status")) == (200, "stopped"), stopped
        assert (await two.ask("DELETE", f"/v1/runs/{run}"))[0] == 204
        assert (await one.ask("GET", f"/v1/runs/{run}"))[0] == 404
    assert len(place.models.requests) == BEAT + 1
