"""The edges of sessions over HTTP: HEAD, links that lead somewhere, deletion with and without sound, resuming by id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.scenes.exports.vtt_reader import read_vtt
from tests.server.event_stream import server_sent
from tests.server.visitor import Visitor, served, write_spoken_story


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return write_spoken_story(tmp_path / "story")


async def ask(visitor: Visitor, message: str = "What is courage?", **more: Any) -> list[dict[str, Any]]:
    headers = more.pop("headers", {})
    path = f"{visitor.url}/v1/chat"
    async with visitor.session.post(path, json={"message": message, **more}, headers=headers) as response:
        return [] if response.status == 204 else [event async for _, event in server_sent(response)]


async def test_every_sound_answers_to_head_as_to_get_without_the_body(visitor: Visitor) -> None:
    events = await ask(visitor, slots=[1, 2])
    session = events[0]["sessionId"]
    sound = next(event for event in events if event["event"] == "slot.audio")
    for path in (
        f"/v1/audio/{sound['audioPath']}",
        f"/v1/sessions/{session}/session.json",
        f"/v1/sessions/{session}/programme.wav",
    ):
        async with visitor.session.head(visitor.url + path) as head, visitor.session.get(visitor.url + path) as got:
            assert (head.status, await head.read()) == (200, b"")
            for name in ("Content-Type", "Content-Length", "ETag", "Accept-Ranges"):
                assert head.headers[name] == got.headers[name], (path, name)
            assert len(await got.read()) == int(head.headers["Content-Length"])
    async with visitor.session.head(f"{visitor.url}/v1/audio/tts/sessions/nobody/x.wav") as missing:
        assert missing.status == 404


async def test_every_link_of_every_kind_of_run_leads_somewhere(visitor: Visitor) -> None:
    await ask(visitor, slots=[1], audio=False)
    scene = await visitor.play()
    _ = [entry async for entry in visitor.follow(scene)]
    act = (await visitor.post("/v1/acts", {"act": "quarrel"})).json["run"]
    _ = [entry async for entry in visitor.follow(act)]
    listed = (await visitor.get("/v1/runs")).json["runs"]
    assert {run["kind"] for run in listed} == {"ensemble", "scene", "act"}
    ends = {"exports": "/json", "why": "/1"}
    for run in listed:
        for name, link in run["links"].items():
            if link is None or name in ("cancel", "resume", "fork"):
                continue
            answer = await visitor.get(link + ends.get(name, ""))
            assert answer.status == 200, (run["kind"], name, answer.text)
    session = next(run for run in listed if run["kind"] == "ensemble")["links"]
    assert {name for name, link in session.items() if link} == {
        "self", "events", "transcript", "costs", "cancel", "resume", "exports",
    }  # fmt: skip


async def test_a_session_is_read_as_text_and_exported_in_every_format(visitor: Visitor) -> None:
    events = await ask(visitor, "What is *courage*?", slots=[1, 2])
    session = events[0]["sessionId"]
    said = [event.get("text") or event["comment"] for event in events if event["event"] == "slot.done"]
    transcript = (await visitor.get(f"/v1/runs/{session}/transcript")).text
    assert all(line in transcript for line in said)
    texts = {}
    for form in ("markdown", "txt", "json", "vtt", "srt"):
        answer = await visitor.get(f"/v1/runs/{session}/exports/{form}")
        assert answer.status == 200, answer.text
        assert f"session-{session}" in answer.headers["content-disposition"]
        texts[form] = answer.text
    assert texts["markdown"].startswith("# What is \\*courage\\*?\n")
    assert texts["txt"].startswith("What is *courage*?\n")
    assert json.loads(texts["json"])["sessionId"] == session
    assert texts["vtt"].count("-->") == texts["srt"].count("-->") >= len(said)
    shown = " ".join(row for cue in read_vtt(texts["vtt"]).cues for row in cue.rows)
    assert all(line in shown for line in said)
    assert texts["srt"].startswith("1\n00:00:00,400 --> ")
    assert (await visitor.get(f"/v1/runs/{session}/exports/fountain")).code == "INVALID_CONFIG"
    table = (await visitor.get(f"/v1/runs/{session}/costs")).json
    assert table["total"]["calls"] >= len(said)


async def test_subtitles_of_a_session_without_sound_are_refused_with_the_reason(visitor: Visitor) -> None:
    session = (await ask(visitor, slots=[1], audio=False))[0]["sessionId"]
    answer = await visitor.get(f"/v1/runs/{session}/exports/vtt")
    assert answer.code == "INVALID_CONFIG"
    assert "not spoken" in answer.text


@pytest.mark.parametrize(("query", "kept"), [("", True), ("?keep_audio=true", True), ("?keep_audio=false", False)])
async def test_a_deleted_run_takes_its_sound_along_only_if_asked(
    visitor: Visitor, story: Path, query: str, kept: bool
) -> None:
    session = (await ask(visitor, slots=[1, 2]))[0]["sessionId"]
    other = (await ask(visitor, slots=[1]))[0]["sessionId"]
    folder = story / "data" / "artifacts" / "tts" / "sessions"
    assert list((folder / session).rglob("*.wav"))
    assert (await visitor.ask("DELETE", f"/v1/runs/{session}{query}")).status == 204
    assert (await visitor.get(f"/v1/runs/{session}")).status == 404
    assert (folder / session).exists() == kept
    assert list((folder / other).rglob("*.wav"))


async def test_whether_to_keep_the_sound_is_true_or_false(visitor: Visitor) -> None:
    session = (await ask(visitor, slots=[1], audio=False))[0]["sessionId"]
    refused = await visitor.ask("DELETE", f"/v1/runs/{session}?keep_audio=maybe")
    assert (refused.status, refused.json["error"]["message"]) == (422, "query.keep_audio: expected true or false.")


async def test_a_scene_that_is_deleted_with_its_sound_keeps_its_transcript(visitor: Visitor, story: Path) -> None:
    run = await visitor.play()
    _ = [entry async for entry in visitor.follow(run)]
    from dramaturg.voices.listen import ListenRequest

    heard = await visitor.studio.listen(run, ListenRequest())
    folder = heard.wav.parent
    mine = folder / "my-own-notes.txt"
    mine.write_text("keep", encoding="utf-8")
    assert (await visitor.ask("DELETE", f"/v1/runs/{run}?keep_audio=false")).status == 204
    assert not list(folder.rglob("*.wav"))
    assert not list(folder.glob("programme*"))
    assert mine.exists()
    assert (folder / "transcript.txt").exists()


async def test_a_request_that_is_repeated_with_the_last_id_resumes_and_asks_nothing_again(visitor: Visitor) -> None:
    live = await ask(visitor, slots=[1], audio=False)
    last = f"{live[0]['sessionId']}:3"
    again = await ask(visitor, slots=[1], audio=False, headers={"Last-Event-ID": last})
    assert again == live[3:]
    end = f"{live[0]['sessionId']}:{len(live)}"
    assert await ask(visitor, slots=[1], audio=False, headers={"Last-Event-ID": end}) == []
    other = await ask(visitor, "Something else?", slots=[1], audio=False, headers={"Last-Event-ID": last})
    assert other[0]["sessionId"] != live[0]["sessionId"]
    assert len((await visitor.get("/v1/sessions")).json["sessions"]) == 2


async def test_every_stream_takes_the_last_id_by_header_and_by_query(visitor: Visitor) -> None:
    live = await ask(visitor, slots=[1], audio=False)
    session = live[0]["sessionId"]
    scene = await visitor.play()
    whole = [entry async for entry in visitor.follow(scene)]
    for path, header, rest in (
        (f"/v1/runs/{scene}/events", str(whole[2].id), [one.id for one in whole[3:]]),
        (f"/v1/sessions/{session}/events", f"{session}:3", [event["seq"] for event in live[3:]]),
    ):
        for how in ({"headers": {"Last-Event-ID": header}}, {"params": {"lastEventId": header}}):
            async with visitor.session.get(visitor.url + path, **how) as response:
                seen = [int(fields["id"].rpartition(":")[2]) async for fields, _ in server_sent(response)]
            assert seen == rest, (path, how)
    async with visitor.session.ws_connect(f"{visitor.url}/v1/ws?lastEventId={session}:3") as stage:
        heard = [json.loads(message.data)["seq"] async for message in stage]
    assert heard == [event["seq"] for event in live[3:]]


async def test_a_question_of_a_hundred_kilobytes_is_refused_and_leaves_nothing(story: Path) -> None:
    async with served(story) as visitor:
        answer = await visitor.post("/v1/chat", {"message": "why? " * 20_000})
        assert (answer.status, answer.code) == (422, "INVALID_CONFIG")
        assert "at most 4,000" in answer.text
        assert (await visitor.get("/v1/sessions")).json["sessions"] == []
