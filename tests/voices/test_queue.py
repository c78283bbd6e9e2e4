"""The queue in front of an engine, by the order in which a counting double is asked."""

import asyncio
from pathlib import Path

import pytest

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.booth import Booth
from dramaturg.voices.cache import LineCache
from dramaturg.voices.queue import SpeechOrder, SpeechQueue
from tests.voices.sounds import BabblingVoice


async def spoken_in_order(booth: Booth, lines: list[tuple[str, int, str]]) -> None:
    """Lines of a lane and a rank, all asked for before the first is spoken."""
    await asyncio.gather(
        *(
            booth.record(text, f"{number}.wav", order=SpeechOrder(lane=lane, rank=rank))
            for number, (lane, rank, text) in enumerate(lines)
        )
    )


@pytest.fixture
def voice() -> BabblingVoice:
    return BabblingVoice()


def asked(voice: BabblingVoice) -> list[str]:
    return [request.text.removesuffix(".") for request in voice.asked]


@pytest.mark.parametrize("concurrency", [1, 2])
async def test_no_line_of_a_later_turn_is_begun_before_the_last_of_an_earlier(
    voice: BabblingVoice, tmp_path: Path, concurrency: int
) -> None:
    async with Booth(voice, Artifacts(tmp_path), concurrency=concurrency) as booth:
        lines = [("main", rank, f"Turn {rank} line {number}.") for rank in (3, 1, 2) for number in range(6)]
        await spoken_in_order(booth, lines)
    turns = [text.split()[1] for text in asked(voice)]
    assert turns == sorted(turns)
    assert voice.most_at_once == concurrency


async def test_two_kiosks_asked_together_share_the_booth(voice: BabblingVoice, tmp_path: Path) -> None:
    async with Booth(voice, Artifacts(tmp_path), concurrency=2) as booth:
        lines = [(kiosk, 1, f"Kiosk {kiosk} line {number}.") for kiosk in ("east", "west") for number in range(6)]
        await spoken_in_order(booth, lines)
    kiosks = [text.split()[1] for text in asked(voice)]
    assert set(kiosks[:2]) == {"east", "west"}
    assert all(abs(kiosks[:count].count("east") - kiosks[:count].count("west")) <= 1 for count in range(1, 13))


async def test_a_kiosk_that_was_not_heard_yet_has_a_place_kept_for_its_first_line(
    voice: BabblingVoice, tmp_path: Path
) -> None:
    voice.gate.clear()
    async with Booth(voice, Artifacts(tmp_path), concurrency=2) as booth:
        with booth.lane("east"), booth.lane("west"):
            first = [
                asyncio.create_task(booth.record(f"East {n}.", f"e{n}.wav", order=SpeechOrder(lane="east")))
                for n in range(3)
            ]
            while not voice.asked:
                await asyncio.sleep(0.001)
            late = asyncio.create_task(booth.record("West 1.", "w.wav", order=SpeechOrder(lane="west")))
            while len(voice.asked) < 2:
                await asyncio.sleep(0.001)
            assert {text.split()[0] for text in asked(voice)} == {"East", "West"}
            voice.gate.set()
            await asyncio.gather(*first, late)


async def test_a_lane_that_never_speaks_holds_up_nobody(voice: BabblingVoice, tmp_path: Path) -> None:
    async with Booth(voice, Artifacts(tmp_path), concurrency=1) as booth:
        with booth.lane("quiet"), booth.lane("main"):
            await spoken_in_order(booth, [("main", 1, "One."), ("main", 1, "Two.")])
        await spoken_in_order(booth, [("main", 1, "Three."), ("main", 2, "Four.")])
    assert asked(voice) == ["One", "Two", "Three", "Four"]


async def test_the_first_line_of_the_last_of_sixty_kiosks_waits_for_one_line_of_each_other(
    voice: BabblingVoice, tmp_path: Path
) -> None:
    async with Booth(voice, Artifacts(tmp_path), concurrency=2) as booth:
        lines = [(f"k{kiosk}", 1, f"Kiosk {kiosk} line {number}.") for kiosk in range(60) for number in range(3)]
        await spoken_in_order(booth, lines)
    kiosks = [text.split()[1] for text in asked(voice)]
    assert len(set(kiosks[:60])) == 60


async def test_a_line_still_looked_up_in_the_cache_holds_back_later_turns(voice: BabblingVoice, tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    async with Booth(voice, artifacts, cache=LineCache(artifacts), concurrency=2) as booth:
        await spoken_in_order(booth, [("main", 1, "Turn 1 a."), ("main", 2, "Turn 2 b."), ("main", 1, "Turn 1 c.")])
        assert [text.split()[1] for text in asked(voice)] == ["1", "1", "2"]
        await spoken_in_order(booth, [("main", 1, "Turn 1 a."), ("main", 2, "Turn 2 new.")])
        assert asked(voice)[-1] == "Turn 2 new"


async def test_failures_and_cancelled_lines_give_their_place_back(voice: BabblingVoice, tmp_path: Path) -> None:
    voice.gate.clear()
    async with Booth(voice, Artifacts(tmp_path), concurrency=1) as booth:
        held = asyncio.create_task(booth.record("Held.", "a.wav"))
        gone = asyncio.create_task(booth.record("Gone.", "b.wav"))
        failing = asyncio.create_task(booth.record("We fail.", "c.wav"))
        last = asyncio.create_task(booth.record("Last.", "d.wav"))
        while not voice.asked:
            await asyncio.sleep(0)
        gone.cancel()
        voice.gate.set()
        with pytest.raises(VoiceError):
            await failing
        assert (await held).bytes
        assert (await last).bytes


async def test_a_place_whose_wait_is_cancelled_as_its_turn_comes_is_passed_on() -> None:
    queue = SpeechQueue(1)
    said: list[str] = []

    async def speak(name: str) -> None:
        async with queue.enter(name):
            said.append(name)
            await asyncio.sleep(0)

    first, second, third = (asyncio.create_task(speak(name)) for name in "abc")
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(first, second, third, return_exceptions=True)
    again = queue.enter("d")
    async with again:
        said.append("d")
    assert said == ["a", "c", "d"]
