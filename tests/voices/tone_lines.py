"""Lines that are tones: real WAV files and their recordings, for everything that is built upon speech."""

from __future__ import annotations

import hashlib
import math
import struct
import wave
from array import array
from pathlib import Path

from dramaturg.voices.port import WordTime
from dramaturg.voices.programme import ProgrammePassage
from dramaturg.voices.recording import Recording


def tone_line(
    root: Path,
    path: str,
    ms: int = 1000,
    *,
    pitch: float = 440.0,
    peak: float = 0.25,
    rate: int = 24_000,
    words: str = "",
) -> Recording:
    """A tone of full strength from its first sample to its last; words are spread evenly over it."""
    count = rate * ms // 1000
    samples = array("h", (round(32767 * peak * math.cos(2 * math.pi * pitch * n / rate)) for n in range(count)))
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(file), "wb") as out:
        out.setparams((1, 2, rate, 0, "NONE", ""))
        out.writeframes(struct.pack(f"<{count}h", *samples))
    data, said = file.read_bytes(), words.split()
    step = ms / 1000 / max(1, len(said))
    return Recording(
        path=path,
        engine="tone",
        voice="tone",
        spoken=words or "la",
        duration_ms=ms,
        sample_rate=rate,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        words=tuple(
            WordTime(word=word, start=round(step * n, 3), end=round(step * (n + 1), 3)) for n, word in enumerate(said)
        ),
    )


def passage(recording: Recording, number: int = 1, **fields: object) -> ProgrammePassage:
    return ProgrammePassage.model_validate({
        "id": str(number), "speaker": f"Speaker {number}", "text": f"Line {number}.", "recording": recording, **fields
    })  # fmt: skip


def recording_of(ms: int) -> Recording:
    """A recording without a file, for what looks at times alone."""
    return Recording(
        path="none.wav",
        engine="tone",
        voice="tone",
        spoken="la",
        duration_ms=ms,
        sample_rate=24_000,
        bytes=44,
        sha256="0",
    )
