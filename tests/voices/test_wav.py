"""Our own WAV writer and a reader that forgives servers their length fields."""

import io
import struct
import wave

import pytest

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices.wav import Wav, mono, read_wav, write_wav

PCM = struct.pack("<6h", 0, 1000, -1000, 32767, -32768, 5)


def with_sizes(riff: int, data: int) -> bytes:
    good = write_wav(Wav(PCM, 24_000))
    return good[:4] + struct.pack("<I", riff) + good[8:40] + struct.pack("<I", data) + good[44:]


def test_the_standard_library_reads_what_we_write() -> None:
    with wave.open(io.BytesIO(write_wav(Wav(PCM, 22_050, 2)))) as file:
        assert file.getparams()[:4] == (2, 2, 22_050, 3)
        assert file.readframes(9) == PCM


def test_the_length_fields_say_what_is_in_the_file() -> None:
    data = write_wav(Wav(PCM, 24_000))
    assert struct.unpack_from("<I", data, 4)[0] == len(data) - 8
    assert struct.unpack_from("<I", data, 40)[0] == len(data) - 44 == len(PCM)


def test_we_read_what_the_standard_library_writes() -> None:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(48_000)
        writer.writeframes(PCM)
    assert read_wav(file.getvalue()) == Wav(PCM, 48_000)


@pytest.mark.parametrize(
    ("riff", "data"),
    [
        (0x7FFFFFFF, 0x7FFFFFFF),
        (0xFFFFFFFF, 0xFFFFFFFF),
        (0xFFFFFFFF, 0xFFFFFFFF - 36),
        (0x7FFFFFFF, 0x7FFFFFFF - 36),
        (0, 0),
    ],
)
def test_lengths_that_a_server_never_filled_in_mean_the_rest_of_the_file(riff: int, data: int) -> None:
    assert read_wav(with_sizes(riff, data)) == Wav(PCM, 24_000)


def test_a_streamed_file_that_ends_within_a_sample_loses_only_that_sample() -> None:
    assert read_wav(with_sizes(0xFFFFFFFF, 0xFFFFFFFF) + b"\x07").pcm == PCM


def test_chunks_that_are_not_sound_are_passed_over() -> None:
    good = write_wav(Wav(PCM, 24_000))
    odd = b"LIST" + struct.pack("<I", 3) + b"abc\0"
    assert read_wav(good[:12] + odd + good[12:36] + odd + good[36:]) == Wav(PCM, 24_000)


def test_float_samples_and_the_extensible_format_are_read() -> None:
    form = struct.pack("<HHIIHH", 0xFFFE, 1, 24_000, 96_000, 4, 32) + struct.pack("<HHIH", 22, 32, 0, 3) + bytes(14)
    body = struct.pack("<4f", 0.0, 1.5, -0.5, float("nan"))
    data = b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(body)) + body
    read = read_wav(b"RIFF" + struct.pack("<I", len(data) + 4) + b"WAVE" + data)
    assert struct.unpack("<4h", read.pcm) == (0, 32767, -16384, 0)


def test_several_channels_become_their_mean() -> None:
    assert mono(Wav(struct.pack("<4h", 100, 300, -5, 5), 8000, 2)) == Wav(struct.pack("<2h", 200, 0), 8000)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no WAV header"),
        (b"ID3\x04 this is an MP3 file", "no WAV header"),
        (b'{"detail": {"status": "quota_exceeded"}}', "no WAV header"),
        (write_wav(Wav(PCM, 24_000))[:-4], "truncated"),
        (write_wav(Wav(PCM, 24_000))[:36], "no samples"),
        (write_wav(Wav(PCM, 24_000)).replace(b"\x10\0data", b"\x18\0data"), "24 bits"),
        (b"RIFF\x10\0\0\0WAVEdata\x02\0\0\0ab", "before their format"),
    ],
)
def test_what_cannot_be_used_is_told_why(data: bytes, why: str) -> None:
    with pytest.raises(VoiceError, match=why):
        read_wav(data)


def test_half_a_sample_is_never_written() -> None:
    with pytest.raises(VoiceError, match="within a sample"):
        write_wav(Wav(b"abc", 24_000))
