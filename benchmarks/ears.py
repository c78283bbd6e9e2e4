"""Whether a recogniser understands our voices: words that come back wrong, and the time it takes for a second of sound.

The recogniser is the server at `DRAMATURG_EARS_URL`, with the model `DRAMATURG_EARS_MODEL`; the package has none.
"""

from __future__ import annotations

import asyncio
import os
import time

from benchmarks.voices import SENTENCES, wrong_words
from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.settings import EarsSettings, Settings
from dramaturg.voices.ears import open_ears
from dramaturg.voices.engines import OFFLINE, open_engine
from dramaturg.voices.port import SpeechRequest
from dramaturg.voices.postprocess import postprocessed
from dramaturg.voices.profiles import cast_of


async def run(url: str) -> None:
    model = os.environ.get("DRAMATURG_EARS_MODEL", "whisper-1")
    ears = open_ears(Settings(ears=EarsSettings(base_url=url, model=model)))
    print(f"Recogniser: {model}\n\n| engine | voice | words wrong | s for a second of sound |\n|---|---|--:|--:|")
    try:
        for name in OFFLINE:
            try:
                engine = open_engine(name, Settings())
            except DramaturgError as error:
                print(f"| {name} | – | {error.message} | – |")
                continue
            for voice in cast_of(name).order:
                wrong = words = 0
                took = sound = 0.0
                for text in SENTENCES:
                    spoken = await engine.speak(SpeechRequest(text=text, voice=voice))
                    master = await asyncio.to_thread(postprocessed, spoken, engine.engine)
                    began = time.perf_counter()
                    heard = await ears.hear(master.wav, "wav")
                    took += time.perf_counter() - began
                    sound += len(spoken.pcm) / 2 / spoken.sample_rate
                    wrong += wrong_words(text, heard.text)
                    words += len(text.split())
                print(f"| {name} | {voice} | {wrong / words:.1%} | {took / sound:.2f} |", flush=True)
            await engine.aclose()
    finally:
        await ears.aclose()


def main() -> None:
    url = os.environ.get("DRAMATURG_EARS_URL", "")
    if not url:
        print("Skipped: no recogniser. Set DRAMATURG_EARS_URL to a server with OpenAI's transcription protocol.")
        return
    try:
        asyncio.run(run(url))
    except DramaturgError as error:
        print(f"Skipped: {error.message}")
