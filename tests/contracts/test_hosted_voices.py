"""Hosted voices on the wire: what goes out, the sound that comes, and everything that can go wrong between."""

from __future__ import annotations

import asyncio
import tomllib
import traceback
from pathlib import Path
from typing import Any

import openai
import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import VoiceError, VoiceRejected, VoiceTimeout, VoiceUnavailable, VoiceUnreadable
from dramaturg.kernel.settings import Settings
from dramaturg.voices.port import SpeechRequest, Voice
from tests.voice_server import RATE, SECONDS, VoiceServer, level, levels_in
from tests.voice_server.booth import BOTH, ENV, KEY, booth, open_voice, settings_for
from tests.voice_server.sounds import MONO, wav

DOCS = Path(__file__).parents[2] / "docs"


# What goes out, and the sound that comes.


async def test_elevenlabs_is_asked_for_bare_samples_with_the_time_of_every_character() -> None:
    async with booth("elevenlabs", seed=7) as here:
        sound = await here.say("Good evening.", stability=0.4, similarity=0.8, style=0.1, speed=1.5)
    (asked,) = here.server.requests
    assert (asked.method, asked.path) == ("POST", "/v1/text-to-speech/ada/with-timestamps")
    assert asked.query == {"output_format": "pcm_24000"}
    assert asked.headers["xi-api-key"] == KEY
    assert asked.headers["content-type"] == "application/json"
    assert asked.body == {
        "text": "Good evening.",
        "model_id": "eleven_multilingual_v2",
        "voice_settings": {"stability": 0.4, "similarity_boost": 0.8, "style": 0.1, "speed": 1.2},
        "seed": 7,
    }
    assert sound.sample_rate == RATE
    assert levels_in(sound.pcm) == {level("ada")}
    assert len(sound.pcm) / 2 / RATE == pytest.approx(13 * SECONDS)
    assert [(word.word, word.start, word.end) for word in sound.words] == [
        ("Good", 0.0, 0.04),
        ("evening.", 0.05, 0.13),
    ]
    assert not sound.silent


async def test_a_voice_is_left_its_own_manner_where_a_line_asks_for_none() -> None:
    async with booth("elevenlabs") as here:
        await here.say()
    assert here.server.requests[0].body == {"text": "Good evening.", "model_id": "eleven_multilingual_v2"}


@pytest.mark.parametrize(("asked", "sent"), [(0.1, 0.0), (0.3, 0.5), (0.7, 0.5), (0.9, 1.0)])
async def test_the_third_generation_is_sent_one_of_three_stabilities_and_nothing_else(
    asked: float, sent: float
) -> None:
    async with booth("elevenlabs", model="eleven_v3") as here:
        await here.say(stability=asked, similarity=0.9, style=0.5, speed=1.1)
    assert here.server.requests[0].body["voice_settings"] == {"stability": sent}


async def test_times_come_from_the_text_as_written_where_there_is_no_other() -> None:
    async with booth("elevenlabs") as here:
        here.server.normalized = False
        sound = await here.say("It is 9.")
    assert [word.word for word in sound.words] == ["IT", "IS", "9."]


async def test_directions_in_brackets_and_dashes_are_not_words() -> None:
    async with booth("elevenlabs") as here:
        sound = await here.say("[laughs] Oh — well [maybe")
    assert [word.word for word in sound.words] == ["Oh", "well", "[maybe"]


async def test_a_text_too_long_for_one_request_is_parted_at_sentences_and_comes_back_as_one_line() -> None:
    sentence = "All of this was said before. "
    async with booth("elevenlabs") as here:
        sound = await here.say(sentence * 600)
    texts = [asked.body["text"] for asked in here.server.requests]
    assert len(texts) == 2
    assert all(len(text) <= 10_000 and text.endswith("before.") for text in texts)
    assert " ".join(texts) == (sentence * 600).strip()
    assert here.server.requests[0].body["next_text"] == texts[1]
    assert here.server.requests[1].body["previous_text"] == texts[0]
    assert len(sound.words) == 3600
    assert all(later.start >= earlier.end for earlier, later in zip(sound.words, sound.words[1:], strict=False))
    assert sound.words[-1].end == pytest.approx(len(sound.pcm) / 2 / RATE, abs=1e-3)


