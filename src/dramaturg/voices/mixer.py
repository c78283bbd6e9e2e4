"""The mixer: recordings placed on the timeline and panned to their seats, levelled as one programme.

The mix is rebuilt for each pass (one to measure, one to write), block by block; only the passages that sound at the
moment are held in memory. The same recordings give the same bytes. Needs numpy and soxr.
"""

from __future__ import annotations

import hashlib
import math
import struct
import wave
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np
import soxr

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.files import open_file
from dramaturg.voices.limiter import PeakMeter, limited
from dramaturg.voices.loudness import RATE, Frames, LoudnessMeter, Mono, integrated
from dramaturg.voices.programme import Placement, ProgrammePassage

CHANNELS, SAMPLE_BYTES, HEADER_BYTES = 2, 2, 44
TARGET_LUFS = -16.0
MOST_GAIN_DB = 15.0
"""A mix that would need more gain stays soft, because its noise would come up with it."""
CLOSE_LU = 0.1
FADE_IN, FADE_OUT, CUT_FADE = (RATE * ms // 1000 for ms in (5, 12, 45))
SOFT_IN, SOFT_OUT = (RATE * ms // 1000 for ms in (15, 55))
BLOCK_MS = 1000
_FRAMES_PER_MS = RATE // 1000
_LEEWAY = 40 * _FRAMES_PER_MS
_LARGEST = 2**32 - HEADER_BYTES

Mix: TypeAlias = Callable[[], Iterator[Frames]]
Mixer: TypeAlias = "Callable[[IO[bytes], Sequence[Placement], int, Path, Mix | None], MixResult]"


@dataclass(frozen=True, slots=True)
class MixResult:
    """The file that was written, and its measurements: None if it is silent."""

    bytes: int
    sha256: str
    lufs: float | None
    true_peak_db: float | None


def mix_to(
    file: IO[bytes], placed: Sequence[Placement], duration_ms: int, recordings: Path, beneath: Mix | None = None
) -> MixResult:
    """Write the programme as a WAV of 48 kHz, 16 bits, stereo. Paths are relative to `recordings`.

    `beneath` is heard under all of it, and comes in blocks of the same size.
    """
    length = duration_ms * _FRAMES_PER_MS * CHANNELS * SAMPLE_BYTES
    if length > _LARGEST:
        raise VoiceError(
            f"The programme is {duration_ms / 3_600_000:.1f} hours long, more than a WAV file holds. Mix it in parts."
        )
    mix: Mix = partial(blocks, placed, duration_ms, recordings)
    if beneath is not None:
        mix = partial(_together, partial(blocks, placed, duration_ms, recordings, soft=True), beneath)
    gain = _gain(mix)
    digest, loudness, peak = hashlib.sha256(), LoudnessMeter(), PeakMeter()
    _write(file, _header(length), digest)
    for block in limited(mix(), gain):
        samples = np.clip(np.rint(block * 32768), -32768, 32767).astype("<i2")
        _write(file, samples.tobytes(), digest)
        written = samples.astype(np.float64) / 32768
        loudness.feed(written)
        peak.feed(written)
    return MixResult(
        HEADER_BYTES + length, digest.hexdigest(), _rounded(loudness.integrated()), _rounded(peak.true_peak())
    )


def blocks(
    placed: Sequence[Placement], duration_ms: int, recordings: Path, size_ms: int = BLOCK_MS, *, soft: bool = False
) -> Iterator[Frames]:
    """The mix before levelling, in blocks from the first sample to the last.

    A `soft` line is crossfaded with what lies beneath it instead of being cut into it.
    """
    waiting = sorted(placed, key=lambda placement: placement.start_ms, reverse=True)
    sounding: list[tuple[Placement, Frames]] = []
    for start in range(0, duration_ms, size_ms):
        end = min(start + size_ms, duration_ms)
        while waiting and waiting[-1].start_ms < end:
            placement = waiting.pop()
            sounding.append(
                (placement, _panned(take(placement.passage, recordings, soft=soft), placement.passage.seat))
            )
        block = np.zeros(((end - start) * _FRAMES_PER_MS, CHANNELS))
        for placement, sound in sounding:
            _add(block, sound, (placement.start_ms - start) * _FRAMES_PER_MS)
        sounding = [(placement, sound) for placement, sound in sounding if placement.end_ms > end]
        yield block


def _together(lines: Mix, beneath: Mix) -> Iterator[Frames]:
    for line, under in zip(lines(), beneath(), strict=True):
        yield line + under


def take(passage: ProgrammePassage, recordings: Path, *, soft: bool = False) -> Mono:
    """A passage as it goes into the mix: its part of the recording at 48 kHz, at its level, faded at both ends."""
    sound = _read(recordings / passage.recording.path, passage)
    length = passage.length_ms * _FRAMES_PER_MS
    if len(sound) < length - _LEEWAY:
        raise _changed(passage, recordings)
    sound = np.pad(sound[:length], (0, max(0, length - len(sound)))) * np.float32(10 ** (passage.level / 20))
    rise, fall = (SOFT_IN, SOFT_OUT) if soft else (FADE_IN, FADE_OUT)
    _fade(sound, rise, CUT_FADE if passage.is_cut else fall)
    return sound


def _read(path: Path, passage: ProgrammePassage) -> Mono:
    try:
        with open_file(path) as opened, wave.open(opened, "rb") as file:
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
            raw = file.readframes(file.getnframes())
    except FileNotFoundError as error:
        raise VoiceError(
            f"{path}, the recording of “{passage.text}”, no longer exists. Restore it, or mix again.",
            path=str(path),
        ) from error
    except (OSError, EOFError, wave.Error) as error:
        raise VoiceError(f"{path} cannot be read as a WAV file: {error}. Remove it and mix again.") from error
    if width != SAMPLE_BYTES:
        raise VoiceError(
            f"{path} has {8 * width}-bit samples; a programme is mixed from 16-bit recordings.", path=str(path)
        )
    samples = np.frombuffer(raw[: len(raw) // (channels * width) * channels * width], "<i2")
    mono = samples.reshape(-1, channels).astype(np.float32).mean(axis=1) / 32768
    resampled: Mono = mono if rate == RATE else soxr.resample(mono, rate, RATE, quality="HQ")
    return resampled.astype(np.float32)


def _changed(passage: ProgrammePassage, recordings: Path) -> VoiceError:
    path = recordings / passage.recording.path
    return VoiceError(
        f"{path} is shorter than when it was recorded. Remove it and mix again; it will be spoken again.",
        path=str(path),
    )


def _fade(sound: Mono, frames_in: int, frames_out: int) -> None:
    """In place, along half a cosine; in a very short sound each fade takes at most half of it."""
    first, last = (min(frames, len(sound) // 2) for frames in (frames_in, frames_out))
    sound[:first] *= _rise(first)
    sound[len(sound) - last :] *= _rise(last)[::-1]


def _rise(frames: int) -> Mono:
    return (0.5 - 0.5 * np.cos(np.pi * np.arange(frames) / max(frames, 1))).astype(np.float32)


def _panned(sound: Mono, seat: float) -> Frames:
    """Constant-power panning to two channels."""
    angle = (seat + 1) * math.pi / 4
    return np.outer(sound.astype(np.float64), (math.cos(angle), math.sin(angle)))


def _add(block: Frames, sound: Frames, offset: int) -> None:
    first, last = max(0, offset), min(len(block), offset + len(sound))
    if first < last:
        block[first:last] += sound[first - offset : last - offset]


def _gain(mix: Mix) -> float:
    """The gain that brings the mix to the target, raised a little if the limiter takes some of it away again."""
    loud = integrated(mix())
    if loud is None:
        return 0.0
    gain = min(MOST_GAIN_DB, TARGET_LUFS - loud)
    for _ in range(2):
        reached = integrated(limited(mix(), gain))
        if reached is None or abs(TARGET_LUFS - reached) < CLOSE_LU:
            break
        gain = min(MOST_GAIN_DB, gain + TARGET_LUFS - reached)
    return gain


def _header(length: int) -> bytes:
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", HEADER_BYTES - 8 + length, b"WAVE", b"fmt ", 16, 1, CHANNELS, RATE,
        RATE * CHANNELS * SAMPLE_BYTES, CHANNELS * SAMPLE_BYTES, 8 * SAMPLE_BYTES, b"data", length,
    )  # fmt: skip


def _write(file: IO[bytes], data: bytes, digest: hashlib._Hash) -> None:
    file.write(data)
    digest.update(data)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
