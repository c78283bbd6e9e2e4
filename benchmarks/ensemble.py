"""A session of six slots: how much of its speech is made while the next turn is being thought.

The company plays at the pace of speech, so that its answers take the time a model's would. `ideal` is what nobody can
beat: the slowest text of each turn one after another, and the speech of the last line. Sound is spoken anew each time.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dramaturg.ensemble.request import request_from
from dramaturg.kernel.settings import EnsembleSettings, ModelSettings, SceneSettings, Settings, VoiceSettings
from dramaturg.studio import Studio

QUESTION = "What is courage?"


@dataclass(frozen=True)
class Measured:
    """One session."""

    wall: float
    ideal: float
    after: float
    overlap: float
    speech: float
    cpu: float


async def session(engine: str, folder: Path) -> Measured:
    settings = Settings(
        project=folder,
        models=ModelSettings(default="rehearsal"),
        scenes=SceneSettings(pace=1.0),
        voices=VoiceSettings.model_validate({"engine": engine}),
        ensemble=EnsembleSettings(),
    )
    async with Studio.open(settings) as studio:
        booth = await studio.booth.open()
        await booth.record("One two three.", "warm.wav")
        began, cpu = time.monotonic(), time.process_time()
        run = await studio.ensemble.ask(request_from({"message": QUESTION, "seed": 7}))
        events = [event.model_dump() async for event in studio.ensemble.follow(run.id)]
        return measured(events, time.monotonic() - began, time.process_time() - cpu)


def measured(events: list[dict[str, Any]], wall: float, cpu: float) -> Measured:
    def at(name: str, turn: int) -> list[float]:
        return [event["ts"] for event in events if event["event"] == name and event.get("turnIndex") == turn]

    thinking = sum(max(at("slot.done", turn)) - min(at("slot.start", turn)) for turn in (1, 2, 3))
    sounds = [event for event in events if event["event"] == "slot.audio"]
    last_text = max(at("slot.done", 3))
    spoken_early = sum(event["ts"] <= last_text for event in sounds)
    speech = sum(event["durationMs"] for event in sounds) / 1000
    last_line = cpu / len(sounds)
    return Measured(
        wall=wall,
        ideal=thinking + last_line,
        after=max(event["ts"] for event in sounds) - last_text,
        overlap=spoken_early / len(sounds),
        speech=speech,
        cpu=cpu / speech,
    )


def main() -> None:
    print("| engine | wall, × ideal | last text to last WAV, s | spoken before it | s of speech | CPU s for one |")
    print("|---|--:|--:|--:|--:|--:|")
    for engine in ("silent", "hibari", "kokoro"):
        with tempfile.TemporaryDirectory() as folder:
            one = asyncio.run(session(engine, Path(folder)))
        ratio = one.wall / one.ideal
        print(f"| {engine} | {ratio:.2f} | {one.after:.1f} | {one.overlap:.0%} | {one.speech:.0f} | {one.cpu:.2f} |")
