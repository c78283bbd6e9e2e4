"""The ensemble over HTTP: asked, followed, cut off and taken up again, mirrored to other stages."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from dramaturg.ensemble.state import ensemble_state
from dramaturg.kernel.settings import read_settings
from dramaturg.server.push.osc import read_address
from tests.server.event_stream import server_sent
from tests.server.visitor import Visitor, served, write_story

SILENT = '[models]\ndefault = "rehearsal"\n[voices]\nengine = "silent"\n'


@pytest.fixture
def story(tmp_path: Path) -> Path:
    folder = write_story(tmp_path / "story")
    (folder / "dramaturg.toml").write_text(SILENT, encoding="utf-8")
    return folder


async def sent(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    """Every event of a stream, its payload with its id."""
    async for fields, payload in server_sent(response):
        assert payload["event"] == fields["event"]
        yield {**payload, "id": fields.get("id")}


async def ask(visitor: Visitor, message: str = "What is courage?", **more: Any) -> list[dict[str, Any]]:
    async with visitor.session.post(f"{visitor.url}/v1/chat", json={"message": message, **more}) as response:
        return [event async for event in sent(response)]


async def follow(visitor: Visitor, session: str, **headers: str) -> list[dict[str, Any]]:
    async with visitor.session.get(f"{visitor.url}/v1/sessions/{session}/events", headers=headers) as response:
        return [event async for event in sent(response)]


async def test_one_request_is_answered_in_three_turns(visitor: Visitor) -> None:
    events = await ask(visitor)
    names = [event["event"] for event in events]
    assert names.count("turn.start") == 3
    assert names[-1] == "done"
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {event["sessionId"] for event in events} == {events[0]["sessionId"]}
    assert all(event["id"] == f"{event['sessionId']}:{event['seq']}" for event in events)


async def test_every_sound_that_is_announced_can_be_fetched(visitor: Visitor) -> None:
    events = await ask(visitor, slots=[1, 2])
    sounds = [event for event in events if event["event"] == "slot.audio"]
    assert len(sounds) >= 4
    for sound in sounds:
        async with visitor.session.get(f"{visitor.url}/v1/audio/{sound['audioPath']}") as response:
            assert response.status == 200
            assert response.headers["ETag"] == f'"{sound["sha256"]}"'
            assert len(await response.read()) == sound["bytes"]


async def test_who_is_cut_off_after_the_first_slot_gets_everything_on_reconnecting(visitor: Visitor) -> None:
    async with visitor.session.post(f"{visitor.url}/v1/chat", json={"message": "What is courage?"}) as response:
        async for event in sent(response):
            if event["event"] == "slot.start":
                break
        last = event["id"]
    rest = await follow(visitor, event["sessionId"], **{"Last-Event-ID": last})
    assert [one["seq"] for one in rest] == list(range(event["seq"] + 1, event["seq"] + 1 + len(rest)))
    assert rest[-1]["event"] == "done"
    whole = await follow(visitor, event["sessionId"])
    assert whole[event["seq"] :] == rest


async def test_a_replay_is_what_was_live(visitor: Visitor) -> None:
    live = await ask(visitor, slots=[1, 2, 3])
    assert await follow(visitor, live[0]["sessionId"]) == live


async def test_when_nothing_is_left_the_answer_is_204(visitor: Visitor) -> None:
    events = await ask(visitor, slots=[1])
    session, last = events[0]["sessionId"], events[-1]["id"]
    path = f"/v1/sessions/{session}/events"
    assert (await visitor.get(path, headers={"Last-Event-ID": last})).status == 204
    assert (await visitor.get(f"{path}?lastEventId={last}")).status == 204


@pytest.mark.parametrize("known", ["somebody:7", "{session}:999"])
async def test_an_id_that_the_session_does_not_have_begins_again_and_says_so(visitor: Visitor, known: str) -> None:
    live = await ask(visitor, slots=[1])
    session = live[0]["sessionId"]
    again = await follow(visitor, session, **{"Last-Event-ID": known.format(session=session)})
    assert again[0]["event"] == "stream.reset"
    assert again[1:] == live


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"message": "  "}, "empty"),
        ({"message": "x", "slots": []}, "slot"),
        ({"message": "x", "slots": [1, 2, 3, 4, 5, 6, 7]}, "slot"),
        ({"message": "x", "slots": [2, 2]}, "2"),
        ({"message": "y" * 900_000}, "characters"),
        ({"slots": [1]}, "message"),
        ({"message": "x", "slots": [{"slotId": 1, "model": "nobody/none"}]}, "nobody"),
    ],
)
async def test_bad_requests_are_refused_in_the_one_shape(visitor: Visitor, body: dict[str, Any], said: str) -> None:
    answer = await visitor.post("/v1/chat", body)
    assert answer.status == 422
    assert answer.code
    assert said in answer.text


async def test_what_is_not_json_is_refused(visitor: Visitor) -> None:
    answer = await visitor.ask("POST", "/v1/chat", data=b"hello", headers={"Content-Type": "text/plain"})
    assert (answer.status, answer.code) == (422, "INVALID_CONFIG")


async def test_a_session_can_be_read_as_its_manifest(visitor: Visitor) -> None:
    events = await ask(visitor, slots=[1, 2])
    session = events[0]["sessionId"]
    manifest = (await visitor.get(f"/v1/sessions/{session}")).json
    assert manifest["finished"] is True
    assert (await visitor.get(f"/v1/sessions/{session}/session.json")).json["sessionId"] == session
    assert (await visitor.get("/v1/sessions")).json["sessions"][0]["run"] == session
    scene = await visitor.play()
    assert (await visitor.get(f"/v1/sessions/{scene}")).code == "NOT_FOUND"


async def test_a_reset_is_accepted_with_and_without_a_kiosk(visitor: Visitor) -> None:
    assert (await visitor.post("/v1/reset")).status == 204
    assert (await visitor.post("/v1/reset", {"kiosk": "hall"})).status == 204


@pytest.mark.parametrize(
    ("address", "body"),
    [("/v1/reset?kiosk=hall", None), ("/v1/reset?kiosk=hall", {}), ("/v1/reset", {"kiosk": "hall"})],
)
async def test_a_reset_clears_the_kiosk_it_names_and_no_other(
    visitor: Visitor, address: str, body: dict[str, str] | None
) -> None:
    for kiosk in ("main", "hall"):
        await ask(visitor, kiosk=kiosk, slots=[1], audio=False)
    assert (await visitor.post(address, body)).status == 204
    goes_on = {}
    for kiosk in ("main", "hall"):
        events = await ask(visitor, kiosk=kiosk, slots=[1], audio=False)
        begun = ensemble_state((await visitor.studio.ensemble.open_run(events[0]["sessionId"])).entries).begun
        goes_on[kiosk] = begun is not None and begun.follows is not None
    assert goes_on == {"main": True, "hall": False}
    assert (await visitor.post("/v1/reset?kiosk=../up")).code == "INVALID_CONFIG"


async def test_twenty_requests_at_once_are_all_answered_in_order(visitor: Visitor) -> None:
    asked = [ask(visitor, f"Question {number}?", slots=[1, 2], audio=False) for number in range(20)]
    sessions = await asyncio.gather(*asked)
    assert all(events[-1]["event"] == "done" for events in sessions)
    assert len({events[0]["sessionId"] for events in sessions}) == 20


async def test_a_second_request_is_refused_where_the_settings_say_so(story: Path) -> None:
    (story / "dramaturg.toml").write_text(SILENT + '[ensemble]\nwhen_busy = "refuse"\n', encoding="utf-8")
    async with served(story) as visitor:
        answers = await asyncio.gather(*(visitor.post("/v1/chat", {"message": "Who?"}) for _ in range(4)))
        assert {answer.status for answer in answers} == {200, 409}
        assert next(answer for answer in answers if answer.status == 409).code == "FENCED"


async def test_a_websocket_mirrors_one_session_from_any_number_on(visitor: Visitor) -> None:
    live = await ask(visitor, slots=[1, 2])
    session = live[0]["sessionId"]
    async with visitor.session.ws_connect(f"{visitor.url}/v1/ws?session={session}&after=3") as stage:
        heard = [json.loads(message.data) async for message in stage]
    assert [event["seq"] for event in heard] == [event["seq"] for event in live[3:]]


async def test_a_websocket_without_a_session_hears_whatever_is_asked(visitor: Visitor) -> None:
    async with visitor.session.ws_connect(f"{visitor.url}/v1/ws") as stage:
        live = await ask(visitor, slots=[1, 2])
        heard = []
        async for message in stage:
            heard.append(json.loads(message.data))
            if heard[-1]["event"] == "done":
                break
    assert [event["seq"] for event in heard] == [event["seq"] for event in live]


@pytest.mark.parametrize("wanted", ["session=nobody", "kiosk=../hall"])
async def test_a_websocket_for_what_nobody_knows_is_closed_with_a_reason(visitor: Visitor, wanted: str) -> None:
    async with visitor.session.ws_connect(f"{visitor.url}/v1/ws?{wanted}") as stage:
        message = await stage.receive()
        assert message.type is aiohttp.WSMsgType.CLOSE
        assert stage.close_code == 4404


async def test_a_page_of_another_site_may_not_open_a_websocket(visitor: Visitor) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await visitor.session.ws_connect(f"{visitor.url}/v1/ws", origin="http://evil.example")


async def test_events_are_sent_as_osc_with_the_path_of_each_file(story: Path) -> None:
    from pythonosc.osc_message import OscMessage

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stage:
        stage.bind(("127.0.0.1", 0))
        stage.settimeout(10)
        settings = SILENT + f'[ensemble]\nosc = "127.0.0.1:{stage.getsockname()[1]}"\n'
        (story / "dramaturg.toml").write_text(settings, encoding="utf-8")
        async with served(read_settings(story, {})) as visitor:
            await ask(visitor, slots=[1, 2])
            heard = []
            while not heard or heard[-1].address != "/dramaturg/done":
                heard.append(OscMessage(await asyncio.to_thread(stage.recv, 65535)))
    audio = [message.params for message in heard if message.address == "/dramaturg/slot/audio"]
    assert {(turn, slot) for turn, slot, *_ in audio} >= {(1, 1), (1, 2), (2, 1), (2, 2)}
    for _, _, path, seconds, _session, kiosk in audio:
        assert kiosk == "main"
        assert Path(path).is_file()
        assert seconds > 0


@pytest.mark.parametrize(
    "address", ["localhost", "x:y", ":7000", "host:0", "host:70000", "[]:7000", "host:" + "9" * 5000]
)
def test_an_osc_address_that_cannot_be_is_refused(address: str) -> None:
    from dramaturg.kernel.errors import InvalidSettings

    with pytest.raises(InvalidSettings, match="host:port"):
        read_address(address)


async def test_the_seats_and_the_voices_to_choose_from_can_be_listed(visitor: Visitor) -> None:
    listed = (await visitor.get("/v1/ensemble")).json
    assert [one["slot"] for one in listed["slots"]] == [1, 2, 3, 4, 5, 6]
    assert all(one["agent"] and one["persona"] for one in listed["slots"])
    profiles = {one["name"] for one in listed["profiles"]}
    assert {one["voiceProfile"] for one in listed["slots"]} <= profiles
    silent = next(one for one in listed["engines"] if one["engine"] == "silent")
    assert silent["usable"]
    assert listed["engine"] == "silent"


async def test_a_session_is_heard_as_one_mix_with_ranges(story: Path) -> None:
    (story / "dramaturg.toml").write_text(SILENT.replace("silent", "hibari"), encoding="utf-8")
    async with served(story) as visitor:
        events = await ask(visitor, "Why?", slots=[1, 2])
        path = f"{visitor.url}/v1/sessions/{events[0]['sessionId']}/programme.wav"
        async with visitor.session.get(path) as response:
            assert response.status == 200
            sound = await response.read()
        async with visitor.session.get(path, headers={"Range": "bytes=0-43"}) as response:
            assert response.status == 206
            assert await response.read() == sound[:44]
    assert sound[:4] == b"RIFF"
    assert int.from_bytes(sound[4:8], "little") == len(sound) - 8
    spoken = sum(event["durationMs"] for event in events if event["event"] == "slot.audio")
    assert len(sound) > 44 + spoken * 48 * 4  # stereo, 16 bit, 48 kHz, and the gaps between


async def test_a_session_that_was_played_as_text_says_how_it_can_be_heard(visitor: Visitor) -> None:
    session = (await ask(visitor, slots=[1], audio=False))[0]["sessionId"]
    for path in (f"/v1/sessions/{session}/programme.wav", f"/v1/runs/{session}/programme"):
        answer = await visitor.get(path)
        assert (answer.status, answer.code) == (409, "NOT_SPOKEN")
        assert "was played as text" in answer.text
        assert f"POST /v1/sessions/{session}/voice." in answer.json["error"]["message"]


async def test_whoever_looks_at_a_session_of_the_ensemble_is_not_counted_as_a_player(story: Path) -> None:
    limits = "[players]\nper_address = 1\nburst = 1\n"
    (story / "dramaturg.toml").write_text(SILENT + limits, encoding="utf-8")
    async with served(story) as visitor:
        session = (await ask(visitor, slots=[1], audio=False))[0]["sessionId"]
        assert {(await visitor.get(f"/v1/sessions/{session}")).status for _ in range(110)} == {200}


async def test_a_session_is_voiced_later_and_its_stream_goes_on_where_it_ended(visitor: Visitor) -> None:
    events = await ask(visitor, slots=[1, 2], audio=False)
    session, last = events[0]["sessionId"], events[-1]["id"]
    path = f"{visitor.url}/v1/sessions/{session}"
    async with visitor.session.post(f"{path}/voice") as response:
        assert response.status == 202
        started = await response.json()
        assert response.headers["Location"] == f"/v1/sessions/{session}/events"
    assert (started["engine"], len(started["lines"])) == ("silent", 6)
    new = await follow(visitor, session, **{"Last-Event-ID": last})
    names = [event["event"] for event in new]
    assert (names[0], names[-1]) == ("session.voicing", "session.voiced")
    assert names.count("slot.audio") == 6
    assert [event["seq"] for event in new] == list(range(len(events) + 1, len(events) + len(new) + 1))
    for event in new:
        if event["event"] == "slot.audio":
            async with visitor.session.get(f"{visitor.url}/v1/audio/{event['audioPath']}") as sound:
                assert sound.status == 200
    async with visitor.session.post(f"{path}/voice", json={"line": 99}) as response:
        assert (response.status, "no line 99" in await response.text()) == (404, True)
    async with visitor.session.post(f"{path}/voice", json={"engine": "gramophone"}) as response:
        assert response.status == 422
    async with visitor.session.post(f"{path}/voice") as response:
        assert (response.status, "has its sound" in await response.text()) == (422, True)
