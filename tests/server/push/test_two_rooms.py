"""Two rooms and more: every event says whose it is, on every wire, and a stage that is gone holds up nobody."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import socket
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dramaturg.ensemble.wire import SessionEvent, SlotAudio, SlotDone
from dramaturg.kernel.settings import read_settings
from dramaturg.server.push.osc import OscSender, osc_message
from dramaturg.server.reaper import Reaper
from dramaturg.studio import Studio
from tests.kernel.runs.test_engine import a_dead_process
from tests.server.event_stream import server_sent
from tests.server.visitor import Visitor, served, write_story

ROOT = Path(__file__).parents[3]
SILENT = '[models]\ndefault = "rehearsal"\n[voices]\nengine = "silent"\n'


@pytest.fixture
def story(tmp_path: Path) -> Path:
    folder = write_story(tmp_path / "story")
    (folder / "dramaturg.toml").write_text(SILENT, encoding="utf-8")
    return folder


async def ask(visitor: Visitor, message: str, **more: Any) -> list[dict[str, Any]]:
    async with visitor.session.post(f"{visitor.url}/v1/chat", json={"message": message, **more}) as response:
        return [event async for _, event in server_sent(response)]


def the_example() -> ModuleType:
    """The stage of the examples, as a patch author would copy it."""
    spec = importlib.util.spec_from_file_location("rooms", ROOT / "examples" / "two-rooms" / "rooms.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["rooms"] = module
    spec.loader.exec_module(module)
    return module


@contextmanager
def a_port() -> Iterator[tuple[socket.socket, int]]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        sock.settimeout(30)
        # Sixty kiosks at once: the receiver of a test reads only afterwards.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**22)
        yield sock, sock.getsockname()[1]


async def test_the_stream_of_each_kiosk_says_what_was_asked_and_where(story: Path) -> None:
    async with served(story) as visitor:
        left, right = await asyncio.gather(
            ask(visitor, "What is courage?", kiosk="left", slots=[1, 2]),
            ask(visitor, "What is worth keeping?", kiosk="right", slots=[3]),
        )
    for events, kiosk, question, slots in (
        (left, "left", "What is courage?", [1, 2]),
        (right, "right", "What is worth keeping?", [3]),
    ):
        assert {(event["kiosk"], event["sessionId"]) for event in events} == {(kiosk, events[0]["sessionId"])}
        assert events[0]["event"] == "session.question"
        assert (events[0]["message"], events[0]["slots"], events[0]["seq"]) == (question, slots, 1)


async def test_every_address_is_told_and_one_that_is_gone_disturbs_no_other(story: Path) -> None:
    with a_port() as (left, one), a_port() as (right, two):
        told = f'osc = ["nobody.invalid:7000", "127.0.0.1:{one}", "[::1]:9", "127.0.0.1:{two}", "127.0.0.1:{one}"]'
        (story / "dramaturg.toml").write_text(f"{SILENT}[ensemble]\n{told}\n", encoding="utf-8")
        async with served(read_settings(story, {}, trust=True)) as visitor:
            events = await ask(visitor, "What is courage?", slots=[1, 2])
            heard = [[await asyncio.to_thread(sock.recv, 65535) for _ in events] for sock in (left, right)]
            for sock in (left, right):
                sock.setblocking(False)
                with pytest.raises(BlockingIOError):  # an address that is named twice is told once
                    sock.recv(65535)
    assert heard[0] == heard[1]
    assert sum(b"/dramaturg/slot/audio" in one for one in heard[0]) == 6


def test_one_address_or_several_may_be_named(tmp_path: Path) -> None:
    for written, meant in (
        ('osc = "127.0.0.1:7000"', ("127.0.0.1:7000",)),
        ('osc = ["127.0.0.1:7000", " 127.0.0.1:7001 ", ""]', ("127.0.0.1:7000", "127.0.0.1:7001")),
        ("osc = []", ()),
        ("", ()),
    ):
        (tmp_path / "dramaturg.toml").write_text(f"[ensemble]\n{written}\n", encoding="utf-8")
        assert read_settings(tmp_path, {}).ensemble.osc_addresses == meant


async def test_a_stage_of_two_rooms_plays_each_room_its_own_turns(story: Path) -> None:
    rooms = the_example()
    with a_port() as (sock, port):
        told = SILENT + f'[ensemble]\nosc = "127.0.0.1:{port}"\nstage_rate = 48000\n'
        (story / "dramaturg.toml").write_text(told, encoding="utf-8")
        async with served(read_settings(story, {})) as visitor:
            sent = await asyncio.gather(
                ask(visitor, "What is courage?", kiosk="left", slots=[1, 2]),
                ask(visitor, "Who goes first?", kiosk="right", slots=[3, 4]),
                ask(visitor, "Nobody listens here.", kiosk="elsewhere", slots=[5]),
            )
            stage, lines = rooms.Stage("left", "right"), []
            while not stage.over:
                lines += stage.receive(await asyncio.to_thread(sock.recv, 65535))
    assert "left asks: What is courage?" in lines
    assert "right asks: Who goes first?" in lines
    for name, events, slots in (("left", sent[0], {1, 2}), ("right", sent[1], {3, 4})):
        room = stage.rooms[name]
        assert room.session == events[0]["sessionId"]
        assert set(room.files[1]) == slots
        paths = [path for files in room.files.values() for path, _ in files.values()]
        assert all(path.endswith(".48000.wav") and Path(path).is_file() and room.session in path for path in paths)
        heard = [event for event in events if event["event"] == "slot.audio"]
        assert len(paths) == len(heard)


async def test_sixty_kiosks_at_once_are_told_apart_on_every_wire(story: Path) -> None:
    with a_port() as (sock, port):
        told = SILENT + f'[ensemble]\nosc = "127.0.0.1:{port}"\n'
        (story / "dramaturg.toml").write_text(told, encoding="utf-8")
        async with (
            served(read_settings(story, {})) as visitor,
            visitor.session.ws_connect(f"{visitor.url}/v1/ws?kiosk=room-7") as one_room,
        ):
            questions = {f"room-{n}": f"Question {n}?" for n in range(60)}
            asked = (ask(visitor, text, kiosk=room, slots=[1], audio=False) for room, text in questions.items())
            sessions = await asyncio.gather(*asked)
            heard = []
            async for message in one_room:
                heard.append(json.loads(message.data))
                if heard[-1]["event"] == "done":
                    break
        rooms, seen = the_example(), Counter[tuple[str, str]]()
        while sum(1 for address, _ in seen if address == "/dramaturg/done") < 60:
            address, arguments = rooms.read_message(await asyncio.to_thread(sock.recv, 65535))
            seen[address, str(arguments[-1])] += 1
    for number, events in enumerate(sessions):
        assert {event["kiosk"] for event in events} == {f"room-{number}"}
        assert events[0]["message"] == f"Question {number}?"
        assert events[-1]["event"] == "done"
    assert [event["seq"] for event in heard] == [event["seq"] for event in sessions[7]]
    assert {count for (address, _), count in seen.items() if address == "/dramaturg/session/question"} == {1}
    assert len({kiosk for _, kiosk in seen}) == 60


async def test_a_stage_that_is_gone_holds_up_nobody(story: Path) -> None:
    with a_port() as (_, port):
        gone = SILENT + f'[ensemble]\nosc = "127.0.0.1:{port}"\n'
    (story / "dramaturg.toml").write_text(gone, encoding="utf-8")
    async with served(read_settings(story, {})) as visitor:
        events = await ask(visitor, "Is anybody there?", slots=[1, 2])
        assert events[-1]["event"] == "done"
        assert sum(event["event"] == "slot.audio" for event in events) >= 4


async def test_a_session_that_is_resumed_goes_on_where_its_stage_was(story: Path) -> None:
    async with served(story) as visitor:
        asked = await visitor.studio.ensemble.open(_request("Who?"))
        before = [event async for event in _all(visitor, asked.id)]
        await visitor.studio.runs.mark(asked, "stopped")
        async with visitor.session.ws_connect(f"{visitor.url}/v1/ws") as stage:
            assert (await visitor.post(f"/v1/runs/{asked.id}/resume")).status == 202
            heard = []
            async for message in stage:
                heard.append(json.loads(message.data))
                if heard[-1]["event"] == "done":
                    break
    assert [event.event for event in before] == ["session.question", "remark"]
    assert heard[0]["seq"] == 3
    assert heard[0]["event"] != "session.question"


async def test_a_session_that_a_dead_server_left_goes_on_where_its_stage_was(story: Path) -> None:
    async with served(story) as visitor, visitor.session.ws_connect(f"{visitor.url}/v1/ws") as stage:
        async with Studio.open(visitor.studio.settings) as other:
            asked = await other.ensemble.open(_request("Who?"))
        before = [event async for event in _all(visitor, asked.id)]
        with sqlite3.connect(story / "data" / "dramaturg.db") as db:
            held = ("playing", str(a_dead_process()))
            db.execute("update runs set status = ?, player = ?, lease_until = 0", held)
        await Reaper(visitor.studio, visitor.server.config.app.state.event_relay).begin()
        heard = []
        async for message in stage:
            heard.append(json.loads(message.data))
            if heard[-1]["event"] == "done":
                break
    assert [event["seq"] for event in heard] == list(range(len(before) + 1, len(before) + len(heard) + 1))
    assert "session.question" not in {event["event"] for event in heard}


def _request(message: str) -> Any:
    from dramaturg.ensemble.request import request_from

    return request_from({"message": message, "slots": [1], "audio": False})


async def _all(visitor: Visitor, session: str) -> Any:
    from dramaturg.ensemble.wire import sent_events

    for event in sent_events(session, (await visitor.studio.ensemble.open_run(session)).entries):
        yield event


HEAD: dict[str, Any] = {"seq": 3, "ts": 1.0, "session_id": "s", "kiosk": "left"}
SLOT: dict[str, Any] = {**HEAD, "turn_index": 1, "kind": "response", "slot_id": 2, "agent_id": "a"}


def test_osc_gives_the_copy_for_the_stage_and_the_recording_where_there_is_none() -> None:
    made = {"voice_profile": "calm", "duration_ms": 1500, "sample_rate": 24000, "bytes": 1, "sha256": "", "engine": "e"}
    line = SlotAudio(**SLOT, **made, voice="v", audio_path="a.wav")
    assert osc_message(line, Path("/x")) == ("/dramaturg/slot/audio", [1, 2, "/x/a.wav", 1.5, "s", "left"])
    staged = line.model_copy(update={"stage_path": "a.48000.wav"})
    assert osc_message(staged, Path("/x"))[1][2] == "/x/a.48000.wav"


def test_the_last_two_arguments_of_every_message_are_session_and_kiosk() -> None:
    events = [
        SessionEvent(**HEAD, event=name)
        for name in ("turn.start", "slot.start", "session.manifest", "route.done", "something.new")
    ]
    assert {tuple(osc_message(event, Path())[1][-2:]) for event in events} == {("s", "left")}


def test_a_host_that_cannot_be_found_is_looked_up_again_and_only_what_was_told_meanwhile_is_lost() -> None:
    with a_port() as (sock, port):
        lookups = iter([OSError("not known"), OSError("not known"), socket.getaddrinfo("127.0.0.1", port)])

        def look_up(host: str, *_: object, **__: object) -> Any:
            found = next(lookups)
            if isinstance(found, OSError):
                raise found
            return found

        sender = OscSender("stage.local:7000", Path(), look_up=look_up, look_again=0.0)
        for seq in range(1, 6):
            sender(SessionEvent(event=f"event.{seq}", seq=seq, ts=1.0, session_id="s", kiosk="left"))
        heard = [the_example().read_message(sock.recv(65535))[0] for _ in range(3)]
        sender.close()
    assert heard == ["/dramaturg/event/3", "/dramaturg/event/4", "/dramaturg/event/5"]


def test_a_long_text_is_cut_to_what_a_datagram_carries() -> None:
    line = SlotDone(**SLOT, voice_profile="calm", text="語" * 90_000)
    with a_port() as (sock, port):
        sender = OscSender(f"127.0.0.1:{port}", Path())
        sender(line)
        packet = sock.recv(65535)
        sender.close()
    assert the_example().read_message(packet)[1][3] == "語" * 4000
