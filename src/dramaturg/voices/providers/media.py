"""Sound files of all kinds, read and written by PyAV, whose wheels contain the codecs: no other program is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from dramaturg.kernel.errors import InvalidConfig, VoiceError, install_extra
from dramaturg.voices.captions import clock
from dramaturg.voices.programme import Chapter

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MediaFormat = Literal["wav", "flac", "mp3", "opus", "m4b"]
MEDIA_FORMATS: tuple[MediaFormat, ...] = get_args(MediaFormat)
MEDIA_TYPES: Mapping[str, str] = {
    "wav": "audio/wav",
    "flac": "audio/flac",
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "m4b": "audio/mp4",
}
RATE: Final = 48_000
KBPS: Mapping[str, int] = {"mp3": 128, "opus": 64, "m4b": 96}
LONGEST_SECONDS = 600
"""Of a file of music, more is not read; it is played again from its beginning."""
_READ: Mapping[str, str] = {
    "format_whitelist": "wav,w64,aiff,caf,flac,mp3,aac,ogg,mov,mp4,m4a,matroska,webm",
    "protocol_whitelist": "file",
}
"""Files of sound only: a play list could make the decoder open other files and addresses."""
_WRITTEN: Mapping[str, tuple[str, str]] = {
    "flac": ("flac", "flac"),
    "mp3": ("mp3", "libmp3lame"),
    "opus": ("opus", "libopus"),
    "m4b": ("ipod", "aac"),
}


@dataclass(frozen=True, slots=True)
class MediaInfo:
    """What a sound file says about itself."""

    codec: str
    duration_ms: int
    sample_rate: int
    channels: int
    title: str
    chapters: tuple[Chapter, ...]


def encode(
    wav: Path,
    to: Path,
    form: MediaFormat,
    chapters: Sequence[Chapter],
    tags: Mapping[str, str],
    kbps: int | None = None,
) -> None:
    """Write a WAV file in another format, with its chapters. Blocking; raises VoiceError if it cannot be written."""
    av = _av()
    container, codec = _WRITTEN[form]
    try:
        with av.open(str(wav)) as source, av.open(str(to), "w", format=container) as out:
            out.metadata.update(tags)
            if form == "flac":
                out.metadata.update(_comments(chapters))
            else:
                out.set_chapters([_written(place, chapter) for place, chapter in enumerate(chapters)])
            stream = out.add_stream(codec, rate=RATE, layout="stereo")
            if form in KBPS:
                stream.bit_rate = 1000 * (kbps or KBPS[form])
            for frame in source.decode(audio=0):
                out.mux(stream.encode(frame))
            out.mux(stream.encode(None))
    except (av.FFmpegError, OSError) as error:
        raise VoiceError(f"{to.name} cannot be written: {error}", file=str(to)) from error


def read_sound(path: Path) -> npt.NDArray[np.float32]:
    """A file of any format and rate, as stereo at 48 kHz. Raises InvalidConfig if it is not sound."""
    av = _av()
    import numpy as np

    if not path.is_file():
        raise InvalidConfig(f"There is no file {path}.", file=str(path))
    parts: list[Any] = []
    seconds = 0.0
    try:
        with av.open(str(path), options=dict(_READ)) as source:
            if not source.streams.audio:
                raise InvalidConfig(f"{path} has no sound in it.", file=str(path))
            resampler = av.AudioResampler(format="fltp", layout="stereo", rate=RATE)
            for frame in source.decode(audio=0):
                parts += [one.to_ndarray() for one in resampler.resample(frame)]
                seconds += frame.samples / max(frame.sample_rate, 1)
                if seconds > LONGEST_SECONDS:
                    break
            parts += [one.to_ndarray() for one in resampler.resample(None)]
    except (av.FFmpegError, OSError) as error:
        raise InvalidConfig(
            f"{path} cannot be read as sound: {error.strerror or error}. Give a sound file such as a WAV, FLAC or MP3.",
            file=str(path),
        ) from error
    if not parts or not sum(part.shape[1] for part in parts):
        raise InvalidConfig(f"{path} has no sound in it.", file=str(path))
    sound: npt.NDArray[np.float32] = np.concatenate(parts, axis=1).T.astype(np.float32)
    if not np.isfinite(sound).all():
        raise InvalidConfig(f"{path} has samples that are no numbers.", file=str(path))
    return sound


def probe(path: Path) -> MediaInfo:
    """What a file says about itself, read back from its bytes. Raises InvalidConfig if it is not sound."""
    av = _av()
    try:
        with av.open(str(path), options=dict(_READ)) as file:
            stream = file.streams.audio[0]
            tags = {**stream.metadata, **file.metadata}
            title = next((value for name, value in tags.items() if name.lower() == "title"), "")
            found = tuple(_read(one) for one in file.chapters())
            length = round((file.duration or 0) / 1000)
            codec = stream.codec_context.name.removesuffix("float")
            return MediaInfo(codec, length, stream.codec_context.sample_rate, stream.channels, title, found)
    except (av.FFmpegError, OSError, IndexError) as error:
        raise InvalidConfig(f"{path} cannot be read as sound: {error}", file=str(path)) from error


def _written(place: int, chapter: Chapter) -> Any:
    return {
        "id": place,
        "start": chapter.start_ms,
        "end": chapter.end_ms,
        "time_base": Fraction(1, 1000),
        "metadata": {"title": chapter.title},
    }


def _read(chapter: Any) -> Chapter:
    scale = 1000 * chapter["time_base"]
    start, end = round(chapter["start"] * scale), round(chapter["end"] * scale)
    return Chapter(title=chapter["metadata"].get("title", ""), start_ms=start, end_ms=end)


def _comments(chapters: Sequence[Chapter]) -> Mapping[str, str]:
    """Chapters as Vorbis comments, which is how FLAC has them."""
    rows: dict[str, str] = {}
    for place, chapter in enumerate(chapters):
        rows[f"CHAPTER{place:03}"] = clock(chapter.start_ms)
        rows[f"CHAPTER{place:03}NAME"] = chapter.title
    return rows


def require_codecs() -> None:
    """Raises VoiceError where only WAV can be written."""
    _av()


def _av() -> Any:
    try:
        import av
    except ImportError as error:
        raise VoiceError(
            f"This needs PyAV, which is not installed. Run: {install_extra('programme')}. WAV works without it.",
            missing=("av",),
        ) from error
    return av
