"""Whether an engine keeps up on this machine: measured once, with as many lines at a time as it will speak.

The figure is kept among the artifacts for a day, so that only the first command of a project waits for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from pydantic import ValidationError

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.files import read_file
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import Value
from dramaturg.voices.booth import SpeechEngine
from dramaturg.voices.port import SpeechRequest
from dramaturg.voices.profiles import cast_of

T = TypeVar("T")
FILE, LARGEST_FILE = "artifacts/tts/engine-speed.json", 10_000
A_DAY = 86_400.0
LINE = "The door was open all night."
FIRST_SOUND, USUAL_LINE = 5.0, 8.0
"""A usual line lasts 8 seconds; its sound is to be there 5 seconds after its text."""


class EngineSpeed(Value):
    """How many seconds an engine takes for a second of speech, when all its threads are busy."""

    model: str
    threads: int
    seconds: float
    at: float

    @property
    def keeps_up(self) -> bool:
        """Whether a usual line is heard in time. Then a whole session is spoken faster than it lasts, too."""
        return self.seconds * USUAL_LINE <= FIRST_SOUND


def speed_of(engine: SpeechEngine, threads: int, artifacts: Artifacts) -> EngineSpeed:
    """The speed of an engine here, remembered or measured now. Blocking. Raises VoiceError if it cannot speak."""
    known = _remembered(artifacts)
    if known and (known.model, known.threads) == (engine.model, threads) and 0 <= time.time() - known.at < A_DAY:
        return known
    seconds = _alone(_measured(engine, threads))
    speed = EngineSpeed(model=engine.model, threads=threads, seconds=round(seconds, 2), at=time.time())
    with suppress(StoreUnavailable):
        artifacts.write_bytes(FILE, speed.model_dump_json().encode())
    return speed


def release(engine: SpeechEngine) -> None:
    """Close an engine that was only measured."""
    _alone(engine.aclose())


def _alone(work: Coroutine[object, object, T]) -> T:
    """The result of a coroutine, run in a thread of its own: the caller's may have an event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def _measured(engine: SpeechEngine, threads: int) -> float:
    request = SpeechRequest(text=LINE, voice=cast_of(engine.engine).order[0])
    await engine.speak(SpeechRequest(text="Hello.", voice=request.voice))
    began = time.monotonic()
    sounds = await asyncio.gather(*(engine.speak(request) for _ in range(threads)))
    length = len(sounds[0].pcm) / 2 / sounds[0].sample_rate
    return (time.monotonic() - began) / length


def _remembered(artifacts: Artifacts) -> EngineSpeed | None:
    with suppress(OSError, ValidationError):
        return EngineSpeed.model_validate_json(read_file(artifacts.path(FILE), LARGEST_FILE))
    return None
