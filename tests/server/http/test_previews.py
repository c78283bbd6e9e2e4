"""Lines over HTTP while they are written: previews between the entries, which nobody has to have seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.model_server import Asked, ModelServer
from tests.scenes.test_kill_and_resume import line_for
from tests.server.event_stream import server_sent
from tests.server.visitor import Visitor

LINE = "We met at the lamp by the harbour wall in May."


def reply(asked: Asked) -> str:
    if "natural_end" in asked.prompt:
        return line_for(asked)
    return f'<think>He lies.</think>[TO: Bob, TONE: steady, *nods*] "{LINE}"'


def plain_reply(asked: Asked) -> str:
    return line_for(asked) if "natural_end" in asked.prompt else f'[TO: Bob, TONE: steady] "{LINE}"'


class HeldStream:
    """Holds every answer of a model once a word has been sent."""

    def __init__(self, word: bytes) -> None:
        self.reached, self.released = asyncio.Event(), asyncio.Event()
        self._word = word

    async def before(self, event: bytes) -> None:
        if self._word in event:
            self.reached.set()
            await self.released.wait()


@asynccontextmanager
async def followed(
    guest: Visitor, run: str, **headers: str
) -> AsyncIterator[AsyncIterator[tuple[dict[str, str], Any]]]:
    async with guest.session.get(f"{guest.url}/v1/runs/{run}/events?previews=true", headers=headers) as response:
        yield server_sent(response)


@asynccontextmanager
async def followed_from_the_first_line(
    guest: Visitor, models: ModelServer
) -> AsyncIterator[tuple[str, AsyncIterator[tuple[dict[str, str], Any]]]]:
    """A scene that goes on once somebody watches: what is asked for before is not written in pieces."""
    models.hold()
    run = await guest.play()

    async def released(events: AsyncIterator[tuple[dict[str, str], Any]]) -> AsyncIterator[tuple[dict[str, str], Any]]:
        async for event in events:
            models.release()
            yield event

    async with followed(guest, run) as events:
        yield run, released(events)


@pytest.fixture
def held(models: ModelServer) -> HeldStream:
    held = HeldStream(b"harbour")
    models.reply, models.on_event = plain_reply, held.before
    return held


async def test_words_come_while_they_are_written_and_each_line_once_as_an_entry(
    guest: Visitor, models: ModelServer, held: HeldStream
) -> None:
    seen: list[tuple[dict[str, str], Any]] = []
    async with followed_from_the_first_line(guest, models) as (_, events):
        async for fields, data in events:
            seen.append((fields, data))
            if fields["event"] == "preview" and held.reached.is_set():
                held.released.set()
    previews = [data for fields, data in seen if fields["event"] == "preview"]
    entries = [(int(fields["id"]), data) for fields, data in seen if fields["event"] != "preview"]
    assert all("id" not in fields for fields, _ in seen if fields["event"] == "preview")
    assert all(LINE.startswith(data["text"].rstrip("…")) for data in previews)
    assert len({data["text"] for data in previews}) > 1
    assert [number for number, _ in entries] == sorted({number for number, _ in entries})
    spoken = [(at, data["event"]["line"]) for at, (fields, data) in enumerate(seen) if fields["event"] == "line.spoken"]
    begun = {(data["beat"], data["name"]): at for at, (fields, data) in enumerate(seen) if fields["event"] == "preview"}
    for beat, name in begun:
        [(at, line)] = [(at, line) for at, line in spoken if (line["beat"], line["speaker"]) == (beat, name)]
        assert line["content"] == LINE
        assert begun[beat, name] < at


async def test_who_joins_late_gets_what_is_being_written_from_its_beginning(
    guest: Visitor, models: ModelServer, held: HeldStream
) -> None:
    async with followed_from_the_first_line(guest, models) as (run, events):
        await _until_preview(events, "lamp")
        await held.reached.wait()
        async with followed(guest, run) as late:
            data = await _until_preview(late, "lamp")
            assert data["text"].startswith("We met at the lamp")
            assert set(data) == {"beat", "character", "name", "text"}
        held.released.set()
        last = [int(fields["id"]) async for fields, _ in events if "id" in fields][-1]
    async with guest.session.get(f"{guest.url}/v1/runs/{run}/events") as response:
        numbers = [int(fields["id"]) async for fields, _ in server_sent(response)]
    assert numbers[-1] == last


async def test_reasoning_is_not_previewed_and_nothing_of_a_preview_is_stored(
    guest: Visitor, models: ModelServer
) -> None:
    models.reply = reply
    async with followed_from_the_first_line(guest, models) as (run, events):
        texts = [str(data) async for _, data in events]
    assert not any("He lies" in text or "think" in text for text in texts)
    log = await guest.studio.runs.open(run)
    assert all("preview" not in entry.event.type for entry in log.entries)


async def test_a_client_resumes_after_the_last_entry_whatever_it_was_shown_meanwhile(
    guest: Visitor, models: ModelServer, held: HeldStream
) -> None:
    async with followed_from_the_first_line(guest, models) as (run, events):
        last = 0
        async for fields, _ in events:
            last = int(fields.get("id", last))
            if fields["event"] == "preview":
                break
    held.released.set()
    async with followed(guest, run, **{"Last-Event-ID": str(last)}) as events:
        numbers = [int(fields["id"]) async for fields, _ in events if "id" in fields]
    public = [sent.id for sent in await guest.to_the_end(run)]
    assert numbers == [number for number in public if number > last]


async def test_nobody_is_watched_for_a_client_that_has_left(
    guest: Visitor, models: ModelServer, held: HeldStream
) -> None:
    async with followed_from_the_first_line(guest, models) as (run, events):
        performance = guest.studio.engine.playing(run)
        assert performance is not None
        await _until_preview(events, "We")
        assert performance.run.answers.are_shown("house/character")
    while performance.run.answers.are_shown("house/character"):
        await asyncio.sleep(0.01)
    held.released.set()
    await guest.to_the_end(run)


async def test_a_run_that_is_over_or_of_the_company_has_entries_and_no_previews(visitor: Visitor) -> None:
    run = await visitor.play()
    async with followed(visitor, run) as events:
        assert all([fields["event"] != "preview" async for fields, _ in events])
    async with followed(visitor, run) as events:
        assert [fields["event"] async for fields, _ in events][-1] == "scene.ended"


async def _until_preview(events: AsyncIterator[tuple[dict[str, str], Any]], word: str) -> Any:
    async for fields, data in events:
        if fields["event"] == "preview" and word in data["text"]:
            return data
    raise AssertionError(f"no preview has '{word}'")
