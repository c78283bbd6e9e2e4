"""What each voice is like: its cost, the words that come back wrong, its word times, and the voice nearest to it.

    python -m benchmarks.voices [ENGINE ...]

CPU is that of the whole process; loading is left out. The recogniser is pocketsphinx if it is installed (it is not one
of our dependencies): an old one with a small American model, so its figures compare voices with each other and say
nothing about people. It also tells when it hears each word, and the engine's word times are held against that. How far
two voices are apart is measured in semitones of their median pitch, and in dB between their spectra. All offline voices
speak English.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from dramaturg.kernel.settings import Settings
from dramaturg.voices.booth import SpeechEngine
from dramaturg.voices.engines import open_engine
from dramaturg.voices.port import Sound, SpeechRequest
from dramaturg.voices.postprocess import postprocessed
from dramaturg.voices.profiles import OFFLINE, cast_of
from dramaturg.voices.wav import read_wav

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SENTENCES = (
    "The door was open all night, and nobody came in but the rain.",
    "She put the letter on the table and said that it was too late.",
    "You know very well why the old man will not talk about the war.",
)
HEARD_AT = 16_000
FRAMES_A_SECOND = 100
BANDS = (100, 160, 250, 400, 630, 1000, 1600, 2500, 4000, 6300)
"""The edges of the bands in which two voices are compared, in Hz."""
LOWEST, HIGHEST = 60, 400
"""Where the pitch of a voice is looked for, in Hz."""


@dataclass
class VoiceFigures:
    """One voice, all sentences."""

    voice: str
    cpu: float = 0.0
    finishing: float = 0.0
    sound: float = 0.0
    wrong: int = 0
    words: int = 0
    late: list[float] = field(default_factory=list)
    pitches: list[float] = field(default_factory=list)
    spectra: list[list[float]] = field(default_factory=list)

    @property
    def pitch(self) -> float:
        return median(self.pitches)

    @property
    def spectrum(self) -> list[float]:
        return [sum(band) / len(band) for band in zip(*self.spectra, strict=True)]


class Recogniser:
    """pocketsphinx: the words it hears, and when it hears those that it is told."""

    def __init__(self) -> None:
        import pocketsphinx

        self._free = pocketsphinx.Decoder(samprate=HEARD_AT, loglevel="FATAL")
        self._told = pocketsphinx.Decoder(samprate=HEARD_AT, loglevel="FATAL", lm=None)

    def hear(self, pcm: bytes, rate: int) -> str:
        self._run(self._free, pcm, rate)
        found = self._free.hyp()
        return found.hypstr if found else ""

    def starts(self, pcm: bytes, rate: int, text: str) -> list[float]:
        """When each word of the text is heard, in seconds; empty if it was not found."""
        self._told.set_align_text(" ".join(words_in(text)))
        self._run(self._told, pcm, rate)
        found = [one for one in self._told.seg() or () if one.word[0].isalpha()]
        return [one.start_frame / FRAMES_A_SECOND for one in found]

    def _run(self, decoder: object, pcm: bytes, rate: int) -> None:
        import numpy as np
        import soxr

        samples = soxr.resample(np.frombuffer(pcm, "<i2"), rate, HEARD_AT).astype("<i2")
        decoder.start_utt()  # type: ignore[attr-defined]
        decoder.process_raw(samples.tobytes(), full_utt=True)  # type: ignore[attr-defined]
        decoder.end_utt()  # type: ignore[attr-defined]


def recogniser() -> Recogniser | None:
    try:
        return Recogniser()
    except ImportError:
        return None


def words_in(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def wrong_words(said: str, heard: str) -> int:
    """How many words were lost, added or taken for others."""
    wanted, got = words_in(said), words_in(heard)
    row = list(range(len(got) + 1))
    for i, word in enumerate(wanted, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(got, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


async def measure(engine: SpeechEngine, voice: str, listen: Recogniser | None) -> VoiceFigures:
    result = VoiceFigures(voice)
    for text in SENTENCES:
        began = time.process_time()
        sound = await engine.speak(SpeechRequest(text=text, voice=voice))
        spoken = time.process_time()
        master = await asyncio.to_thread(postprocessed, sound, engine.engine)
        done = time.process_time()
        result.cpu += spoken - began
        result.finishing += done - spoken
        result.sound += len(sound.pcm) / 2 / sound.sample_rate
        result.words += len(text.split())
        wav = read_wav(master.wav)
        result.pitches += pitches(wav.pcm, wav.sample_rate)
        result.spectra.append(spectrum(wav.pcm, wav.sample_rate))
        if listen:
            result.wrong += wrong_words(text, listen.hear(wav.pcm, wav.sample_rate))
            result.late += late_by(sound, listen.starts(sound.pcm, sound.sample_rate, text))
    return result


def late_by(sound: Sound, heard: list[float]) -> list[float]:
    """How many ms after the recogniser hears a word the engine says that it begins."""
    told = [word.start for word in sound.words if re.search(r"[a-z]", word.word.lower())]
    return [1000 * (own - other) for own, other in zip(told, heard, strict=True)] if len(told) == len(heard) else []


def _samples(pcm: bytes) -> NDArray[np.float64]:
    import numpy as np

    return np.frombuffer(pcm, "<i2").astype(np.float64) / 32768


def pitches(pcm: bytes, rate: int) -> list[float]:
    """The pitch of every voiced 40 ms, by autocorrelation."""
    import numpy as np

    samples, size = _samples(pcm), rate // 25
    found: list[float] = []
    for begin in range(0, len(samples) - 2 * size, size):
        part = samples[begin : begin + 2 * size] - samples[begin : begin + 2 * size].mean()
        if np.sqrt(np.mean(part**2)) < 0.02:
            continue
        alike = np.correlate(part, part, "full")[2 * size - 1 :]
        first, last = rate // HIGHEST, rate // LOWEST
        lag = first + int(np.argmax(alike[first:last]))
        if alike[lag] > 0.5 * alike[0]:
            found.append(rate / lag)
    return found


def spectrum(pcm: bytes, rate: int) -> list[float]:
    """The level in each band, in dB against the whole."""
    import numpy as np

    power = np.abs(np.fft.rfft(_samples(pcm))) ** 2
    at = np.fft.rfftfreq(len(pcm) // 2, 1 / rate)
    whole = float(power.sum())
    return [
        10 * float(np.log10(power[(at >= low) & (at < high)].sum() / whole + 1e-9)) for low, high in pairwise(BANDS)
    ]


def nearest(one: VoiceFigures, others: list[VoiceFigures]) -> tuple[str, float, float]:
    """The voice that sounds most like this one: its name, the semitones between them, and the dB between spectra."""
    import numpy as np

    found = []
    for other in others:
        semitones = abs(12 * float(np.log2(one.pitch / other.pitch)))
        apart = float(np.sqrt(np.mean((np.array(one.spectrum) - np.array(other.spectrum)) ** 2)))
        found.append((semitones + apart, other.voice, semitones, apart))
    _, voice, semitones, apart = min(found)
    return voice, semitones, apart


async def run(engines: list[str]) -> None:
    listen = recogniser()
    heads = "CPU s a second of sound | of finishing | words wrong | word starts late, ms: median | 9 of 10 within"
    print(f"| engine | voice | {heads} | pitch, Hz | nearest voice | semitones | dB |")
    print("|---|---|--:|--:|--:|--:|--:|--:|---|--:|--:|")
    for name in engines:
        engine = open_engine(name, Settings())
        figures = []
        for voice in cast_of(name).order:
            await engine.speak(SpeechRequest(text="Hello.", voice=voice))
            figures.append(await measure(engine, voice, listen))
        for one in figures:
            print(
                _row(name, one, [other for other in figures if other is not one], heard=listen is not None), flush=True
            )
        await engine.aclose()
    if not listen:
        print("\nNothing was recognised back: pocketsphinx is not installed.")


def _row(engine: str, one: VoiceFigures, others: list[VoiceFigures], *, heard: bool) -> str:
    wrong = f"{one.wrong / one.words:.0%}" if heard else "–"
    off = sorted(abs(late) for late in one.late)
    late = f"{median(one.late):.0f} | {off[int(0.9 * (len(off) - 1))]:.0f}" if off else "– | –"
    voice, semitones, apart = nearest(one, others)
    cost = f"{one.cpu / one.sound:.3f} | {one.finishing / one.sound:.3f}"
    beside = f"{one.pitch:.0f} | {voice} | {semitones:.1f} | {apart:.1f}"
    return f"| {engine} | {one.voice} | {cost} | {wrong} | {late} | {beside} |"


def main() -> None:
    asyncio.run(run(list(reversed(OFFLINE))))


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1:] or list(reversed(OFFLINE))))
