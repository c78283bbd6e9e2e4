"""What is heard beneath the lines: room tone throughout, and music that gives way to whoever speaks.

Both are loops whose seam is crossfaded, so that neither begins again audibly. The same settings give the same bytes.
Needs numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from dramaturg.voices.loudness import RATE, Frames, integrated
from dramaturg.voices.programme import Backdrop, Placement

LINES_LUFS = -16.0
"""How loud every recorded line is; the levels of a backdrop are relative to it."""
ATTACK_MS, RELEASE_MS = 300, 900
"""The music is down when a line begins, and takes its time to come back."""
FADE_MS = 1_500
SEAM_MS = 2_000
STEP_MS = 10
TONE_SECONDS = 12
BLOCK_MS = 1_000
_PER_MS = RATE // 1000
Loop = npt.NDArray[np.float32]


def backdrop_blocks(
    backdrop: Backdrop, placed: Sequence[Placement], duration_ms: int, music: Loop | None, size_ms: int = BLOCK_MS
) -> Callable[[], Iterator[Frames]]:
    """The backdrop in blocks, as often as it is asked for: once to measure, once to write."""
    tone = None if backdrop.room_tone_db is None else room_tone(backdrop.room_tone_db)
    bed = None if music is None else seamless(at_level(music, LINES_LUFS))
    gain = ducked(backdrop, placed, duration_ms)

    def blocks() -> Iterator[Frames]:
        for start in range(0, duration_ms, size_ms):
            frames = np.arange(start * _PER_MS, min(start + size_ms, duration_ms) * _PER_MS)
            block = np.zeros((len(frames), 2))
            if tone is not None:
                block += tone[frames % len(tone)]
            if bed is not None:
                level = np.interp(frames / (_PER_MS * STEP_MS), np.arange(len(gain)), gain)
                block += bed[frames % len(bed)] * level[:, None]
            yield block

    return blocks


def ducked(backdrop: Backdrop, placed: Sequence[Placement], duration_ms: int) -> npt.NDArray[np.float64]:
    """The gain of the music every 10 ms: up where nobody speaks, down under every line, faded at both ends."""
    times = np.arange(0, duration_ms + STEP_MS, STEP_MS, dtype=np.float64)
    level = np.full(len(times), backdrop.music_db)
    depth = backdrop.music_db - backdrop.duck_db
    for one in placed:
        before = np.clip((one.start_ms - times) / ATTACK_MS, 0, 1)
        after = np.clip((times - one.end_ms) / RELEASE_MS, 0, 1)
        level = np.minimum(level, backdrop.duck_db + depth * np.maximum(before, after))
    fade = min(FADE_MS, max(1, duration_ms // 2))
    edges = np.clip(np.minimum(times, duration_ms - times) / fade, 0, 1)
    faded: npt.NDArray[np.float64] = 10 ** (level / 20) * np.sin(edges * np.pi / 2)
    return faded


def room_tone(level_db: float) -> Loop:
    """Faint, soft noise, as a room has it: the same every time, and a loop by construction."""
    count = TONE_SECONDS * RATE
    hertz = np.fft.rfftfreq(count, 1 / RATE)
    shape = 1 / np.sqrt(np.maximum(hertz, 60.0)) / (1 + (hertz / 3000.0) ** 2)
    shape[hertz < 30] = 0
    chance = np.random.default_rng(1)
    channels = []
    for _ in range(2):
        phases = np.exp(2j * np.pi * chance.random(len(hertz)))
        noise = np.fft.irfft(shape * phases, count)
        channels.append(noise / np.sqrt(np.mean(np.square(noise))))
    return (np.stack(channels, axis=1) * 10 ** (level_db / 20)).astype(np.float32)


def seamless(sound: Loop) -> Loop:
    """The sound as a loop: its end is crossfaded into its beginning, at equal power."""
    seam = min(SEAM_MS * _PER_MS, len(sound) // 3)
    if seam < 2:
        return sound
    turn = np.linspace(0, np.pi / 2, seam, dtype=np.float32)[:, None]
    body = sound[: len(sound) - seam].copy()
    body[:seam] = sound[:seam] * np.sin(turn) + sound[len(sound) - seam :] * np.cos(turn)
    return body


def at_level(sound: Loop, lufs: float) -> Loop:
    """The sound at a loudness; silence stays silence."""
    loud = integrated([sound.astype(np.float64)])
    return sound if loud is None else (sound * np.float32(10 ** ((lufs - loud) / 20))).astype(np.float32)