async def test_an_openai_compatible_server_is_asked_for_a_wav_and_its_broken_length_does_not_matter() -> None:
    async with booth("openai-compatible") as here:
        sound = await here.say("Good evening.", speed=1.25, instructions="Whisper.", stability=0.4)
    (asked,) = here.server.requests
    assert (asked.method, asked.path, asked.query) == ("POST", "/v1/audio/speech", {})
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "house-voice",
        "input": "Good evening.",
        "voice": "ada",
        "response_format": "wav",
        "speed": 1.25,
        "instructions": "Whisper.",
    }
    assert (sound.sample_rate, levels_in(sound.pcm), sound.words) == (RATE, {level("ada")}, ())
    assert len(sound.pcm) / 2 / RATE == pytest.approx(13 * SECONDS)


async def test_the_request_is_the_one_the_official_client_sends() -> None:
    async with booth("openai-compatible") as here:
        await here.say(speed=1.25, instructions="Whisper.")
        async with openai.AsyncOpenAI(api_key=KEY, base_url=f"{here.server.url}/v1", max_retries=0) as client:
            await client.audio.speech.create(
                model="house-voice",
                voice="ada",
                input="Good evening.",
                response_format="wav",
                speed=1.25,
                instructions="Whisper.",
            )
    ours, theirs = here.server.requests
    assert (ours.method, ours.path, ours.body) == (theirs.method, theirs.path, theirs.body)
    assert ours.headers["authorization"] == theirs.headers["authorization"]


async def test_what_is_not_asked_for_is_not_sent() -> None:
    async with booth("openai-compatible", key_env=None, model="tts-1-hd") as here:
        await here.say(instructions="Whisper.")
    (asked,) = here.server.requests
    assert set(asked.body) == {"model", "input", "voice", "response_format"}
    assert "authorization" not in asked.headers


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "/v1/audio/speech"])
async def test_the_address_may_have_its_version_or_not(ending: str) -> None:
    async with VoiceServer() as server:
        for start in ("", "/api"):
            voice = open_voice(settings_for("openai-compatible", f"{server.url}{start}{ending}"), StillClock())
            await voice.speak(SpeechRequest(text="Yes.", voice="ada"))
            await voice.aclose()
    assert [asked.path for asked in server.requests] == ["/v1/audio/speech", "/api/v1/audio/speech"]


async def test_a_server_that_makes_no_wav_is_asked_for_samples_from_then_on() -> None:
    async with booth("openai-compatible") as here:
        here.server.fault("no-wav")
        first = await here.say("One.")
        second = await here.say("Two.")
    assert [asked.body["response_format"] for asked in here.server.requests] == ["wav", "pcm", "pcm"]
    assert first == second
    assert first.sample_rate == 24_000


async def test_lines_that_meet_the_refusal_at_once_are_all_spoken() -> None:
    async with booth("openai-compatible") as here:
        here.server.fault("no-wav", times=3)
        here.server.hold()
        lines = [asyncio.create_task(here.say(f"Line {n}.")) for n in range(3)]
        await here.server.until(asked=3)
        here.server.release()
        sounds = await asyncio.gather(*lines)
    assert all(levels_in(sound.pcm) == {level("ada")} for sound in sounds)


async def test_a_long_input_is_parted_at_sentences_and_joined() -> None:
    text = "Nobody came. " * 700
    async with booth("openai-compatible") as here:
        sound = await here.say(text)
    inputs = [asked.body["input"] for asked in here.server.requests]
    assert len(inputs) == 3
    assert all(len(one) <= 4096 and one.endswith("came.") for one in inputs)
    assert len(sound.pcm) / 2 == sum(map(len, inputs)) * RATE * SECONDS


async def test_the_voices_of_the_account_are_listed() -> None:
    async with booth("elevenlabs") as here:
        listed = await here.voice.listing()
    assert [(voice.name, voice.description) for voice in listed] == [("id-1", "Rachel, american, young"), ("id-2", "")]
    assert here.voice.known() == ()


