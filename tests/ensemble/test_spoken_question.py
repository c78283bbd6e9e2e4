"""A question that is spoken: stored, heard and answered, over HTTP and from the command line."""

from __future__ import annotations

import asyncio
import io
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests import warm
from tests.child import clean_environment
from tests.server.visitor import Visitor, served, write_story
from tests.voice_server.ears import EarsServer

REFUSED = (400, {"error": {"message": "Invalid file format.", "code": "invalid_value"}})
SPOKEN = "/v1/sessions/spoken"


def recording(seconds: float = 0.2) -> bytes:
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(b"\x10\x00" * int(16_000 * seconds))
    return made.getvalue()


@pytest.fixture
async def ears() -> AsyncIterator[EarsServer]:
    async with EarsServer() as server:
        yield server


def write_hall(folder: Path, url: str, more: str = "") -> Path:
    write_story(folder)
    with (folder / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write("[ensemble]\naudio = false\n" + (f'[ears]\nbase_url = "{url}"\n{more}' if url else ""))
    return folder


@pytest.fixture
async def hall(tmp_path: Path, ears: EarsServer) -> AsyncIterator[Visitor]:
    async with served(write_hall(tmp_path / "hall", ears.url, 'language = "en"\n')) as visitor:
        yield visitor


def kept(visitor: Visitor) -> list[Path]:
    return sorted((visitor.studio.settings.data / "artifacts" / "ears").glob("*"))


def form(sound: bytes, **fields: str) -> aiohttp.FormData:
    made = aiohttp.FormData(fields)
    made.add_field("audio", sound, filename="question.wav", content_type="audio/wav")
    return made


async def test_a_spoken_question_is_answered_by_the_seats_and_as_loud_as_was_asked(hall: Visitor) -> None:
    asked = form(recording(), slots='[{"slotId": 2}, {"slotId": 5}]', speak="true")
    session = (await hall.ask("POST", SPOKEN, data=asked)).json["sessionId"]
    await hall.studio.engine.join()
    run = await hall.studio.ensemble.open_run(session)
    opened = run.entries[0].event
    assert ([seat.slot_id for seat in opened.cast], opened.audio) == ([2, 5], True)


@pytest.mark.parametrize(("field", "value"), [("slots", "[{"), ("slots", '[{"slotId": 9}]'), ("speak", "loudly")])
async def test_what_cannot_be_wished_for_is_refused_before_anything_is_heard(
    hall: Visitor, ears: EarsServer, field: str, value: str
) -> None:
    refused = await hall.ask("POST", SPOKEN, data=form(recording(), **{field: value}))
    assert (refused.status, ears.requests) == (422, [])


async def test_a_form_with_a_recording_is_heard_and_answered(hall: Visitor, ears: EarsServer) -> None:
    answer = await hall.ask("POST", SPOKEN, data=form(recording(), kiosk="foyer"))
    assert answer.status == 202, answer.text
    assert answer.json["text"] == "What is courage?"
    session = answer.json["sessionId"]
    await hall.studio.engine.join()
    manifest = (await hall.get(f"/v1/sessions/{session}")).json
    assert (manifest["message"], manifest["kiosk"], manifest["finished"]) == ("What is courage?", "foyer", True)
    (request,) = ears.requests
    assert request.sound == recording() == kept(hall)[0].read_bytes()
    assert (request.name, request.fields["language"]) == ("question.wav", "en")
    run = await hall.studio.ensemble.open_run(session)
    (heard,) = [entry.event for entry in run.entries if entry.event.type == "question.heard"]
    assert (heard.text, heard.path) == ("What is courage?", f"artifacts/ears/{answer.json['recording']}.wav")


async def test_the_sound_itself_may_be_the_body(hall: Visitor) -> None:
    answer = await hall.ask("POST", SPOKEN, data=recording(), headers={"Content-Type": "audio/wav"})
    assert answer.status == 202


async def test_a_recogniser_that_fails_loses_nothing_and_no_session_is_opened(hall: Visitor, ears: EarsServer) -> None:
    ears.refusals = [REFUSED]
    answer = await hall.ask("POST", SPOKEN, data=form(recording()))
    assert (answer.status, answer.code) == (502, "VOICE_REJECTED")
    assert "The recording is kept" in answer.json["error"]["message"]
    assert await hall.studio.runs.find("ensemble") == []
    named = answer.json["error"]["context"]["recording"]
    again = await hall.ask("POST", SPOKEN, data=aiohttp.FormData({"recording": named}, default_to_multipart=True))
    assert (again.status, again.json["recording"]) == (202, named)
    assert len(kept(hall)) == 1


@pytest.mark.parametrize("body", ["not json", [], {"words": 3}, {"text": None}])
async def test_an_answer_that_is_no_transcription_is_refused(hall: Visitor, ears: EarsServer, body: object) -> None:
    ears.refusals = [(200, body)]
    answer = await hall.ask("POST", SPOKEN, data=form(recording()))
    assert answer.code == "VOICE_UNREADABLE"
    assert len(kept(hall)) == 1


async def test_silence_is_said_to_be_silence(hall: Visitor, ears: EarsServer) -> None:
    ears.text = "  "
    answer = await hall.ask("POST", SPOKEN, data=form(recording()))
    assert answer.status == 422
    assert "Nothing was heard" in answer.json["error"]["message"]


@pytest.mark.parametrize("sound", [b"", b"hello", b"PK\x03\x04zip", "größe".encode()])
async def test_what_is_no_recording_is_refused_before_anybody_hears_it(
    hall: Visitor, ears: EarsServer, sound: bytes
) -> None:
    assert (await hall.ask("POST", SPOKEN, data=form(sound))).status == 422
    assert ears.requests == []
    assert kept(hall) == []


async def test_a_recording_that_is_too_large_and_a_form_that_is_none_are_refused(hall: Visitor) -> None:
    assert (await hall.ask("POST", SPOKEN, data=io.BytesIO(b"RIFF" + bytes(25_200_000)))).status == 413
    broken = {"Content-Type": "multipart/form-data; boundary=x"}
    assert (await hall.ask("POST", SPOKEN, data=b"no form", headers=broken)).status == 422
    for named in ("0" * 18, "../../dramaturg", "x"):
        answer = await hall.ask("POST", SPOKEN, data=aiohttp.FormData({"recording": named}, default_to_multipart=True))
        assert answer.code == "NOT_FOUND"


async def test_without_a_recogniser_the_sound_is_kept_and_the_way_to_one_is_told(tmp_path: Path) -> None:
    async with served(write_hall(tmp_path / "deaf", "")) as visitor:
        answer = await visitor.ask("POST", SPOKEN, data=form(recording()))
        assert answer.status == 503
        assert "base_url under [ears]" in answer.json["error"]["message"]
        assert len(kept(visitor)) == 1


async def test_the_key_is_sent_and_never_said(tmp_path: Path, ears: EarsServer) -> None:
    from dramaturg.kernel.settings import read_settings
    from dramaturg.server.app import create_app

    hall = write_hall(tmp_path / "keyed", ears.url, 'key_env = "EARS_KEY"\n')
    async with served(create_app(read_settings(hall, {"EARS_KEY": "sk-quiet"}, trust=True))) as visitor:
        ears.refusals = [(401, {"error": {"message": "Incorrect API key provided: sk-quiet"}})]
        answer = await visitor.ask("POST", SPOKEN, data=form(recording()))
        assert ears.requests[0].key == "Bearer sk-quiet"
        assert "sk-quiet" not in answer.text


@pytest.mark.parametrize("piped", [False, True])
async def test_the_command_line_hears_a_file_or_a_pipe(tmp_path: Path, ears: EarsServer, piped: bool) -> None:
    hall, file = write_hall(tmp_path / "hall", ears.url), tmp_path / "question.wav"
    file.write_bytes(recording())
    asking = await warm.start(
        "-m", "dramaturg", "ensemble", "ask", "--spoken", "-" if piped else str(file), "--trust",
        "--project", str(hall), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE, env=clean_environment(tmp_path),
    )  # fmt: skip
    out, err = await asking.communicate(recording() if piped else None)
    assert asking.returncode == 0, err.decode()
    assert "Heard: What is courage?" in err.decode()
    assert out


async def test_a_question_is_typed_or_spoken_not_both_and_not_neither(tmp_path: Path) -> None:
    hall = write_hall(tmp_path / "hall", "")
    for words in (["Why?", "--spoken", "x.wav"], [], ["--spoken", "missing.wav"]):
        asking = await warm.start(
            "-m", "dramaturg", "ensemble", "ask", *words, "--project", str(hall),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=clean_environment(tmp_path),
        )  # fmt: skip
        _, err = await asking.communicate()
        assert asking.returncode == 2, err.decode()
        assert "Traceback" not in err.decode()
