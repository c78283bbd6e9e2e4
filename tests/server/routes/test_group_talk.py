"""A group over HTTP: messages say who speaks, a whisper has one ear, and a single character's wire is as it was."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import jsonschema
import pytest

from tests.episodes.company import TABLE, table, write_cards
from tests.episodes.staging import FLIRT, house
from tests.server.players import begin, played_by, types, write_episode
from tests.server.test_openapi import SCHEMA
from tests.server.visitor import Visitor, served


@pytest.fixture
async def visitor(tmp_path: Path) -> AsyncIterator[Visitor]:
    story = write_episode(tmp_path / "story", TABLE, FLIRT)
    write_cards(story)
    async with served(story) as visiting:
        yield visiting


async def test_every_message_of_a_group_carries_its_speaker(visitor: Visitor) -> None:
    played_by(visitor, table())
    listed = {one["name"]: one for one in (await visitor.get("/v1/episodes")).json["episodes"]}
    assert listed["three-at-a-table"]["characters"] == ["ada", "bo", "cleo"]
    anna = await begin(visitor, "three-at-a-table", name="Anna")
    assert [face["name"] for face in anna.view["cast"]] == ["Ada", "Bo", "Cleo Marsh"]
    events = await anna.say("Bo, Cleo: are you there?")
    done = [one for one in events if one["type"] == "message_complete"]
    assert [one["speaker"] for one in done][:2] == ["bo", "cleo"]
    assert {(one["speaker"], one["name"]) for one in events if one["type"] == "chunk"} >= {("bo", "Bo")}
    shown = (await anna.ask("GET", "/messages")).json["messages"]
    assert [one.get("speaker") for one in shown[:4]] == ["ada", None, "bo", "cleo"]
    schema = {**SCHEMA, "$ref": "#/components/schemas/SessionView"}
    jsonschema.validate(await anna.now(), schema)


async def test_a_whisper_is_sent_to_one_and_answered_by_one(visitor: Visitor) -> None:
    model = table()
    played_by(visitor, model)
    anna = await begin(visitor, "three-at-a-table")
    events = await anna.stream("/messages", {"text": "The key is mine.", "to": "Cleo"})
    done = [one for one in events if one["type"] == "message_complete"]
    assert [(one["speaker"], one["whispered"]) for one in done] == [("cleo", True)]
    shown = (await anna.ask("GET", "/messages")).json["messages"]
    assert [(one.get("to"), one.get("whispered")) for one in shown[1:]] == [("cleo", True), (None, True)]
    refused = await anna.ask("POST", "/messages", {"text": "Psst.", "to": "Dorian"})
    assert (refused.status, refused.code) == (404, "NOT_FOUND")
    more = await anna.stream("/continue", {"speaker": "bo"})
    assert [one["speaker"] for one in more if one["type"] == "message_complete"] == ["bo"]
    assert "The key is mine" not in str([one.messages for one in model.requests if "You are Bo" in one.system])


async def test_a_single_characters_wire_has_no_field_of_a_group(visitor: Visitor) -> None:
    played_by(visitor, house())
    anna = await begin(visitor, "last-orders")
    events = [*await anna.follow(), *await anna.say("Hello.")]
    assert {"chunk", "message_complete", "scene_card", "done"} <= set(types(events))
    named = {"speaker", "name", "whispered", "to", "cast"}
    assert not any(named & set(one) for one in events)
    view = await anna.now()
    assert not named & set(view)
    assert not any(named & set(one) for one in view["messages"])
