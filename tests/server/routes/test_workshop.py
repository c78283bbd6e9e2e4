"""The Foreman over HTTP, on a real socket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.server.visitor import served

BOOK = "/v1/projects/main"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    notes = tmp_path / "notebooks" / "world_building"
    notes.mkdir(parents=True)
    (notes / "jumps.md").write_text("A jump costs one navigator.\n", encoding="utf-8")
    async with served(tmp_path) as visitor, aiohttp.ClientSession(visitor.url) as session:
        yield session


async def consult(desk: aiohttp.ClientSession, message: str) -> list[dict[str, object]]:
    async with desk.post(f"{BOOK}/consult", json={"message": message}) as answer:
        assert answer.status == 200
        assert answer.content_type == "text/event-stream"
        text = await answer.text()
    rows = [row for row in text.splitlines() if row.startswith("data:")]
    return [json.loads(row.removeprefix("data:")) for row in rows]


async def get(desk: aiohttp.ClientSession, path: str, status: int = 200) -> dict[str, object]:
    async with desk.get(path) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()  # type: ignore[no-any-return]


async def post(desk: aiohttp.ClientSession, path: str, body: object, status: int = 200) -> dict[str, object]:
    async with desk.post(path, json=body) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()  # type: ignore[no-any-return]


async def test_a_consultation_streams_and_can_be_read_again(desk: aiohttp.ClientSession) -> None:
    events = await consult(desk, "A pilot learns that the last starship leaves without its builders.")
    assert events[0]["event"] == "prompt.sent"
    assert events[-1] == {"event": "done", "turn": 1, "answered": True}
    said = "".join(str(event["text"]) for event in events if event["event"] == "message.delta")
    again = await get(desk, f"{BOOK}/consultations/1")
    assert again["message"] == said
    assert again["receipts"]
    assert "premise" in str(again["done"])
    await get(desk, f"{BOOK}/consultations/2", 404)


async def test_a_book_is_seen_decided_moved_and_taken_back(desk: aiohttp.ClientSession) -> None:
    assert (await get(desk, "/v1/projects"))["projects"][0]["project"] == "main"  # type: ignore[index]
    new = {"category": "character", "key": "ruth_fatal_flaw", "value": "Never asks for help"}
    await post(desk, f"{BOOK}/decisions", new, 201)
    await post(desk, f"{BOOK}/decisions", {**new, "value": "Asks too late"}, 201)
    assert len((await get(desk, f"{BOOK}/decisions"))["decisions"]) == 1  # type: ignore[arg-type]
    assert len((await get(desk, f"{BOOK}/decisions/ruth_fatal_flaw"))["decisions"]) == 2  # type: ignore[arg-type]
    assert (await get(desk, BOOK))["decisions"] == 1
    assert (await get(desk, f"{BOOK}/work-order"))["gateOpen"] is False
    await post(desk, f"{BOOK}/mode", {}, 422)
    await post(desk, f"{BOOK}/mode", {"force": True})
    assert (await get(desk, BOOK))["mode"] == "VOICE_CALIBRATION"
    await post(desk, f"{BOOK}/undo", {})
    assert (await get(desk, BOOK))["mode"] == "ARCHITECT"
    prompt = await post(desk, f"{BOOK}/prompt", {"message": "And now?", "model": "openai/gpt-4o"})
    assert "Asks too late" in str(prompt)


async def test_an_offer_is_confirmed_and_what_was_done_is_undone_by_name(
    desk: aiohttp.ClientSession,
) -> None:
    await post(desk, f"{BOOK}/confirm", {}, 404)
    await consult(desk, "A pilot learns that the last starship leaves without its builders.")
    events = await consult(desk, "Open the gate anyway")
    assert "action.offered" in [event["event"] for event in events]
    assert (await get(desk, BOOK))["offer"]
    assert (await post(desk, f"{BOOK}/confirm", {}))["advanced"] == "VOICE_CALIBRATION"
    listed = (await get(desk, f"{BOOK}/undo"))["actions"]
    assert listed[0]["action"] == "advance_mode"  # type: ignore[index]
    await post(desk, f"{BOOK}/undo", {"act": listed[0]["act"], "keepFile": True})  # type: ignore[index]
    assert (await get(desk, BOOK))["mode"] == "ARCHITECT"
    await post(desk, f"{BOOK}/undo", {"act": "9.9.9"}, 404)


async def test_notebooks_are_listed_and_asked(desk: aiohttp.ClientSession) -> None:
    assert (await get(desk, f"{BOOK}/notebooks"))["problems"] == {"world_building": []}
    asked = {"notebook": "world_building", "question": "What does a jump cost?"}
    found = await post(desk, f"{BOOK}/notebooks/ask", asked)
    assert found["passages"] == [{"file": "jumps.md", "place": "line 1", "text": "A jump costs one navigator."}]
    await post(desk, f"{BOOK}/notebooks/ask", {**asked, "notebook": "voice"}, 404)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (f"{BOOK}/consult", {"message": ""}, 422),
        (f"{BOOK}/consult", {"message": "   "}, 422),
        (f"{BOOK}/consult", {}, 422),
        ("/v1/projects/other/consult", {"message": "Hi"}, 404),
        (f"{BOOK}/undo", {}, 404),
        (f"{BOOK}/decisions", {"category": "mood", "key": "x", "value": "y"}, 422),
        (f"{BOOK}/mode", {"to": "NOWHERE"}, 422),
    ],
)
async def test_what_is_wrong_is_said_with_a_status(
    desk: aiohttp.ClientSession, path: str, body: object, status: int
) -> None:
    refused = await post(desk, path, body, status)
    assert refused["success"] is False
    assert refused["error"]["message"]  # type: ignore[index]
