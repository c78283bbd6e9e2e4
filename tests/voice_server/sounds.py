"""Sounds that can be read: a voice is a level, and a character lasts `SECONDS`."""

from __future__ import annotations

import struct
from array import array
from typing import Any
from zlib import crc32

RATE = 24_000
SECONDS = 0.01
PAUSE = 0.1
MONO = array("h", [2000] * 240).tobytes()
STEREO = array("h", [1000, 3000] * 240).tobytes()


def level(voice: str) -> int:
    return 1000 + crc32(voice.encode()) % 20_000


def spoken(voice: str, text: str) -> bytes:
    return struct.pack("<h", level(voice)) * round(RATE * SECONDS) * len(text)


def levels_in(pcm: bytes) -> set[int]:
    """Who is heard, by level; silence is nobody."""
    return set(array("h", pcm)) - {0}


def alignment(text: str, begin: float = 0.0) -> dict[str, list[Any]]:
    """Every character and its time."""
    starts = [round(begin + place * SECONDS, 4) for place in range(len(text))]
    return {
        "characters": list(text),
        "character_start_times_seconds": starts,
        "character_end_times_seconds": [round(start + SECONDS, 4) for start in starts],
    }


def wav(
    data: bytes,
    *,
    rate: int = RATE,
    channels: int = 1,
    bits: int = 16,
    codec: int = 1,
    size: int | None = None,
    before: bytes = b"",
    after: bytes = b"",
) -> bytes:
    """A WAV file; `size` is what its length fields say instead of the truth, `before` a chunk before the samples."""
    frame = channels * bits // 8
    form = struct.pack("<HHIIHH", codec, channels, rate, rate * frame, frame, bits)
    if codec == 0xFFFE:
        form += struct.pack("<HHIH", 22, bits, 0, 1) + b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"
    body = b"WAVE" + chunk(b"fmt ", form) + before + chunk(b"data", data, size) + after
    return b"RIFF" + struct.pack("<I", len(body) if size is None else size) + body


def chunk(name: bytes, data: bytes, size: int | None = None) -> bytes:
    if size is not None:
        return name + struct.pack("<I", size) + data
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