@pytest.mark.parametrize("engine", BOTH)
async def test_a_hosted_voice_fits_the_seam(engine: str) -> None:
    async with booth(engine) as here:
        voice: Voice = here.voice
        assert (voice.engine, bool(voice.model), voice.known()) == (engine, True, ())


# What goes wrong.

REJECTED = {
    "bad-key": ("elevenlabs", "HOUSE_KEY"),
    "quota": ("elevenlabs", "credit is used up"),
    "no-voice": ("elevenlabs", "dramaturg voices"),
    "too-long": ("elevenlabs", "shorten"),
    "invalid": ("elevenlabs", "voice_settings.speed: Input should be at most 1.2"),
    "moved": ("elevenlabs", "has moved"),
    "no-quota": ("openai-compatible", "credit is used up"),
    "no-model": ("openai-compatible", "`model`"),
}


@pytest.mark.parametrize("kind", REJECTED)
async def test_what_will_not_pass_is_asked_once_and_says_the_way_out(kind: str) -> None:
    engine, way_out = REJECTED[kind]
    async with booth(engine) as here:
        here.server.fault(kind, times=9)
        with pytest.raises(VoiceRejected) as caught:
            await here.say()
    assert way_out in str(caught.value)
    assert engine in str(caught.value)
    assert len(here.server.requests) == 1
    assert here.clock.waits == []


@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize("kind", ["500", "502", "system-busy", "rate-limit", "cut", "cut-body"])
async def test_what_passes_is_not_noticed(engine: str, kind: str) -> None:
    async with booth(engine) as here:
        here.server.fault(kind, times=3)
        sound = await here.say()
    assert levels_in(sound.pcm) == {level("ada")}
    assert len(here.server.requests) == 4
    assert len(here.clock.waits) == 3


@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize("kind", ["500", "system-busy", "cut", "cut-body"])
async def test_what_does_not_pass_is_given_up_after_a_few_tries(engine: str, kind: str) -> None:
    async with booth(engine) as here:
        here.server.fault(kind, times=99)
        with pytest.raises(VoiceUnavailable) as caught:
            await here.say()
    assert len(here.server.requests) == 4
    assert 0 < sum(here.clock.waits) < 4
    assert "payload" not in str(caught.value)


async def test_a_wav_that_ends_before_its_time_is_asked_for_again() -> None:
    async with booth("openai-compatible") as here:
        here.server.verbatim(wav(MONO, size=100_000))
        sound = await here.say()
    assert levels_in(sound.pcm) == {level("ada")}
    assert len(here.server.requests) == 2


async def test_an_error_inside_a_success_is_an_error() -> None:
    async with booth("openai-compatible") as here:
        here.server.verbatim(b'{"error": {"message": "no voice", "code": 401}}', kind="application/json")
        with pytest.raises(VoiceRejected, match="no voice"):
            await here.say()


@pytest.mark.parametrize("engine", BOTH)
async def test_a_page_of_words_is_not_speech(engine: str) -> None:
    async with booth(engine) as here:
        here.server.fault("garbage")
        with pytest.raises(VoiceUnreadable, match="Welcome to the hotel"):
            await here.say()


@pytest.mark.parametrize("engine", BOTH)
async def test_a_server_that_says_nothing_is_a_timeout_and_is_not_paid_twice(engine: str) -> None:
    async with booth(engine, timeout=1.0) as here:
        here.server.fault("hang")
        with pytest.raises(VoiceTimeout, match="timeout"):
            await here.say()
    assert len(here.server.requests) == 1


@pytest.mark.parametrize("engine", BOTH)
async def test_a_server_that_is_not_there_is_said_to_be_so(engine: str) -> None:
    async with VoiceServer() as server:
        url = server.url
    clock = StillClock()
    voice = open_voice(settings_for(engine, url), clock)
    with pytest.raises(VoiceUnavailable, match="Is it running"):
        await voice.speak(SpeechRequest(text="Hello?", voice="ada"))
    await voice.aclose()
    assert len(clock.waits) == 3


