"""One kiosk, then two that are asked together: when the first sound of each comes, and when the last.

    python -m benchmarks.kiosks [ENGINE ...]

`ideal` is a machine on which nobody waits for speech: the first sound after the synthesis of the first line alone, the
end when the last text has been spoken. Nothing comes from the cache.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from dramaturg.ensemble.request import request_from
from dramaturg.kernel.settings import ModelSettings, SceneSettings, Settings, VoiceSettings
from dramaturg.studio import Studio

QUESTION = "What is courage?"


@dataclass(frozen=True)
class Kiosk:
    """One session: seconds from its first text to its first sound, to the end, and how long its speech lasts."""

    first: float
    end: float
    speech: float


async def played(studio: Studio, kiosk: str) -> Kiosk:
    run = await studio.ensemble.ask(request_from({"message": QUESTION, "kiosk": kiosk, "seed": 7}))
    events = [event.model_dump() async for event in studio.ensemble.follow(run.id)]
    texts = [event["ts"] for event in events if event["event"] == "slot.done"]
    sounds = [event for event in events if event["event"] == "slot.audio"]
    lasts = sum(event["durationMs"] for event in sounds) / 1000
    return Kiosk(min(event["ts"] for event in sounds) - min(texts), events[-1]["ts"] - min(texts), lasts)


async def measured(engine: str, count: int) -> tuple[list[Kiosk], float]:
    """The kiosks, asked together, and the seconds that one usual line takes alone."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            project=Path(folder),
            models=ModelSettings(default="rehearsal"),
            scenes=SceneSettings(pace=1.0),
            voices=VoiceSettings.model_validate({"engine": engine}),
        )
        async with Studio.open(settings) as studio:
            booth = await studio.booth.open()
            await booth.warm_up()
            began = time.monotonic()
            await booth.record("I think courage is mostly a habit of the small hours, my friend.", "line.wav")
            line = time.monotonic() - began
            return await asyncio.gather(*(played(studio, f"kiosk-{number}") for number in range(count))), line


async def run(engines: list[str]) -> None:
    print("| engine | kiosks | first sound after its text, s | × one alone | × ideal | end, s | speech lasts, s |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for engine in engines:
        alone = 0.0
        for count in (1, 2):
            kiosks, line = await measured(engine, count)
            first = max(one.first for one in kiosks)
            alone = alone or first
            cells = (f"{first:.2f}", f"{first / alone:.2f}", f"{first / line:.2f}")
            end, speech = max(one.end for one in kiosks), sum(one.speech for one in kiosks)
            print(f"| {engine} | {count} | {' | '.join(cells)} | {end:.0f} | {speech:.0f} |", flush=True)


def main() -> None:
    asyncio.run(run(["hibari", "kokoro"]))


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1:] or ["hibari", "kokoro"]))
