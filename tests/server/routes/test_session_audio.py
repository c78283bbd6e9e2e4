"""The voice of a session over HTTP: for its player and nobody else, whole and by range, gone with the session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dramaturg.kernel.settings import read_settings
from tests.episodes.staging import house
from tests.episodes.voiced import TWO
from tests.server.players import Guest, begin, played_by, write_episode
from tests.server.visitor import served

SILENT = '[voices]\nengine = "silent"\n'
TALK: dict[str, object] = {"name": "last-orders", "character": "mina", "opening_line": "We're closed. Sit down, then."}


async def heard(guest: Guest, **more: Any) -> dict[str, Any]:
    """The first spoken line of a session."""
    return (await guest.follow(until="audio", **more))[-1]


async def fetch(guest: Guest, file: str, token: str | None = None, method: str = "GET", **headers: str) -> Any:
    own = {"X-Player-Token": guest.token if token is None else token} if token != "" else {}
    url = guest.visitor.url + guest.path(f"/audio/{file}")
    async with guest.visitor.session.request(method, url, headers={**own, **headers}) as response:
        return response.status, {k.lower(): v for k, v in response.headers.items()}, await response.read()


async def test_a_line_is_fetched_whole_by_range_and_by_its_head(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story", TALK, more=SILENT)) as visitor:
        guest = await begin(visitor, voice=True)
        line = await heard(guest)
        status, headers, body = await fetch(guest, line["file"])
        assert (status, len(body), headers["etag"]) == (200, line["bytes"], f'"{line["sha256"]}"')
        assert headers["content-type"] == "audio/wav"
        assert headers["cache-control"] == "private, no-cache"
        assert body[:4] == b"RIFF"
        assert (await fetch(guest, line["file"], Range="bytes=0-9"))[::2] == (206, body[:10])
        status, headers, none = await fetch(guest, line["file"], method="HEAD")
        assert (status, headers["content-length"], none) == (200, str(len(body)), b"")
        assert (await fetch(guest, line["file"], **{"If-None-Match": headers["etag"]}))[0] == 304
        assert (await fetch(guest, f"{line['file']}?player_token={guest.token}", token=""))[0] == 200


async def test_nobody_else_hears_it_and_a_deleted_session_is_silent(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story", TALK, more=SILENT)) as visitor:
        guest = await begin(visitor, voice=True)
        line = await heard(guest)
        other = await begin(visitor)
        assert (await fetch(guest, line["file"], token=other.token))[0] == 404
        assert (await fetch(guest, line["file"], token=""))[0] == 404
        for path in (f"sessions/{guest.session}/{line['file']}", f"../sessions/{guest.session}/{line['file']}"):
            assert (await visitor.get(f"/v1/audio/{path.replace('..', '%2e%2e')}")).status == 404
        for file in ("m1-1-000000000000.wav", "..%2f..%2fdramaturg.db", ".hidden.wav", "x.wav"):
            assert (await fetch(guest, file))[0] == 404
        assert (await guest.ask("DELETE")).status == 204
        assert (await fetch(guest, line["file"]))[0] == 404
    assert list((tmp_path / "story" / "data").rglob("*.wav")) == []


async def test_an_audio_event_is_not_sent_again_after_its_place(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story", TALK, more=SILENT)) as visitor:
        played_by(visitor, house(TWO))
        guest = await begin(visitor, voice=True)
        line = await heard(guest)
        await guest.say("Good evening.")
        again = await guest.follow(after=line["id"], until="audio")
        assert again[-1]["message_id"] != line["message_id"]


async def test_voices_are_turned_on_and_off_by_the_player(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story", TALK, more=SILENT)) as visitor:
        guest = await begin(visitor)
        assert guest.view["voice"] is False
        assert (await guest.ask("PUT", "/voice", {"on": True})).json["voice"] is True
        assert (await guest.ask("PUT", "/voice", {"on": False})).json["voice"] is False
        assert (await guest.ask("PUT", "/voice", {"on": "loud"})).status == 422


@pytest.mark.parametrize("may", [True, False])
async def test_a_host_decides_whether_players_may_turn_them_on(tmp_path: Path, may: bool) -> None:
    more = SILENT + '[server]\ntoken_env = "DRAMATURG_TOKEN"\n'
    more += f'[players]\nopen = ["*"]\nvoice = {str(may).lower()}\n'
    story = write_episode(tmp_path / "story", TALK, more=more)
    async with served(read_settings(story, {"DRAMATURG_TOKEN": "t" * 32}, trust=True)) as visitor:
        opened = await visitor.post("/v1/sessions", {"template": "last-orders", "voice": True})
        assert opened.status == (201 if may else 422)
        guest = await begin(visitor)
        switched = await guest.ask("PUT", "/voice", {"on": True})
        assert switched.status == (200 if may else 422)
        assert may or "ask the host" in switched.json["error"]["message"]


async def test_a_key_that_opened_a_silent_session_opens_no_spoken_one(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story", TALK, more=SILENT)) as visitor:
        key = {"Idempotency-Key": "0123456789abcdef-key"}
        first = await visitor.post("/v1/sessions", {"template": "last-orders", "voice": True}, headers=key)
        again = await visitor.post("/v1/sessions", {"template": "last-orders", "voice": True}, headers=key)
        other = await visitor.post("/v1/sessions", {"template": "last-orders", "voice": False}, headers=key)
    assert (first.status, again.status, other.status) == (201, 201, 409)
    assert again.json["session"]["id"] == first.json["session"]["id"]
