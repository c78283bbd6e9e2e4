"""Laws of speech that hold for all inputs."""

import io
import wave
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices.profiles import cast_of, casting
from dramaturg.voices.spoken_text import spoken
from dramaturg.voices.wav import Wav, mono, read_wav, write_wav
from tests.laws import examples

MARKS = (
    "* ** _ __ ` ``` ~~ ~~~ [ ] ( ) ](http://x.y) # > - 1. | < <b> </b> <thinking> &amp; &#10; &#42; \\ ^ { } :) :a: 😀"
)
WORDS = "https://a.b/c me@x.org word Hello I can't 1984 *sighs* (aside) — … \" “ ” , ."
PIECES = st.sampled_from([*MARKS.split(), *WORDS.split(), "[TONE: x]", "\n", "\n\n", " "])
MARKED_UP = st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=25).map(" ".join) | st.lists(
    PIECES, max_size=25
).map("".join)
PCM = st.binary(max_size=400).map(lambda data: data[: len(data) // 4 * 4])
RATES = st.sampled_from([8000, 22_050, 24_000, 44_100, 48_000])


@given(MARKED_UP | st.text())
def test_any_text_gives_words_without_markup_or_says_that_there_are_none(text: str) -> None:
    try:
        said = spoken(text)
    except VoiceError:
        return
    assert any(letter.isalnum() for letter in said)
    assert not set("*_`~[]{}()<>|^\\#\n") & set(said)
    assert "http://" not in said
    assert said == said.strip()
    assert spoken(said) == said


@given(PCM, RATES, st.sampled_from([1, 2]))
def test_what_is_written_is_read_back(pcm: bytes, rate: int, channels: int) -> None:
    wav = Wav(pcm, rate, channels)
    data = write_wav(wav)
    assert read_wav(data) == wav
    with wave.open(io.BytesIO(data)) as file:
        assert file.readframes(file.getnframes()) == pcm
    assert mono(wav).seconds == wav.seconds


@given(st.binary(max_size=200) | st.binary(max_size=120).map(lambda data: write_wav(Wav(b"", 8000))[:40] + data))
def test_any_bytes_are_a_wav_or_a_voice_error(data: bytes) -> None:
    with suppress(VoiceError):
        assert read_wav(data).frames >= 0


@given(PCM, RATES, st.integers(0, 60))
def test_a_file_that_was_cut_off_is_never_taken_for_whole(pcm: bytes, rate: int, cut: int) -> None:
    data = write_wav(Wav(pcm, rate))
    with suppress(VoiceError):
        assert read_wav(data[: len(data) - cut]).pcm == pcm


@examples(50)
@given(st.lists(st.none() | st.sampled_from(cast_of("kokoro").order), max_size=6))
def test_seats_without_a_pin_share_their_voice_with_nobody(pins: list[str | None]) -> None:
    given_out = casting("kokoro", pins)
    free = [voice for voice, pin in zip(given_out, pins, strict=True) if pin is None]
    assert len(set(free)) == len(free)
    assert not set(free) & {pin for pin in pins if pin}