@pytest.mark.parametrize("how", [{"retry_after": "7"}, {"retry_after_ms": "7000"}])
async def test_a_time_to_wait_is_waited_for(how: dict[str, str]) -> None:
    async with booth("elevenlabs") as here:
        here.server.fault("system-busy", **how)
        await here.say()
    (waited,) = here.clock.waits
    assert 7.0 <= waited <= 7.5


async def test_nobody_waits_for_an_hour() -> None:
    async with booth("elevenlabs") as here:
        here.server.fault("system-busy", retry_after="3600", times=9)
        with pytest.raises(VoiceUnavailable) as caught:
            await here.say()
    assert caught.value.retry_after == 3600
    assert here.clock.waits == []


# Keys and settings.


@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
async def test_a_key_never_gets_into_a_message(engine: str, status: int) -> None:
    async with booth(engine) as here:
        for _ in range(9):
            told = f'{{"detail": {{"message": "Wrong key {KEY} and sk_0123456789abcdef"}}}}'
            here.server.verbatim(told.encode(), kind="application/json", status=status)
        with pytest.raises(VoiceError) as caught:
            await here.say()
        shown = f"{caught.value!r} {caught.value.context} {here.voice!r} {here.voice._client.source!r}"
        shown += "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert "sk_0123456789abcdef" not in shown
    assert "Wrong key ***" in str(caught.value)


@pytest.mark.parametrize(
    ("engine", "changes", "says"),
    [
        ("elevenlabs", {"key_env": None}, "ELEVENLABS_API_KEY is not set"),
        ("elevenlabs", {"key_env": "NO_SUCH"}, "NO_SUCH is not set"),
        ("elevenlabs", {"key_env": "BAD_KEY"}, "cannot be a key"),
        ("elevenlabs", {"base_url": "api.elevenlabs.io"}, "http://"),
        ("openai-compatible", {"base_url": None}, "`base_url` under"),
        ("openai-compatible", {"model": None}, "`model` under"),
        ("openai-compatible", {"model": " "}, "`model` under"),
        ("openai-compatible", {"key_env": "NO_SUCH"}, "NO_SUCH is not set"),
        ("openai-compatible", {"base_url": "https://ada:secret@host/v1"}, "key_env"),
        ("openai-compatible", {"base_url": "http://host:99999999"}, "not an address"),
    ],
)
def test_a_setting_that_is_missing_is_named_with_the_way_out(engine: str, changes: dict[str, Any], says: str) -> None:
    voices = settings_for(engine, "http://127.0.0.1:9", **changes).voices
    env = {"HOUSE_KEY": KEY, "BAD_KEY": "zwölf Boxkämpfer"}
    with pytest.raises(VoiceRejected) as caught:
        open_voice(Settings(voices=voices, env=env), StillClock())
    assert says in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "zwölf" not in str(caught.value)


@pytest.mark.parametrize("voice", ["", "..", "a/b", "Ada Lovelace", "x" * 65])
async def test_what_cannot_be_the_id_of_a_voice_is_not_sent(voice: str) -> None:
    async with booth("elevenlabs") as here:
        with pytest.raises(VoiceRejected, match="dramaturg voices"):
            await here.say(voice=voice)
    assert here.server.requests == []


@pytest.mark.parametrize("engine", BOTH)
async def test_a_line_of_spaces_is_not_sent(engine: str) -> None:
    async with booth(engine) as here:
        with pytest.raises(VoiceRejected, match="nothing"):
            await here.say(" \n ")
    assert here.server.requests == []


def test_every_setting_that_the_page_shows_can_be_read() -> None:
    blocks = (DOCS / "voices-hosted.md").read_text(encoding="utf-8").split("```toml\n")[1:]
    assert len(blocks) >= 3
    for block in blocks:
        settings = Settings.model_validate({**tomllib.loads(block.partition("```")[0]), "env": ENV})
        assert open_voice(settings.model_copy(update={"env": {**ENV, "OPENROUTER_API_KEY": KEY}}), StillClock()).model
