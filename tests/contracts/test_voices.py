"""What every speech engine does, whatever it is. Kokoro's lines are short: each second of it costs a second of CPU."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Literal

import pytest

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.settings import Settings, VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.booth import SpeechEngine
from dramaturg.voices.engines import open_booth
from dramaturg.voices.mastering import audible, floats, measured
from dramaturg.voices.port import Sound, SpeechRequest, VoiceDelivery
from dramaturg.voices.profiles import cast_of
from dramaturg.voices.providers.hibari_voice import HibariVoice
from dramaturg.voices.providers.kokoro_voice import KokoroVoice
from dramaturg.voices.providers.silent_voice import SilentVoice
from dramaturg.voices.wav import read_wav

Name = Literal["silent", "hibari", "kokoro"]
OPENED: dict[str, Callable[[], SpeechEngine]] = {"silent": SilentVoice, "hibari": HibariVoice, "kokoro": KokoroVoice}
ENGINES = tuple(OPENED)
OFFLINE = ("hibari", "kokoro")
LINE = "Good evening, Alice."


@pytest.fixture(scope="session")
def engines() -> dict[str, SpeechEngine]:
    """Each is loaded once for all tests; threads of theirs belong to no event loop."""
    return {name: opened() for name, opened in OPENED.items()}


@pytest.fixture(scope="session")
def spoken() -> dict[tuple[str, str], Sound]:
    return {}


@pytest.fixture
async def speak(engines: dict[str, SpeechEngine], spoken: dict[tuple[str, str], Sound]) -> Callable[..., object]:
    """A line by the first voice of an engine, spoken once for all tests that look at it."""

    async def once(name: str, text: str = LINE) -> Sound:
        if (name, text) not in spoken:
            asked = SpeechRequest(text=text, voice=cast_of(name).order[0])
            spoken[name, text] = await engines[name].speak(asked)
        return spoken[name, text]

    return once


@pytest.mark.parametrize("name", ENGINES)
async def test_a_line_is_a_sound_about_as_long_as_a_person_takes(name: str, speak) -> None:
    sound = await speak(name)
    seconds = len(sound.pcm) / 2 / sound.sample_rate
    assert sound.sample_rate == 24_000
    assert 0.6 < seconds < 4
    assert (audible(floats(sound.pcm), sound.sample_rate) is None) == sound.silent == (name == "silent")


@pytest.mark.parametrize("name", ENGINES)
async def test_words_are_heard_in_order_and_within_the_sound(name: str, speak) -> None:
    sound = await speak(name)
    assert [word.word.strip(".,") for word in sound.words] == ["Good", "evening", "Alice"]
    times = [time for word in sound.words for time in (word.start, word.end)]
    assert times == sorted(times)
    assert times[-1] <= len(sound.pcm) / 2 / sound.sample_rate + 0.001


@pytest.mark.parametrize("name", ENGINES)
async def test_the_same_line_gives_the_same_samples(name: str, engines: dict[str, SpeechEngine], speak) -> None:
    again = await engines[name].speak(SpeechRequest(text=LINE, voice=cast_of(name).order[0]))
    assert again == await speak(name)


@pytest.mark.parametrize("name", ENGINES)
async def test_a_faster_delivery_takes_less_time(name: str, engines: dict[str, SpeechEngine], speak) -> None:
    voice = cast_of(name).order[0]
    fast = await engines[name].speak(SpeechRequest(text=LINE, voice=voice, delivery=VoiceDelivery(speed=1.4)))
    assert len(fast.pcm) < 0.9 * len((await speak(name)).pcm)


@pytest.mark.parametrize("name", ENGINES)
async def test_the_event_loop_goes_on_while_a_line_is_spoken(name: str, engines: dict[str, SpeechEngine]) -> None:
    asked = SpeechRequest(text="Yes, and no.", voice=cast_of(name).order[1])
    task = asyncio.create_task(engines[name].speak(asked))
    turns = 0
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    await task
    assert name == "silent" or turns > 20


@pytest.mark.parametrize("name", OFFLINE)
async def test_every_voice_of_the_cast_is_one_it_knows(name: str, engines: dict[str, SpeechEngine]) -> None:
    assert {listing.name for listing in engines[name].known()} == set(cast_of(name).order)


@pytest.mark.parametrize("name", OFFLINE)
async def test_an_unknown_voice_is_refused(name: str, engines: dict[str, SpeechEngine]) -> None:
    with pytest.raises(VoiceError, match=f"{name} has no voice 'nobody'"):
        await engines[name].speak(SpeechRequest(text=LINE, voice="nobody"))


@pytest.mark.parametrize("name", OFFLINE)
async def test_words_it_cannot_pronounce_are_an_error_and_no_silence(
    name: str, engines: dict[str, SpeechEngine]
) -> None:
    with pytest.raises(VoiceError, match="found no word it can pronounce"):
        await engines[name].speak(SpeechRequest(text="你好", voice=cast_of(name).order[0]))


async def test_the_six_voices_of_hibari_are_six_sounds(engines: dict[str, SpeechEngine]) -> None:
    asked = [SpeechRequest(text=LINE, voice=listing.name) for listing in engines["hibari"].known()]
    heard = await asyncio.gather(*(engines["hibari"].speak(one) for one in asked))
    assert len({sound.pcm for sound in heard}) == 6


async def test_twenty_lines_at_once_come_out_as_they_do_one_by_one(engines: dict[str, SpeechEngine]) -> None:
    voices = cast_of("hibari").order
    asked = [SpeechRequest(text=f"This is line {n}, xylo{n}phobic.", voice=voices[n % 6]) for n in range(20)]
    together = await asyncio.gather(*(engines["hibari"].speak(one) for one in asked))
    assert together == [await engines["hibari"].speak(one) for one in asked]


async def test_hibari_speaks_a_text_of_any_length(engines: dict[str, SpeechEngine]) -> None:
    text = "and then the rain came down upon the roof " * 30 + "x" * 900 + ". " + "It stopped. " * 20
    sound = await engines["hibari"].speak(SpeechRequest(text=text, voice="heart"))
    assert len(sound.words) == 30 * 9 + 1 + 40
    starts = [word.start for word in sound.words]
    assert starts == sorted(starts)


async def test_kokoro_speaks_in_several_breaths_what_is_too_long_for_one() -> None:
    kokoro = KokoroVoice(breath=12)
    sound = await kokoro.speak(SpeechRequest(text="Good evening. Yes.", voice="bm_george"))
    await kokoro.aclose()
    first, second, third = sound.words
    assert [first.word, second.word, third.word] == ["Good", "evening", "Yes"]
    assert first.start < first.end <= second.start < second.end <= third.start < third.end
    assert bytes(2 * 4800) in sound.pcm, "a fifth of a second in which nothing is heard"


@pytest.fixture(params=ENGINES)
async def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[str, object, bytes]]:
    name: Name = request.param
    settings = Settings(project=tmp_path, voices=VoiceSettings(engine=name))
    async with open_booth(settings, Artifacts(settings.data)) as booth:
        made = await booth.record("Good evening, Alice. *bows*", "artifacts/tts/a.wav", profile="calm_precise")
        yield name, made, (settings.data / "artifacts" / "tts" / "a.wav").read_bytes()


async def test_a_recording_is_a_valid_file_at_the_right_loudness(recorded) -> None:
    name, made, data = recorded
    assert int.from_bytes(data[4:8], "little") == len(data) - 8
    assert int.from_bytes(data[40:44], "little") == len(data) - 44
    wav = read_wav(data)
    assert made.duration_ms == pytest.approx(1000 * wav.seconds, abs=1)
    assert made.spoken == LINE
    if name == "silent":
        assert made.silent
        assert not any(wav.pcm)
        return
    found = measured(wav)
    assert found.lufs == pytest.approx(-16, abs=0.5)
    assert (found.lufs, found.peak_db) == (made.lufs, made.peak_db)
    assert found.peak_db <= -1.0
    assert made.words[0].start < 0.3
    assert made.words[-1].end == pytest.approx(wav.seconds, abs=0.3)
