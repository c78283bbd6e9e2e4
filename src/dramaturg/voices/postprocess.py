"""Postprocessing: from an engine's raw sound to a mastered line. The silent double's sound is left as it is."""

from __future__ import annotations

from hashlib import sha256

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices import extra
from dramaturg.voices.cache import Master, MasterMetadata, Measurements
from dramaturg.voices.port import Sound
from dramaturg.voices.recording import Recording
from dramaturg.voices.wav import Wav, mono, read_wav, write_wav

# Part of every cache key: raised when mastering changes audibly.
MASTERING = 2


def postprocessed(sound: Sound, engine: str) -> Master:
    """The sound trimmed, levelled, and as a file. Raises VoiceError if the engine returned silence for speech."""
    if sound.silent:
        return _with_metadata(Wav(sound.pcm, sound.sample_rate), Measurements(words=sound.words, silent=True))
    _require_sound()
    from dramaturg.voices.mastering import master

    done = master(sound, engine)
    return _with_metadata(done.wav, done.measurements)


def resampled(data: bytes, rate: int, recording: Recording) -> Master:
    """A mastered line at another sample rate."""
    if not 8000 <= rate <= 192_000:
        raise VoiceError(
            f"{rate} Hz is not a sample rate for speech. Choose one between 8000 and 192000, such as 48000.", rate=rate
        )
    wav = mono(read_wav(data))
    if recording.silent:
        pcm = bytes(2 * round(wav.frames * rate / wav.sample_rate))
        return _with_metadata(Wav(pcm, rate), Measurements(words=recording.words, silent=True))
    _require_sound()
    from dramaturg.voices.mastering import at_rate, measured

    copy = at_rate(wav, rate)
    return _with_metadata(copy, measured(copy, recording.words))


def _with_metadata(wav: Wav, measurements: Measurements) -> Master:
    data = write_wav(wav)
    length = round(1000 * wav.seconds)
    metadata = MasterMetadata(
        sha256=sha256(data).hexdigest(), duration_ms=length, sample_rate=wav.sample_rate, **dict(measurements)
    )
    return Master(data, metadata)


def _require_sound() -> None:
    if missing := extra.lacking(*extra.SOUND):
        raise extra.not_installed(missing)
