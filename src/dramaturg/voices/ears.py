"""Ears: what was said in a recording, as text."""

from __future__ import annotations

from dramaturg.kernel.errors import InvalidConfig, VoiceUnavailable
from dramaturg.kernel.settings import Settings
from dramaturg.voices.recogniser import Recogniser

LARGEST = 25_000_000
"""What most servers accept at once."""
NO_EARS = (
    "Nothing can hear here. Set base_url under [ears] to a server with OpenAI's transcription protocol, such as "
    '"http://127.0.0.1:8000/v1"; whisper.cpp, speaches and LocalAI run one on this machine.'
)
_KINDS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"RIFF", "wav"),
    (0, b"OggS", "ogg"),
    (0, b"fLaC", "flac"),
    (0, b"ID3", "mp3"),
    (0, b"\xff\xfb", "mp3"),
    (0, b"\xff\xf3", "mp3"),
    (0, b"\xff\xf2", "mp3"),
    (0, b"\x1a\x45\xdf\xa3", "webm"),
    (4, b"ftyp", "m4a"),
)


def kind_of_sound(data: bytes) -> str:
    """The kind of a recording, by its first bytes: the ending of its file. Raises InvalidConfig if it is none."""
    if not data:
        raise InvalidConfig("The recording is empty. Record something, or type the question.")
    if len(data) > LARGEST:
        raise InvalidConfig(
            f"The recording has {len(data) / 1e6:.0f} MB; up to {LARGEST // 1_000_000} can be heard. Shorten it.",
            bytes=len(data),
        )
    found = (kind for at, mark, kind in _KINDS if data[at : at + len(mark)] == mark)
    kind = next(found, "")
    if not kind:
        raise InvalidConfig("This is not a recording that can be heard. Send WAV, FLAC, MP3, Ogg, WebM or M4A.")
    return kind


def open_ears(settings: Settings) -> Recogniser:
    """The recogniser of the settings. Raises VoiceError if there is none, or it cannot be used."""
    if not settings.ears.base_url:
        raise VoiceUnavailable(NO_EARS)
    from dramaturg.voices.providers.transcription import TranscriptionServer

    return TranscriptionServer(settings)
