"""What speech costs, and whether it is understood: CPU for a second of sound, and words that a recogniser hears back.

CPU is that of the whole process, beside an engine that makes no sound (`silent`); loading is left out. The recogniser
is pocketsphinx if it is installed (it is not one of our dependencies): an old one with a small model, so its figures
compare voices with each other and say nothing about people.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from dramaturg.kernel.settings import Settings
from dramaturg.voices.booth import SpeechEngine
from dramaturg.voices.engines import open_engine
from dramaturg.voices.port import SpeechRequest
from dramaturg.voices.postprocess import postprocessed
from dramaturg.voices.profiles import cast_of
from dramaturg.voices.wav import read_wav

SENTENCES = (
    "The door was open all night, and nobody came in but the rain.",
    "She put the letter on the table and said that it was too late.",
    "You know very well why the old man will not talk about the war.",
)
Recogniser = Callable[[bytes, int], str]


@dataclass
class Heard:
    """One voice, all sentences."""

    voice: str
    cpu: float = 0.0
    finishing: float = 0.0
    sound: float = 0.0
    wrong: int = 0
    words: int = 0


def recogniser() -> Recogniser | None:
    try:
        import pocketsphinx
    except ImportError:
        return None
    import numpy as np
    import soxr

    decoder = pocketsphinx.Decoder(samprate=16_000, loglevel="FATAL")

    def listen(pcm: bytes, rate: int) -> str:
        samples = soxr.resample(np.frombuffer(pcm, "<i2"), rate, 16_000)
        decoder.start_utt()
        decoder.process_raw(samples.astype("<i2").tobytes(), full_utt=True)
        decoder.end_utt()
        found = decoder.hyp()
        return found.hypstr if found else ""

    return listen


def wrong_words(said: str, heard: str) -> int:
    """How many words were lost, added or taken for others."""
    wanted, got = (re.findall(r"[a-z']+", text.lower()) for text in (said, heard))
    row = list(range(len(got) + 1))
    for i, word in enumerate(wanted, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(got, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


async def measure(engine: SpeechEngine, voice: str, listen: Recogniser | None) -> Heard:
    result = Heard(voice)
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
        if listen and not sound.silent:
            wav = read_wav(master.wav)
            result.wrong += wrong_words(text, listen(wav.pcm, wav.sample_rate))
    return result


async def run() -> None:
    listen = recogniser()
    print("| engine | voice | CPU s a second of sound | of finishing | words understood |\n|---|---|--:|--:|--:|")
    for name in ("silent", "hibari", "kokoro"):
        engine = open_engine(name, Settings())
        for voice in cast_of(name).order if name != "silent" else ["silent"]:
            await engine.speak(SpeechRequest(text="Hello.", voice=voice))
            one = await measure(engine, voice, listen)
            understood = f"{1 - one.wrong / one.words:.0%}" if listen and name != "silent" else "–"
            print(
                f"| {name} | {voice} | {one.cpu / one.sound:.3f} | {one.finishing / one.sound:.3f} | {understood} |",
                flush=True,
            )
        await engine.aclose()
    if not listen:
        print("\nNothing was recognised back: pocketsphinx is not installed.")


def main() -> None:
    asyncio.run(run())
