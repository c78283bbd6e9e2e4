"""Conversion of a server's sound to 16-bit mono samples.

Servers that stream a WAV file do not know its length when they write the header, and put 0, 0x7FFFFFFF or 0xFFFFFFFF
there; so the length of the received bytes counts.
"""

from __future__ import annotations

import struct
import sys
from array import array
from dataclasses import dataclass
from math import isnan

UNKNOWN_LENGTH = 0x7FFF0000
PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
LOWEST_RATE, HIGHEST_RATE = 8_000, 192_000

_OTHER_SOUND = {b"ID3": "MP3", b"OggS": "Ogg", b"fLaC": "FLAC", b"FORM": "AIFF", b"\x1aE\xdf\xa3": "WebM"}
_OTHER_CODEC = {2: "ADPCM", 6: "A-law", 7: "µ-law", 17: "ADPCM", 0x55: "MP3"}
_SIGNED = bytes(byte ^ 0x80 for byte in range(256))


class UnusableSoundError(ValueError):
    """Sound that cannot be used. The message is a noun phrase; the adapter adds where it came from."""


class CutShortError(UnusableSoundError):
    """A truncated file: worth a retry."""


@dataclass(frozen=True, slots=True)
class Samples:
    """16-bit little-endian mono samples, and their rate."""

    pcm: bytes
    rate: int


@dataclass(frozen=True, slots=True)
class _Layout:
    codec: int
    channels: int
    rate: int
    width: int


def is_wav(body: bytes) -> bool:
    return body[:4] in (b"RIFF", b"RF64") and body[8:12] == b"WAVE"


def other_sound(body: bytes, *, guess: bool) -> str:
    """The name of another audio format, by its first bytes; empty if none is recognized.

    An MP3 without tags begins with bytes that raw samples may begin with too, so it is only recognized with `guess`.
    """
    if guess and len(body) > 1 and body[0] == 0xFF and body[1] & 0xE0 == 0xE0 and body[1] & 0x06:
        return "MP3"
    return next((name for start, name in _OTHER_SOUND.items() if body.startswith(start)), "")


def from_wav(body: bytes) -> Samples:
    """The samples of a WAV file, whatever its length fields say. Raises UnusableSoundError."""
    layout: _Layout | None = None
    place = 12
    while place + 8 <= len(body):
        name, size = struct.unpack_from("<4sI", body, place)
        place += 8
        if name == b"fmt ":
            layout = _layout(body[place : place + size])
        elif name == b"data":
            if layout is None:
                raise UnusableSoundError("a WAV file that does not say how its samples lie")
            return _samples(_data(body, place, size), layout)
        place += size + size % 2
    raise UnusableSoundError("a WAV file without samples")


def from_pcm(body: bytes, rate: int, channels: int = 1) -> Samples:
    """Raw 16-bit samples. Raises UnusableSoundError."""
    return _samples(body, _checked(_Layout(PCM, channels, rate, 2)))


def _data(body: bytes, place: int, size: int) -> bytes:
    rest = len(body) - place
    if rest < size < UNKNOWN_LENGTH:
        raise CutShortError(f"a WAV file that ends after {rest} of its {size} bytes of sound")
    return body[place:] if size >= UNKNOWN_LENGTH or size == 0 else body[place : place + size]


def _layout(chunk: bytes) -> _Layout:
    if len(chunk) < 16:
        raise UnusableSoundError("a WAV file whose header is cut off")
    codec, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunk)
    if codec == EXTENSIBLE and len(chunk) >= 26:
        (codec,) = struct.unpack_from("<H", chunk, 24)
    if codec not in (PCM, FLOAT):
        raise UnusableSoundError(f"a WAV file in {_OTHER_CODEC.get(codec, f'codec {codec}')}, not in plain samples")
    if bits not in ((8, 16, 24, 32) if codec == PCM else (32, 64)):
        raise UnusableSoundError(f"a WAV file of {bits}-bit samples")
    return _checked(_Layout(codec, channels, rate, bits // 8))


def _checked(layout: _Layout) -> _Layout:
    if layout.channels not in (1, 2):
        raise UnusableSoundError(f"sound of {layout.channels} channels, and a line is mono or stereo")
    if not LOWEST_RATE <= layout.rate <= HIGHEST_RATE:
        raise UnusableSoundError(f"sound of {layout.rate} samples a second, which cannot be right")
    return layout


def _samples(data: bytes, layout: _Layout) -> Samples:
    frame = layout.width * layout.channels
    pcm = _sixteen(data[: len(data) - len(data) % frame], layout)
    if layout.channels == 2:
        pcm = _mono(pcm)
    if not pcm.strip(b"\0"):
        raise UnusableSoundError("silence" if pcm else "a sound of no length")
    return Samples(pcm, layout.rate)


def _sixteen(data: bytes, layout: _Layout) -> bytes:
    """The two upper bytes of each sample."""
    if layout.codec == FLOAT:
        return _from_floats(data, layout.width)
    if layout.width == 2:
        return data
    pcm = bytearray(len(data) // layout.width * 2)
    if layout.width == 1:
        pcm[1::2] = data.translate(_SIGNED)
    else:
        pcm[0::2] = data[layout.width - 2 :: layout.width]
        pcm[1::2] = data[layout.width - 1 :: layout.width]
    return bytes(pcm)


def _from_floats(data: bytes, width: int) -> bytes:
    floats = array("f" if width == 4 else "d", data)
    if sys.byteorder == "big":
        floats.byteswap()
    return _packed(array("h", (0 if isnan(one) else round(max(-1.0, min(1.0, one)) * 32767) for one in floats)))


def _mono(pcm: bytes) -> bytes:
    both = array("h", pcm)
    if sys.byteorder == "big":
        both.byteswap()
    return _packed(array("h", ((left + right) // 2 for left, right in zip(both[0::2], both[1::2], strict=True))))


def _packed(samples: array[int]) -> bytes:
    if sys.byteorder == "big":
        samples.byteswap()
    return samples.tobytes()
