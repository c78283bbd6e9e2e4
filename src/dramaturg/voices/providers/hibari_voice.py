"""hibari: fast speech on one core, from a wheel of 14 MB. One recorded voice, transformed into six.

Its network predicts a pitch curve and spectral envelopes per frame; the waveform is synthesized here in numpy. So the
voice can be transformed before synthesis: another pitch, other formants, another pace.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices import extra
from dramaturg.voices.port import Sound, SpeechRequest, VoiceListing, WordTime
from dramaturg.voices.providers.graph import with_output
from dramaturg.voices.providers.phonetics import Phonetics, Phrase
from dramaturg.voices.providers.runtime import onnx_runtime
from dramaturg.voices.providers.thread_pool import VoiceThreadPool, thread_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RATE = 24_000
MOST = 400
NEEDS = ("hibari", "onnxruntime", *extra.SOUND)
_HELD = "/Clip_output_0"


@dataclass(frozen=True, slots=True)
class VoiceTransform:
    """Factors by which a voice differs from the recorded one; 1 leaves it unchanged."""

    about: str
    pitch: float = 1.0
    formant: float = 1.0
    pace: float = 1.0


VOICES = {
    "heart": VoiceTransform("American woman, as recorded"),
    "alto": VoiceTransform("lower and rounder", 0.80, 0.94, 0.95),
    "bright": VoiceTransform("higher and lighter", 1.28, 1.10, 1.05),
    "male": VoiceTransform("a man's pitch", 0.58, 0.86, 0.97),
    "deep": VoiceTransform("a deep man", 0.46, 0.80, 0.92),
    "elder": VoiceTransform("older and slower", 0.68, 0.97, 0.85),
}


def fault() -> str:
    """Why hibari is not usable here; empty if it is."""
    missing = extra.lacking(*NEEDS)
    return extra.not_installed(missing).message if missing else ""


class HibariVoice:
    """The six voices. Loaded once, with the first line; the same line gives the same samples."""

    engine = "hibari"

    def __init__(self, threads: int | None = None) -> None:
        self._pool = VoiceThreadPool(self.engine, thread_count(threads))
        self._lock = Lock()
        self._phonetics = Phonetics(british=False)
        self._network: _Network | None = None

    @property
    def model(self) -> str:
        try:
            return f"hibari-tts-{metadata.version('hibari-tts')}"
        except metadata.PackageNotFoundError:
            return "hibari-tts"

    def known(self) -> tuple[VoiceListing, ...]:
        return tuple(VoiceListing(name=name, description=transform.about) for name, transform in VOICES.items())

    async def speak(self, request: SpeechRequest) -> Sound:
        if request.voice not in VOICES:
            raise VoiceError(f"hibari has no voice '{request.voice}'. It has {', '.join(VOICES)}.")
        return await self._pool.run(lambda: self._spoken(request))

    async def aclose(self) -> None:
        await self._pool.aclose()

    def _spoken(self, request: SpeechRequest) -> Sound:
        network = self._loaded()
        phrases = self._phonetics.phrases(request.text, MOST, together=False)
        if not phrases:
            raise VoiceError(f"hibari speaks English, and found no word it can pronounce in '{request.text[:60]}'.")
        return network.speak(phrases, VOICES[request.voice], request.delivery.speed)

    def _loaded(self) -> _Network:
        with self._lock:
            if self._network is None:
                if missing := extra.lacking(*NEEDS):
                    raise extra.not_installed(missing)
                self._network = _Network()
            return self._network


class _Network:
    def __init__(self) -> None:
        onnx_runtime()
        from hibari import Hibari

        model = files("hibari").joinpath("assets", "hibari.onnx").read_bytes()
        self._session = Hibari(model=with_output(model, _HELD), threads=1).sess

    def speak(self, phrases: list[Phrase], transform: VoiceTransform, speed: float) -> Sound:
        import numpy as np

        from dramaturg.voices.mastering import sixteen_bits

        chance = np.random.default_rng(0)
        parts: list[NDArray[np.float32]] = []
        words: list[WordTime] = []
        at = 0.0
        for phrase in phrases:
            wave, held = self._wave(phrase, transform, speed, chance)
            times = phrase.times(held, len(wave) / RATE)
            words += [WordTime(word=w.word, start=round(w.start + at, 3), end=round(w.end + at, 3)) for w in times]
            at += len(wave) / RATE
            parts.append(wave)
        line = np.concatenate(parts)
        return Sound(sixteen_bits(line / max(1.0, float(np.abs(line).max(initial=0.0)))), RATE, tuple(words))

    def _wave(
        self, phrase: Phrase, transform: VoiceTransform, speed: float, chance: np.random.Generator
    ) -> tuple[NDArray[np.float32], list[float]]:
        import numpy as np
        from hibari import dsp

        inputs = {
            "ids": np.asarray([[0, *phrase.sounds, 0]], np.int64),
            "speed": np.asarray([transform.pace * speed], np.float32),
        }
        *spectra, phase, pitch, held = self._session.run(None, inputs)
        formed = [_stretched(one[0], transform.formant) for one in spectra]
        wave = dsp.synth(*formed, phase[0], pitch[0] * np.float32(transform.pitch), chance)
        return wave, held.ravel().tolist()


def _stretched(bins: NDArray[np.float32], by: float) -> NDArray[np.float32]:
    """Spectral envelopes, [frequency, time], stretched along the frequency axis."""
    import numpy as np

    if by == 1:
        return bins
    last = bins.shape[0] - 1
    source = np.clip(np.arange(last + 1) / by, 0, last)
    low = source.astype(int)
    share = (source - low)[:, None].astype(np.float32)
    mixed: NDArray[np.float32] = (1 - share) * bins[low] + share * bins[np.minimum(low + 1, last)]
    return mixed
