"""From what an engine gave to a finished line. What can be heard is mastered; the double's silence is left as it is."""

from __future__ import annotations

from hashlib import sha256

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.voices import extra
from dramaturg.kernel.voices.port import Sound
from dramaturg.kernel.voices.recording import Recording
from dramaturg.kernel.voices.shelf import Label, Master, Measures
from dramaturg.kernel.voices.wav import Wav, mono, read_wav, write_wav

# Part of every key of the shelf: raised when the same samples would be finished otherwise.
MASTERING = 1


def finished(sound: Sound, engine: str) -> Master:
    """Trimmed, levelled, and as a file. Raises VoiceError where an engine gave silence for speech."""
    if sound.silent:
        return _labelled(Wav(sound.pcm, sound.sample_rate), Measures(words=sound.words, silent=True))
    _needs_sound()
    from dramaturg.kernel.voices.mastering import master

    done = master(sound, engine)
    return _labelled(done.wav, done.measures)


def resampled(data: bytes, rate: int, recording: Recording) -> Master:
    """A finished line in another sample rate."""
    if not 8000 <= rate <= 192_000:
        raise VoiceError(f"{rate} Hz is no sample rate for speech. Ask for 8000 to 192000, such as 48000.", rate=rate)
    wav = mono(read_wav(data))
    if recording.silent:
        pcm = bytes(2 * round(wav.frames * rate / wav.sample_rate))
        return _labelled(Wav(pcm, rate), Measures(words=recording.words, silent=True))
    _needs_sound()
    from dramaturg.kernel.voices.mastering import at_rate, measured

    copy = at_rate(wav, rate)
    return _labelled(copy, measured(copy, recording.words))


def _labelled(wav: Wav, measures: Measures) -> Master:
    data = write_wav(wav)
    length = round(1000 * wav.seconds)
    label = Label(sha256=sha256(data).hexdigest(), duration_ms=length, sample_rate=wav.sample_rate, **dict(measures))
    return Master(data, label)


def _needs_sound() -> None:
    if missing := extra.lacking(*extra.SOUND):
        raise extra.not_installed(missing)
