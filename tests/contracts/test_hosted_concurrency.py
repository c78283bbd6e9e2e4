"""How many lines go out at once, and who waits for whom."""

from __future__ import annotations

import asyncio

import pytest

from dramaturg.kernel.errors import VoiceUnavailable
from dramaturg.voices.providers.concurrency import ConcurrencyLimit
from dramaturg.voices.providers.speech_client import LONGEST_QUEUE
from tests.voice_server import level, levels_in
from tests.voice_server.booth import BOTH, booth


@pytest.mark.parametrize("engine", BOTH)
async def test_no_more_lines_are_asked_for_at_once_than_the_setting_allows(engine: str) -> None:
    async with booth(engine, concurrency=2) as here:
        here.server.hold()
        lines = [asyncio.create_task(here.say(f"Line {n}.")) for n in range(6)]
        await here.server.until(asked=2)
        here.server.release()
        await asyncio.gather(*lines)
    assert here.server.most_under_way == 2
    assert len(here.server.requests) == 6


async def test_elevenlabs_is_asked_for_two_lines_at_once_if_nothing_is_set() -> None:
    async with booth("elevenlabs") as here:
        await asyncio.gather(*(here.say(f"Line {n}.") for n in range(6)))
    assert here.server.most_under_way == 2


async def test_a_plan_that_bears_fewer_lines_makes_the_rest_queue_and_nobody_backs_off() -> None:
    async with booth("elevenlabs", plan=2, concurrency=6) as here:
        here.server.hold()
        lines = [asyncio.create_task(here.say(f"Line {n}.")) for n in range(6)]
        await here.server.until(asked=6)
        async with asyncio.timeout(240):
            while here.voice._client._limit.queued < 4:
                await asyncio.sleep(0.001)
        here.server.release()
        sounds = await asyncio.gather(*lines)
    assert all(levels_in(sound.pcm) == {level("ada")} for sound in sounds)
    assert here.server.most_under_way == 2
    assert here.clock.waits == []
    assert len(here.server.requests) == 10  # Six, four of them refused, and those four once more.


async def test_places_taken_by_somebody_else_are_waited_for_evenly_and_not_for_ever() -> None:
    async with booth("elevenlabs", plan=0) as here:
        began = here.clock.now()
        with pytest.raises(VoiceUnavailable, match="lower `concurrency`"):
            await here.say()
    assert LONGEST_QUEUE - 1 <= here.clock.now() - began <= LONGEST_QUEUE
    assert all(0.5 <= wait <= 1.0 for wait in here.clock.waits)


async def test_a_cancelled_line_frees_its_place() -> None:
    async with booth("elevenlabs", concurrency=1) as here:
        here.server.hold()
        first, second = (asyncio.create_task(here.say(f"Line {n}.")) for n in range(2))
        await here.server.until(asked=1)
        first.cancel()
        await here.server.until(asked=2)
        here.server.release()
        await second
        with pytest.raises(asyncio.CancelledError):
            await first


async def test_who_was_refused_is_woken_in_turn_and_hands_the_turn_on_when_cancelled() -> None:
    limit = ConcurrencyLimit(3)
    woken: list[str] = []

    async def refused(name: str) -> None:
        if await limit.another_finished():
            woken.append(name)

    async with limit.slot():
        first, second, third = (asyncio.create_task(refused(name)) for name in ("first", "second", "third"))
        await asyncio.sleep(0)
        first.cancel()
    second.cancel()
    await asyncio.gather(first, second, third, return_exceptions=True)
    assert woken == ["third"]
    assert first.cancelled()
    assert second.cancelled()
    assert await limit.another_finished() is False


async def test_who_was_refused_does_not_wait_for_another_who_was_refused() -> None:
    limit = ConcurrencyLimit(3)
    go_on = asyncio.Event()

    async def refused(after: asyncio.Event | None) -> None:
        async with limit.slot():
            if after:
                await after.wait()
            raise VoiceUnavailable("no", fault="too_many_concurrent_requests")

    last = asyncio.create_task(refused(go_on))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(limit.another_finished())
    with pytest.raises(VoiceUnavailable):
        await refused(None)
    await asyncio.sleep(0)
    assert not waiting.done()
    go_on.set()
    assert await waiting is False
    with pytest.raises(VoiceUnavailable):
        await last
