"""A consultation that is followed again: from its beginning, from the middle of an answer, after a restart."""

from __future__ import annotations

import json
from pathlib import Path

import aiohttp
import pytest

from tests.server.visitor import served

BOOK = "/v1/projects/main"
Sent = tuple[str, dict[str, object]]


async def streamed(response: aiohttp.ClientResponse) -> list[Sent]:
    assert response.status == 200, await response.text()
    frames = (await response.text()).replace("\r\n", "\n").split("\n\n")
    fields = [dict(row.split(": ", 1) for row in frame.splitlines() if ": " in row) for frame in frames]
    return [(one["id"], json.loads(one["data"])) for one in fields if "data" in one]


async def again(session: aiohttp.ClientSession, turn: int = 1, last: str = "") -> list[Sent]:
    headers = {"Last-Event-ID": last} if last else {}
    async with session.get(f"{BOOK}/consultations/{turn}/events", headers=headers) as response:
        return await streamed(response)


def words(events: list[Sent]) -> str:
    return "".join(str(data["text"]) for _, data in events if data["event"] == "message.delta")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    return tmp_path


async def test_a_client_resumes_a_consultation_from_any_event_it_received(book: Path) -> None:
    async with served(book) as visitor, aiohttp.ClientSession(visitor.url) as session:
        message = {"message": "A pilot learns that the last starship leaves without its builders."}
        async with session.post(f"{BOOK}/consult", json=message) as response:
            live = await streamed(response)
        whole = await again(session)
        assert words(whole) == words(live)
        steps = [data for _, data in live if data["event"] != "message.delta"]
        assert [data for _, data in whole if data["event"] != "message.delta"] == steps
        for place, (event_id, _) in enumerate(live):
            rest = await again(session, last=event_id)
            assert words(rest) == words(live[place + 1 :])
            assert [data for _, data in rest if data["event"] != "message.delta"] == [
                data for _, data in live[place + 1 :] if data["event"] != "message.delta"
            ]
    async with served(book) as visitor, aiohttp.ClientSession(visitor.url) as session:
        assert words(await again(session)) == words(live)
        assert (await again(session))[-1] == live[-1]


async def test_a_turn_or_a_place_that_is_not_there_is_refused(book: Path) -> None:
    async with served(book) as visitor, aiohttp.ClientSession(visitor.url) as session:
        async with session.get(f"{BOOK}/consultations/1/events") as response:
            assert response.status == 404
        async with session.post(f"{BOOK}/consult", json={"message": "Two sisters."}) as response:
            await streamed(response)
        async with session.get(f"{BOOK}/consultations/9/events") as response:
            assert response.status == 404
        async with session.get(f"{BOOK}/consultations/1/events", headers={"Last-Event-ID": "1:2"}) as response:
            assert response.status == 422
