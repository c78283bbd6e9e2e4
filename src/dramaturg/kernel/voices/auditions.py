"""Auditions: one sentence by one voice, measured. Finds voices that are silent, broken or too slow."""

from __future__ import annotations

import asyncio
import time

from pydantic import Field

from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.values import Value
from dramaturg.kernel.voices.booth import Engine
from dramaturg.kernel.voices.finishing import finished
from dramaturg.kernel.voices.port import Utterance
from dramaturg.kernel.voices.shelf import Label

SENTENCE = "The door was open all night, and nobody came in but the rain."
# Nobody says thirteen words in less, or takes longer than this for them.
_SHORTEST, _LONGEST = 1.5, 20.0
_LOUDNESS, _OFF = -16.0, 0.5


class Audition(Value):
    """How a voice did; `fault` says what is wrong with it, and is empty if nothing is."""

    engine: str
    voice: str
    fault: str = ""
    duration_ms: int = 0
    lufs: float | None = None
    peak_db: float | None = None
    words: int = Field(0, description="how many words the engine knows the times of")
    cpu: float = Field(0.0, description="seconds of CPU for a second of sound")


async def audition(engine: Engine, voice: str, sentence: str = SENTENCE) -> Audition:
    """Let a voice speak. CPU is that of the whole process, so nothing else should be going on."""
    began = time.process_time()
    try:
        sound = await engine.speak(Utterance(text=sentence, voice=voice))
        spent = time.process_time() - began
        label = (await asyncio.to_thread(finished, sound, engine.engine)).label
    except DramaturgError as error:
        return Audition(engine=engine.engine, voice=voice, fault=error.message)
    return Audition(
        engine=engine.engine,
        voice=voice,
        fault=_fault(label),
        duration_ms=label.duration_ms,
        lufs=label.lufs,
        peak_db=label.peak_db,
        words=len(label.words),
        cpu=round(spent / max(label.duration_ms / 1000, 0.001), 3),
    )


def _fault(label: Label) -> str:
    seconds = label.duration_ms / 1000
    if label.silent:
        return "nothing can be heard"
    if not _SHORTEST <= seconds <= _LONGEST:
        return f"{seconds:.1f} s is no time for this sentence"
    if label.lufs is None or abs(label.lufs - _LOUDNESS) > _OFF:
        return f"not at {_LOUDNESS:g} LUFS"
    return ""
