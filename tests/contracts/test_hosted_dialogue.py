"""Dialogue mode on the wire: many lines in one render, and each line's own sound back."""

from __future__ import annotations

from typing import Any

import pytest

from dramaturg.kernel.errors import VoiceRejected, VoiceUnreadable
from dramaturg.voices.port import SpeechRequest, VoiceDelivery
from tests.voice_server import RATE, level, levels_in
from tests.voice_server.booth import booth
from tests.voice_server.sounds import PAUSE


def line(voice: str, text: str, **delivery: Any) -> SpeechRequest:
    return SpeechRequest(text=text, voice=voice, delivery=VoiceDelivery(**delivery))


async def test_a_dialogue_goes_out_in_one_request_and_comes_back_line_by_line() -> None:
    lines = [line("ada", "Who is there?", stability=0.2), line("bob", "Only me.", stability=0.6), line("ada", "Again!")]
    async with booth("elevenlabs", seed=3) as here:
        sounds = await here.voice.speak_dialogue(lines)
    (asked,) = here.server.requests
    assert (asked.path, asked.query) == ("/v1/text-to-dialogue/with-timestamps", {"output_format": "pcm_24000"})
    assert asked.body == {
        "inputs": [
            {"text": "Who is there?", "voice_id": "ada"},
            {"text": "Only me.", "voice_id": "bob"},
            {"text": "Again!", "voice_id": "ada"},
        ],
        "model_id": "eleven_v3",
        "settings": {"stability": 0.5},
        "seed": 3,
    }
    assert [levels_in(sound.pcm) for sound in sounds] == [{level("ada")}, {level("bob")}, {level("ada")}]
    assert [[word.word for word in sound.words] for sound in sounds] == [
        ["Who", "is", "there?"],
        ["Only", "me."],
        ["Again!"],
    ]
    assert sounds[1].words[0].start == pytest.approx(PAUSE / 2, abs=1e-3)
    assert sounds[1].words[-1].end == pytest.approx(PAUSE / 2 + 0.08, abs=1e-3)


async def test_nothing_of_the_render_is_lost_or_heard_twice() -> None:
    lines = [line(f"voice-{n}", f"This is line {n}.") for n in range(6)]
    async with booth("elevenlabs") as here:
        sounds = await here.voice.speak_dialogue(lines)
    characters = sum(len(one.text) for one in lines)
    assert sum(len(sound.pcm) for sound in sounds) // 2 == round(RATE * (characters * 0.01 + 5 * PAUSE))


async def test_no_render_has_more_than_ten_voices_or_two_thousand_characters() -> None:
    lines = [line(f"voice-{n}", "Word after word. " * 20) for n in range(23)]
    async with booth("elevenlabs") as here:
        sounds = await here.voice.speak_dialogue(lines)
    for asked in here.server.requests:
        assert len({one["voice_id"] for one in asked.body["inputs"]}) <= 10
        assert sum(len(one["text"]) for one in asked.body["inputs"]) <= 2000
    assert [levels_in(sound.pcm) for sound in sounds] == [{level(one.voice)} for one in lines]


async def test_eleven_voices_with_a_word_each_take_two_renders() -> None:
    async with booth("elevenlabs") as here:
        await here.voice.speak_dialogue([line(f"voice-{n}", "Yes.") for n in range(11)])
    assert [len(asked.body["inputs"]) for asked in here.server.requests] == [10, 1]


async def test_a_line_too_long_for_a_render_is_still_one_line() -> None:
    lines = [line("ada", "Hello."), line("bob", "And so it went on. " * 150), line("ada", "Enough.")]
    async with booth("elevenlabs") as here:
        sounds = await here.voice.speak_dialogue(lines)
    assert len(sounds) == 3
    assert levels_in(sounds[1].pcm) == {level("bob")}
    assert len(sounds[1].words) == 750


async def test_the_fourth_generation_plays_dialogues_itself() -> None:
    async with booth("elevenlabs", model="eleven_v4") as here:
        await here.voice.speak_dialogue([line("ada", "Yes.", stability=0.3, similarity=0.7)])
    (asked,) = here.server.requests
    assert asked.body["model_id"] == "eleven_v4"
    assert asked.body["settings"] == {"stability": 0.3, "similarity": 0.7}


async def test_no_lines_are_no_request() -> None:
    async with booth("elevenlabs") as here:
        assert await here.voice.speak_dialogue([]) == ()
        with pytest.raises(VoiceRejected, match="not the id"):
            await here.voice.speak_dialogue([line("Ada Lovelace", "Yes.")])
    assert here.server.requests == []


def segment(place: int, start: float, end: float) -> dict[str, Any]:
    return {
        "voice_id": "x",
        "start_time_seconds": start,
        "end_time_seconds": end,
        "character_start_index": 0,
        "character_end_index": 4,
        "dialogue_input_index": place,
    }


@pytest.mark.parametrize(
    ("segments", "says"),
    [
        ([], "line 1 is nowhere in it"),
        ([segment(0, 0.0, 0.04)], "line 2 is nowhere in it"),
        ([segment(1, 0.0, 0.01), segment(0, 0.1, 0.2)], "order"),
        ([segment(0, 0.0, 0.04), segment(1, 9.0, 9.5)], "order"),
        ([{"voice_id": "x"}], "who is heard when"),
    ],
)
async def test_a_render_that_cannot_be_told_apart_is_refused(segments: list[Any], says: str) -> None:
    async with booth("elevenlabs") as here:
        here.server.segments = segments
        with pytest.raises(VoiceUnreadable, match=says):
            await here.voice.speak_dialogue([line("ada", "Yes."), line("bob", "No!!")])


async def test_words_whose_characters_are_counted_otherwise_are_left_out() -> None:
    async with booth("elevenlabs") as here:
        here.server.segments = [segment(0, 0.0, 0.04), segment(1, 0.14, 0.18)]
        sounds = await here.voice.speak_dialogue([line("ada", "Yes."), line("bob", "No!!")])
    assert [sound.words for sound in sounds] == [(), ()]
    assert [levels_in(sound.pcm) for sound in sounds] == [{level("ada")}, {level("bob")}]
