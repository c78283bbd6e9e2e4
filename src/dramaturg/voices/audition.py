"""Auditions: one sentence by one voice, measured. Finds voices that are silent, broken or too slow."""

from __future__ import annotations

import asyncio
import time

from pydantic import Field

from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.values import Value
from dramaturg.voices.booth import SpeechEngine
from dramaturg.voices.cache import MasterMetadata
from dramaturg.voices.port import SpeechRequest
from dramaturg.voices.postprocess import postprocessed

SENTENCE = "The door was open all night, and nobody came in but the rain."
# Nobody speaks thirteen words faster or slower than this, in seconds.
_SHORTEST, _LONGEST = 1.5, 20.0
_LOUDNESS, _OFF = -16.0, 0.5


class Audition(Value):
    """The result for one voice; `fault` says what is wrong, and is empty if nothing is."""

    engine: str
    voice: str
    fault: str = ""
    duration_ms: int = 0
    lufs: float | None = None
    peak_db: float | None = None
    words: int = Field(0, description="how many words the engine gave times for")
    cpu: float = Field(0.0, description="seconds of CPU per second of sound")


async def audition(engine: SpeechEngine, voice: str, sentence: str = SENTENCE) -> Audition:
    """Let a voice speak. CPU time is that of the whole process, so nothing else should be running."""
    began = time.process_time()
    try:
        sound = await engine.speak(SpeechRequest(text=sentence, voice=voice))
        spent = time.process_time() - began
        metadata = (await asyncio.to_thread(postprocessed, sound, engine.engine)).metadata
    except DramaturgError as error:
        return Audition(engine=engine.engine, voice=voice, fault=error.message)
    return Audition(
        engine=engine.engine,
        voice=voice,
        fault=_fault(metadata),
        duration_ms=metadata.duration_ms,
        lufs=metadata.lufs,
        peak_db=metadata.peak_db,
        words=len(metadata.words),
        cpu=round(spent / max(metadata.duration_ms / 1000, 0.001), 3),
    )


def _fault(metadata: MasterMetadata) -> str:
    seconds = metadata.duration_ms / 1000
    if metadata.silent:
        return "nothing can be heard"
    if not _SHORTEST <= seconds <= _LONGEST:
        return f"implausible length for this sentence: {seconds:.1f} s"
    if metadata.lufs is None or abs(metadata.lufs - _LOUDNESS) > _OFF:
        return f"not at {_LOUDNESS:g} LUFS"
    return ""
