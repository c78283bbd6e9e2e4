"""Programmes made over HTTP, and scenes and acts voiced: begun, followed, fetched, and refused in a sentence."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dramaturg.voices.providers.media import probe
from tests.scenes.exports.vtt_reader import read_vtt
from tests.server.event_stream import server_sent
from tests.server.visitor import Visitor, served, write_spoken_story
from tests.voices.test_publication import music


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return write_spoken_story(tmp_path / "story")


@pytest.fixture
async def guest(story: Path) -> AsyncIterator[Visitor]:
    async with served(story) as visitor:
        yield visitor


async def acted(visitor: Visitor) -> str:
    run: str = (await visitor.post("/v1/acts", {"act": "quarrel"})).json["run"]
    await visitor.to_the_end(run)
    await visitor.studio.engine.join()
    return run


async def asked(visitor: Visitor) -> str:
    body = {"message": "What is courage?", "slots": [1, 2]}
    async with visitor.session.post(f"{visitor.url}/v1/chat", json=body) as response:
        sent = [event async for _, event in server_sent(response)]
    session: str = sent[0]["sessionId"]
    await visitor.studio.engine.join()
    return session


async def finished(visitor: Visitor, path: str) -> dict[str, Any]:
    """What is at a path once all jobs are over."""
    await visitor.server.config.app.state.speech_jobs.join()  # type: ignore[union-attr]
    found: dict[str, Any] = (await visitor.get(path)).json
    return found


async def test_a_programme_is_found_at_its_address_whatever_letters_its_name_has(guest: Visitor) -> None:
    base = f"/v1/runs/{await asked(guest)}/programmes"
    started = await guest.post(base, {"name": "١ é"})
    assert started.status == 202
    assert (await guest.get(started.headers["location"])).json["name"] == "١ é"


async def test_a_session_is_made_into_a_programme_and_its_files_are_fetched(guest: Visitor) -> None:
    session = await asked(guest)
    base = f"/v1/runs/{session}/programmes"
    assert (await guest.get(base)).json == {"programmes": []}
    started = await guest.post(base, {"formats": ["mp3", "wav"], "name": "evening", "kbps": 32})
    assert (started.status, started.headers["location"]) == (202, f"{base}/evening")
    made = await finished(guest, f"{base}/evening")
    assert (made["status"], made["error"]) == ("done", None)
    files = {one["file"]: one for one in made["files"]}
    assert set(files) == {
        "evening.mp3",
        "evening.wav",
        *(f"evening.{end}" for end in ("vtt", "srt", "chapters.vtt", "words.json")),
    }
    folder = guest.studio.artifacts.root / "programmes"
    for name, file in files.items():
        async with guest.session.get(guest.url + file["href"]) as response:
            assert (response.status, response.headers["content-type"]) == (200, file["type"])
            assert await response.read() == (folder / name).read_bytes()
        async with guest.session.head(guest.url + file["href"]) as response:
            assert response.status == 200
    assert [one.title for one in probe(folder / "evening.mp3").chapters] == [
        chapter["title"] for chapter in made["publication"]["chapters"]
    ]
    assert made["publication"]["chapters"][0]["title"] == "The question"
    assert read_vtt((folder / "evening.vtt").read_text(encoding="utf-8")).cues
    assert [one["name"] for one in (await guest.get(base)).json["programmes"]] == ["evening"]


async def test_an_act_is_voiced_line_by_line_and_made_into_a_programme(guest: Visitor) -> None:
    run = await acted(guest)
    assert (await guest.get(f"/v1/runs/{run}/voice")).status == 404
    started = await guest.post(f"/v1/runs/{run}/voice", {"engine": "silent"})
    assert (started.status, started.headers["location"]) == (202, f"/v1/runs/{run}/voice")
    voiced = await finished(guest, f"/v1/runs/{run}/voice")
    assert (voiced["status"], voiced["engine"], voiced["missing"]) == ("done", "silent", [])
    assert voiced["linesDone"] == voiced["linesTotal"] == len(voiced["spoken"]) > 1
    assert len(list(guest.studio.artifacts.root.rglob("lines/silent/*.wav"))) == len(voiced["spoken"])
    again = await guest.post(f"/v1/runs/{run}/voice")
    assert again.status == 202
    refused = await finished(guest, f"/v1/runs/{run}/voice")
    assert refused["status"] == "failed"
    assert "Every line of this act has its sound" in refused["error"]["message"]
    one = await guest.post(f"/v1/runs/{run}/voice", {"line": int(voiced["spoken"][1])})
    assert one.status == 202
    assert (await finished(guest, f"/v1/runs/{run}/voice"))["spoken"] == [voiced["spoken"][1]]
    base = f"/v1/runs/{run}/programmes"
    name = (await guest.post(base, {"formats": ["wav"]})).json["name"]
    made = await finished(guest, f"{base}/{name}")
    assert (made["status"], made["linesDone"], made["publication"]["kind"]) == ("done", made["linesTotal"], "act")


async def test_a_session_is_voiced_by_the_same_request_as_a_scene(guest: Visitor) -> None:
    session = await asked(guest)
    started = await guest.post(f"/v1/runs/{session}/voice", {"engine": "silent", "slot": 1})
    assert (started.status, started.json["events"]) == (202, f"/v1/sessions/{session}/events")
    await guest.studio.engine.join()
    scene = await guest.play()
    await guest.to_the_end(scene)
    await guest.studio.engine.join()
    assert (await guest.post(f"/v1/runs/{scene}/voice")).status == 202
    assert (await finished(guest, f"/v1/runs/{scene}/voice"))["status"] == "done"
    refused = await guest.post(f"/v1/runs/{scene}/voice", {"slot": 2})
    assert refused.status == 202
    assert "A scene has no slots" in (await finished(guest, f"/v1/runs/{scene}/voice"))["error"]["message"]


async def test_what_was_made_is_found_by_the_next_server(story: Path) -> None:
    async with served(story) as first:
        session = await asked(first)
        await first.post(f"/v1/runs/{session}/programmes", {"formats": ["wav"], "name": "kept"})
        await finished(first, f"/v1/runs/{session}/programmes/kept")
    async with served(story) as second:
        made = (await second.get(f"/v1/runs/{session}/programmes/kept")).json
    assert (made["status"], made["publication"]["run"]) == ("done", session)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"formats": ["wma"]}, "formats"),
        ({"formats": []}, "formats"),
        ({"name": "../../x"}, "cannot name a file"),
        ({"name": ".hidden"}, "cannot name a file"),
        ({"music": "nowhere.mp3"}, "nowhere.mp3 cannot be read"),
        ({"music": "../../../etc/passwd"}, "music: '../../../etc/passwd' is not inside the project; give a path below"),
        ({"music": "/etc/passwd"}, "music: '/etc/passwd' is not inside the project; give a path below its folder"),
        ({"music": "link.mp3"}, "music: 'link.mp3' is not inside the project. Give a relative path"),
        ({"music": "bed.wav", "musicDb": -20, "duckDb": -3}, "music gives way"),
        ({"kbps": 9000}, "kbps"),
    ],
)
async def test_what_cannot_be_made_is_refused_at_once(
    guest: Visitor, story: Path, body: dict[str, Any], said: str
) -> None:
    music(story / "bed.wav", 22_050, 1)
    (story / "link.mp3").symlink_to("/etc/passwd")
    session = await asked(guest)
    refused = await guest.post(f"/v1/runs/{session}/programmes", body)
    assert refused.status == 422, refused.text
    assert said in refused.json["error"]["message"]
    assert str(story) not in refused.text


async def test_what_fails_later_says_why_in_the_same_words(guest: Visitor, story: Path) -> None:
    (story / "noise.mp3").write_text("not a sound", encoding="utf-8")
    session = await asked(guest)
    base = f"/v1/runs/{session}/programmes"
    assert (await guest.post(base, {"music": "noise.mp3", "name": "bad"})).status == 202
    failed = await finished(guest, f"{base}/bad")
    assert (failed["status"], failed["files"]) == ("failed", [])
    assert "cannot be read as sound" in failed["error"]["message"]
    assert str(story) not in json.dumps(failed)


async def test_a_programme_of_another_run_is_not_given_out(guest: Visitor) -> None:
    session = await asked(guest)
    base = f"/v1/runs/{session}/programmes"
    await guest.post(base, {"formats": ["wav"], "name": "mine"})
    await finished(guest, f"{base}/mine")
    other = await asked(guest)
    assert (await guest.get(f"/v1/runs/{other}/programmes/mine")).status == 404
    assert (await guest.get(f"/v1/runs/{other}/programmes/mine/mine.wav")).status == 404
    assert (await guest.get(f"{base}/mine/mine.publication.json")).status == 404
    assert (await guest.get(f"{base}/mine/..%2F..%2Fdramaturg.toml")).status == 404
    taken = await guest.post(f"/v1/runs/{other}/programmes", {"formats": ["wav"], "name": "mine"})
    assert taken.status == 202
    failed = await finished(guest, f"/v1/runs/{other}/programmes/mine")
    assert "is another programme" in failed["error"]["message"]
