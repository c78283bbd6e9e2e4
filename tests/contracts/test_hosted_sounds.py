"""Sound from a server in every shape: made into 16-bit mono, or refused by its name."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import VoiceUnreadable
from dramaturg.voices.providers.pieces import pieces_of
from dramaturg.voices.providers.samples import UnusableSoundError, from_wav
from tests.voice_server import RATE, levels_in
from tests.voice_server.booth import booth
from tests.voice_server.sounds import MONO, STEREO, wav

SHAPES = {
    "a right header": wav(MONO),
    "a length of 0x7FFFFFFF": wav(MONO, size=0x7FFFFFFF),
    "a length of 0xFFFFFFFF": wav(MONO, size=0xFFFFFFFF),
    "a length of 0": wav(MONO, size=0),
    "a chunk before and after": wav(MONO, before=b"LIST\x03\0\0\0abc\0", after=b"LIST\x04\0\0\0abcd"),
    "a half sample at the end": wav(MONO + b"\x01", size=0xFFFFFFFF),
    "stereo": wav(STEREO, channels=2),
    "24 bits": wav(b"".join(struct.pack("<i", 2000 << 16)[1:] for _ in range(240)), bits=24),
    "32 bits": wav(struct.pack("<i", 2000 << 16) * 240, bits=32),
    "floats": wav(struct.pack("<f", 2000 / 32767) * 240, bits=32, codec=3),
    "doubles": wav(struct.pack("<d", 2000 / 32767) * 240, bits=64, codec=3),
    "an extensible header": wav(MONO, codec=0xFFFE),
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_wav_in_any_common_shape_becomes_mono_of_sixteen_bits(shape: str) -> None:
    async with booth("openai-compatible") as here:
        here.server.verbatim(SHAPES[shape])
        sound = await here.say()
    assert (sound.pcm, sound.sample_rate) == (MONO, RATE)


async def test_eight_bits_and_other_rates_are_read_too() -> None:
    async with booth("openai-compatible") as here:
        here.server.verbatim(wav(bytes([0x80, 0x81, 0x7F]) * 80, bits=8, rate=16_000), kind="application/octet-stream")
        sound = await here.say()
    assert (sound.sample_rate, levels_in(sound.pcm)) == (16_000, {256, -256})


@pytest.mark.parametrize("kind", ["audio/wav;name*;name*0", "audio/wav" + "(>" * 300, "audio/wav; rate=; =; ;;"])
async def test_whatever_a_server_writes_behind_a_type_the_sound_is_read(kind: str) -> None:
    async with booth("openai-compatible") as here:
        here.server.verbatim(SHAPES["stereo"], kind=kind)
        sound = await here.say()
    assert (sound.pcm, sound.sample_rate) == (MONO, RATE)


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        (wav(MONO, codec=7, bits=8), "audio/wav", "µ-law"),
        (wav(MONO, bits=12), "audio/wav", "12-bit"),
        (wav(MONO * 6, channels=6), "audio/wav", "6 channels"),
        (wav(MONO, rate=3), "audio/wav", "3 samples a second"),
        (wav(b""), "audio/wav", "no length"),
        (wav(b"\0\0" * 240), "audio/wav", "silence"),
        (b"RIFF\x04\0\0\0WAVE", "audio/wav", "without samples"),
        (b"RIFF\x04\0\0\0WAVEdata\x02\0\0\0ab", "audio/wav", "how its samples lie"),
        (b"ID3\x04" + b"\0" * 40, "audio/mpeg", "MP3, where WAV was asked for"),
        (b"\xff\xfb\x90\x44" + b"\0" * 40, "application/octet-stream", "MP3"),
        (b"OggS" + b"\0" * 40, "audio/ogg", "Ogg"),
        (b"\x01\x02" * 40, "application/octet-stream", "no WAV file"),
        (b"", "audio/wav", "no WAV file"),
        (b'{"status": "ok"}', "application/json", "text instead of sound"),
    ],
)
async def test_what_cannot_be_used_is_refused_and_named(body: bytes, kind: str, says: str) -> None:
    async with booth("openai-compatible") as here:
        here.server.verbatim(body, kind=kind)
        with pytest.raises(VoiceUnreadable) as caught:
            await here.say()
    assert says in str(caught.value)
    assert "base_url" in str(caught.value)
    assert len(here.server.requests) == 1


async def test_a_sound_that_is_too_short_for_its_words_is_asked_for_again() -> None:
    async with booth("openai-compatible") as here:
        here.server.verbatim(wav(MONO))
        sound = await here.say("The tide took it last night.")
    assert len(here.server.requests) == 2
    assert len(sound.pcm) > len(MONO)


async def test_bare_samples_may_begin_like_an_mp3() -> None:
    async with booth("openai-compatible") as here:
        here.server.fault("no-wav")
        here.server.verbatim(b"\xff\xff" * 240, kind="audio/pcm")
        sound = await here.say()
    assert levels_in(sound.pcm) == {-1}


@given(st.binary(max_size=120))
def test_no_bytes_make_the_reading_of_a_wav_fail_in_another_way(tail: bytes) -> None:
    for body in (b"RIFF\0\0\0\0WAVE" + tail, b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0" + tail, wav(MONO)[: len(tail)] + tail):
        try:
            samples = from_wav(body)
        except UnusableSoundError:
            continue
        assert samples.pcm
        assert len(samples.pcm) % 2 == 0


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'{"audio_base64": "AAA', "no speech"),
        (b'{"alignment": {}}', "no speech"),
        (b"[]", "no speech"),
        (b'{"audio_base64": "!!!"}', "no speech"),
        (b'{"audio_base64": null}', "no speech"),
        (b'{"audio_base64": ""}', "no length"),
        (b'{"audio_base64": "AAAAAAAA"}', "silence"),
    ],
)
async def test_an_answer_of_elevenlabs_without_speech_is_never_passed_off_as_speech(body: bytes, says: str) -> None:
    async with booth("elevenlabs") as here:
        here.server.verbatim(body, kind="application/json")
        with pytest.raises(VoiceUnreadable, match=says):
            await here.say()


@pytest.mark.parametrize(
    "alignment",
    [
        b"{}",
        b"7",
        b'{"characters": ["a"], "character_start_times_seconds": [], "character_end_times_seconds": [1]}',
        b'{"characters": [1], "character_start_times_seconds": [0], "character_end_times_seconds": [1]}',
    ],
)
async def test_times_that_do_not_fit_together_cost_the_words_and_not_the_sound(alignment: bytes) -> None:
    async with booth("elevenlabs") as here:
        here.server.verbatim(b'{"audio_base64": "AQIB", "normalized_alignment": %s}' % alignment)
        sound = await here.say()
    assert (sound.pcm, sound.words) == (b"\x01\x02", ())


@given(st.text(alphabet="ab .!?\n", max_size=300), st.integers(1, 40))
def test_a_text_in_pieces_loses_nothing_but_spaces_at_the_seams(text: str, limit: int) -> None:
    pieces = pieces_of(text, limit)
    assert all(0 < len(piece) <= limit for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())
