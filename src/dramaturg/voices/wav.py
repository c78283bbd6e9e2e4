"""WAV files: written with correct sizes, and read even if a streaming server left the sizes unset."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from dramaturg.kernel.errors import VoiceError

N = TypeVar("N", int, float)

HEADER = 44
LARGEST = 0xFFFFFFFF - HEADER
# A streaming server does not know the length and writes 0x7FFFFFFF, 0xFFFFFFFF, or a little less.
_UNKNOWN = 0x7FFF0000
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE


@dataclass(frozen=True, slots=True)
class Wav:
    """The content of a WAV file: interleaved 16-bit little-endian samples."""

    pcm: bytes
    sample_rate: int
    channels: int = 1

    @property
    def frames(self) -> int:
        return len(self.pcm) // (2 * self.channels)

    @property
    def seconds(self) -> float:
        return self.frames / self.sample_rate


def write_wav(wav: Wav) -> bytes:
    """The bytes of the file, with correct length fields."""
    size = len(wav.pcm)
    if size % (2 * wav.channels):
        raise VoiceError("The sound ends within a sample. This is a fault of the engine; try again.", bytes=size)
    if size > LARGEST:
        raise VoiceError("The sound is longer than a WAV file can be. Split the line.", bytes=size)
    block = 2 * wav.channels
    form = struct.pack("<HHIIHH", _PCM, wav.channels, wav.sample_rate, wav.sample_rate * block, block, 16)
    return (
        b"RIFF"
        + struct.pack("<I", size + 36)
        + b"WAVEfmt \x10\0\0\0"
        + form
        + b"data"
        + struct.pack("<I", size)
        + wav.pcm
    )


def read_wav(data: bytes) -> Wav:
    """The content of a WAV file of 16-bit or float samples. Raises VoiceError for other formats and truncated files."""
    if len(data) < 12 or data[:4] not in (b"RIFF", b"RIFX") or data[8:12] != b"WAVE":
        raise _unreadable("it has no WAV header")
    if data[:4] == b"RIFX":
        raise _unreadable("its samples are big-endian")
    form: tuple[int, int, int, int] | None = None
    for name, body in _chunks(data):
        if name == b"fmt ":
            form = _format(body)
        elif name == b"data":
            if form is None:
                raise _unreadable("the samples come before their format")
            return _samples(body, *form)
    raise _unreadable("it has no samples")


def mono(wav: Wav) -> Wav:
    """The same sound in one channel: the mean of all channels."""
    if wav.channels == 1:
        return wav
    samples = _native(array("h"), wav.pcm)
    mixed = array(
        "h", (sum(samples[i : i + wav.channels]) // wav.channels for i in range(0, len(samples), wav.channels))
    )
    return Wav(_little(mixed), wav.sample_rate)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 12
    streamed = struct.unpack_from("<I", data, 4)[0]
    while at + 8 <= len(data):
        name, size = data[at : at + 4], struct.unpack_from("<I", data, at + 4)[0]
        rest = len(data) - at - 8
        unknown = size >= _UNKNOWN or (size == 0 and (streamed == 0 or streamed >= _UNKNOWN))
        if name == b"data" and unknown:
            size = rest
        elif size > rest:
            raise _unreadable(f"it is truncated: {rest} of {size} bytes are there")
        yield name, data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


def _format(body: bytes) -> tuple[int, int, int, int]:
    """Format code, channels, rate and bits."""
    if len(body) < 16:
        raise _unreadable("its format is too short")
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", body)
    if kind == _EXTENSIBLE and len(body) >= 26:
        kind = struct.unpack_from("<H", body, 24)[0]
    if (kind, bits) not in ((_PCM, 16), (_FLOAT, 32)):
        raise _unreadable(f"samples of format {kind} with {bits} bits are not supported; use 16-bit PCM")
    if not 1 <= channels <= 8 or not 4000 <= rate <= 384_000:
        raise _unreadable(f"{channels} channels at {rate} Hz are not plausible")
    return kind, channels, rate, bits


def _samples(body: bytes, kind: int, channels: int, rate: int, bits: int) -> Wav:
    frame = channels * bits // 8
    body = body[: len(body) // frame * frame]
    if kind == _PCM:
        return Wav(body, rate, channels)
    floats = _native(array("f"), body)
    return Wav(_little(array("h", (_sixteen(value) for value in floats))), rate, channels)


def _sixteen(value: float) -> int:
    # NaN counts as silence.
    return 0 if value != value else round(max(-1.0, min(1.0, value)) * 32767)


def _native(empty: array[N], body: bytes) -> array[N]:
    values = empty[:]
    values.frombytes(body)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _little(values: array[int]) -> bytes:
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def _unreadable(why: str) -> VoiceError:
    return VoiceError(f"This WAV file cannot be used: {why}.")
