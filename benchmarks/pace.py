"""Pace: how many words a minute each offline voice speaks, and the speed at which it speaks 165.

    python -m benchmarks.pace [--write]

A voice reads a few sentences at its own pace, then at the speed that should bring it to the target. `--write` stores
the result in `dramaturg/voices/paces.toml`, which is what the booth calibrates with.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dramaturg.kernel.settings import Settings
from dramaturg.voices import paces
from dramaturg.voices.booth import SpeechEngine
from dramaturg.voices.engines import open_engine
from dramaturg.voices.port import SpeechRequest, VoiceDelivery
from dramaturg.voices.postprocess import postprocessed
from dramaturg.voices.profiles import OFFLINE

SENTENCES = (
    "I think courage is mostly a habit: you get up, you look at what frightens you, and you do the next small thing.",
    "There is a ledger for everything in this town. Somebody wrote it down, and somebody else will read it.",
)
LEAST, MOST = 157, 173
MOST_TRIED = 3
HEAD = """\
# How fast each voice speaks, in words a minute over whole lines; by `python -m benchmarks.pace --write`.
# `own` is its pace unasked, `speed` what it is asked for so that it speaks at the target, `heard` what that gave.
"""


@dataclass(frozen=True)
class VoicePace:
    """A voice: its own pace, the speed that brings it to the target, and the pace measured at that speed."""

    engine: str
    voice: str
    own: float
    speed: float
    heard: float


async def words_a_minute(engine: SpeechEngine, voice: str, speed: float) -> float:
    seconds = 0.0
    for text in SENTENCES:
        request = SpeechRequest(text=text, voice=voice, delivery=VoiceDelivery(speed=speed))
        sound = await engine.speak(request)
        seconds += (await asyncio.to_thread(postprocessed, sound, engine.engine)).metadata.duration_ms / 1000
    return 60 * sum(len(text.split()) for text in SENTENCES) / seconds


async def calibrated(engine: SpeechEngine, voice: str) -> VoicePace:
    own = await words_a_minute(engine, voice, 1.0)
    # Slowed down, a voice lengthens its pauses more than its words.
    speed = _speed(paces.TARGET / own * 1.04 if own > paces.TARGET else paces.TARGET / own)
    tried = {speed: await words_a_minute(engine, voice, speed)}
    while not LEAST <= tried[speed] <= MOST and len(tried) < MOST_TRIED:
        # A second step too far is halved: the pace does not follow the speed evenly.
        wanted = speed * paces.TARGET / tried[speed] if len(tried) == 1 else sum(tried) / len(tried)
        speed = _speed(wanted)
        tried[speed] = await words_a_minute(engine, voice, speed)
    speed = min(tried, key=lambda one: abs(tried[one] - paces.TARGET))
    return VoicePace(engine.engine, voice, own, speed, tried[speed])


def _speed(wanted: float) -> float:
    return round(min(max(wanted, 0.5), 2.0), 2)


async def run(*, write: bool) -> None:
    print("| engine | voice | own pace | speed | calibrated pace |\n|---|---|--:|--:|--:|")
    measured: list[VoicePace] = []
    for name in reversed(OFFLINE):
        engine = open_engine(name, Settings())
        for listing in engine.known():
            one = await calibrated(engine, listing.name)
            measured.append(one)
            print(f"| {name} | {one.voice} | {one.own:.0f} | {one.speed:.2f} | {one.heard:.0f} |", flush=True)
        await engine.aclose()
    if write:
        Path(paces.__file__).with_suffix(".toml").write_text(HEAD + "\n".join(_rows(measured)) + "\n", encoding="utf-8")


def _rows(measured: list[VoicePace]) -> Iterator[str]:
    for name in dict.fromkeys(one.engine for one in measured):
        yield f"\n[{name}]"
        for one in (each for each in measured if each.engine == name):
            yield f"{one.voice} = {{ own = {one.own:.0f}, speed = {one.speed:.2f}, heard = {one.heard:.0f} }}"


if __name__ == "__main__":
    asyncio.run(run(write="--write" in sys.argv[1:]))
