"""The ensemble and the voices, through OpenAI's protocol."""

import io
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import openai
import pytest

from tests.server.completions.chat_program import Chat, program, write_house
from tests.server.visitor import Visitor, served

SILENT = '[voices]\nengine = "silent"\n'
TABLE = """name: Two at a table
slots:
  - {slot: 1, agent: Ada, persona: counts everything}
  - {slot: 2, agent: Bo, persona: doubts everything}
"""


@pytest.fixture
async def visitor(tmp_path: Path) -> AsyncIterator[Visitor]:
    house = write_house(tmp_path / "house", "", SILENT)
    (house / "ensemble.yaml").write_text(TABLE, encoding="utf-8")
    async with served(house) as visiting:
        yield visiting


async def test_the_ensemble_answers_with_names_in_three_turns(visitor: Visitor) -> None:
    async with program(visitor.url) as client:
        chat = Chat(client, "ensemble/default")
        said = await chat.say("What is courage?")
    assert said.count("**Ada:** ") >= 1
    assert "**Ada to Bo:** " in said
    assert "*They comment on each other.*" in said
    assert (await visitor.studio.runs.get(chat.session)).status == "ended"


async def test_a_second_question_goes_on_from_the_first_and_a_new_chat_does_not(visitor: Visitor) -> None:
    async with program(visitor.url) as client:
        chat, other = Chat(client, "ensemble/default"), Chat(client, "ensemble/default")
        await chat.say("What is courage?")
        first = chat.session
        await chat.stream("And what is fear?")
        await chat.regenerate()
        regenerated = chat.session
        await chat.say("Thank you.")
        await other.say("What is courage?")
    assert await follows(visitor, regenerated) == first
    assert await follows(visitor, chat.session) == regenerated
    assert await follows(visitor, other.session) is None
    assert other.session != first
    assert len(await visitor.studio.runs.find("ensemble", limit=9)) == 5


async def follows(visitor: Visitor, session: str) -> str | None:
    run = await visitor.studio.ensemble.open_run(session)
    return next(entry.event.follows for entry in run.entries if entry.event.type == "ensemble.begun")


async def test_an_answer_that_nobody_gave_is_no_memory_of_the_ensembles(visitor: Visitor) -> None:
    async with program(visitor.url) as client:
        chat = Chat(client, "ensemble/default")
        await chat.say("What is courage?")
        chat.messages[-1]["content"] = "Courage is a cake."
        await chat.say("Are you sure?")
    assert await follows(visitor, chat.session) is None


@pytest.mark.parametrize("voice", ["alloy", "shimmer", "character/mina", "dramatic", {"id": "sage"}])
async def test_a_text_is_spoken_as_a_wav_file(visitor: Visitor, voice: object) -> None:
    async with program(visitor.url) as client:
        made = await client.audio.speech.create(model="tts-1", voice=voice, input="We are closed. Sit down.")  # type: ignore[arg-type]
    with wave.open(io.BytesIO(made.content)) as sound:
        assert sound.getnchannels() == 1
        assert sound.getnframes() > 0
    assert not list((visitor.studio.settings.data).rglob("speech/*"))


async def test_raw_samples_can_be_had_and_other_formats_are_refused_in_one_sentence(visitor: Visitor) -> None:
    async with program(visitor.url) as client:
        raw = await client.audio.speech.create(
            model="voice/silent", voice="alloy", input="Hello.", response_format="pcm"
        )
        assert not raw.content.startswith(b"RIFF")
        with pytest.raises(openai.UnprocessableEntityError, match="'wav' or 'pcm'"):
            await client.audio.speech.create(model="tts-1", voice="alloy", input="Hello.", response_format="mp3")
        with pytest.raises(openai.NotFoundError, match="the engine here is silent"):
            await client.audio.speech.create(model="voice/kokoro", voice="alloy", input="Hello.")
        with pytest.raises(openai.APIStatusError):
            await client.audio.speech.create(model="tts-1", voice="character/nobody", input="Hello.")
