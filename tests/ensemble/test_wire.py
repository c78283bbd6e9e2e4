"""What is sent: the documents' payloads to the letter, numbered without gaps, the same live and replayed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from dramaturg.ensemble.request import request_from
from dramaturg.ensemble.wire import SENT_EVENTS, event_number, sent_events
from dramaturg.kernel.errors import VoiceError
from tests.ensemble.table import open_table, play, sent

# The examples of the product's document, key by key. `2` and the like stand for any value.
DOCUMENTED: dict[tuple[str, int | None], set[str]] = {
    ("slot.start", 1): {"sessionId", "turnIndex", "kind", "slotId", "agentId"},
    ("slot.done", 1): {"sessionId", "turnIndex", "kind", "slotId", "agentId", "text", "voiceProfile"},
    ("slot.done", 2): {
        "sessionId", "turnIndex", "kind", "slotId", "agentId", "targetSlotId", "comment", "voiceProfile",
    },
    ("slot.done", 3): {"sessionId", "turnIndex", "kind", "slotId", "agentId", "text", "voiceProfile"},
    ("slot.audio", 2): {
        "sessionId", "turnIndex", "kind", "slotId", "agentId", "voiceProfile", "audioFormat", "audioPath",
    },
    ("slot.error", 3): {"sessionId", "turnIndex", "kind", "slotId", "agentId", "error"},
    ("turn.start", 2): {"sessionId", "turnIndex"},
    ("turn.done", 2): {"sessionId", "turnIndex", "slotCount"},
    ("done", None): {"completedSlots", "sessionId", "turns"},
}  # fmt: skip


@pytest.fixture
async def events(tmp_path: Path) -> list[dict[str, Any]]:
    def hoarse(number: int, text: str) -> Exception | None:
        return VoiceError("No breath.") if number == 14 else None

    return sent(await play(tmp_path, fault=hoarse, seed=3))


async def test_every_documented_event_has_every_documented_field(events: list[dict[str, Any]]) -> None:
    for (name, turn), fields in DOCUMENTED.items():
        found = [event for event in events if event["event"] == name and event.get("turnIndex") == turn]
        assert found, (name, turn)
        for event in found:
            assert fields <= set(event), (name, turn)


async def test_every_event_is_numbered_without_a_gap_and_says_what_it_is(events: list[dict[str, Any]]) -> None:
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {event["v"] for event in events} == {1}
    assert all(isinstance(event["ts"], float) and event["event"] for event in events)
    for event in events:
        assert SENT_EVENTS.validate_python(event).payload() == json.dumps(
            event, separators=(",", ":"), ensure_ascii=False
        )


async def test_an_audio_event_has_what_a_stage_needs(events: list[dict[str, Any]]) -> None:
    event = next(event for event in events if event["event"] == "slot.audio")
    assert event["audioFormat"] == "wav"
    assert event["audioPath"].startswith("tts/sessions/")
    assert event["wordsPath"] == event["audioPath"].replace(".wav", ".words.json")
    assert {"durationMs", "sampleRate", "bytes", "sha256", "lufs", "engine", "cached"} <= set(event)


async def test_nothing_hidden_is_sent(tmp_path: Path) -> None:
    run = await play(tmp_path, audio=False)
    told = json.dumps(sent(run))
    assert "Remembers where everything was last seen" not in told
    assert "You are one of six voices" not in told
    assert {event["event"] for event in sent(run)} <= {
        "session.question", "slot.start", "slot.done", "turn.start", "turn.done", "route.done", "session.manifest",
        "done", "remark",
    }  # fmt: skip


async def test_a_replay_is_the_same_as_it_was_live_and_goes_on_after_any_number(tmp_path: Path) -> None:
    async with open_table(tmp_path) as studio, asyncio.timeout(240):
        run = await studio.ensemble.ask(request_from({"message": "Why?"}))
        live = [event async for event in studio.ensemble.follow(run.id)]
        again = [event async for event in studio.ensemble.follow(run.id)]
        log = (await studio.ensemble.open_run(run.id)).entries
        assert [event.payload() for event in live] == [event.payload() for event in again]
        assert [event.payload() for event in live] == [event.payload() for event in sent_events(run.id, log)]
        for after in (0, 1, 7, len(live) - 1, len(live), len(live) + 5):
            rest = [event.seq async for event in studio.ensemble.follow(run.id, after)]
            assert rest == list(range(after + 1, len(live) + 1))
    assert live[-1].id == f"{run.id}:{len(live)}"


def test_an_event_id_is_read_only_if_it_is_of_this_session() -> None:
    assert event_number("abc", "abc:17") == 17
    assert event_number("abc", "abd:17") is None
    assert event_number("abc", "abc:") is None
    assert event_number("abc", "17") is None
