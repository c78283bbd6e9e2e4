"""Episodes over HTTP: begun, talked, swiped, edited, branched, completed, shared, forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from dramaturg.server.http import streams
from tests.episodes.staging import FLIRT, Halting, house, spoken
from tests.server.players import Guest, begin, example, played_by, streamed, types, words, write_episode
from tests.server.test_openapi import SCHEMA
from tests.server.visitor import Visitor, served

ARCHETYPE = {
    "archetype": "bold_mover",
    "confidence": 0.8,
    "scores": [{"archetype": "bold_mover", "score": 0.9}],
    "primary_signals": [{"signal": "direct", "quote": "I like you"}],
}


@pytest.fixture
async def visitor(tmp_path: Path) -> AsyncIterator[Visitor]:
    async with served(write_episode(tmp_path / "story", {**FLIRT, "directors_cut": True})) as visiting:
        yield visiting


@pytest.fixture
async def anna(visitor: Visitor) -> Guest:
    return await begin(visitor, name="Anna")


async def complete(guest: Guest) -> list[dict[str, object]]:
    for text in ("I like you", "Truly"):
        await guest.say(text)
    return await guest.say("Good night")


async def test_what_can_be_played_is_told_without_what_the_director_watches_for(tmp_path: Path) -> None:
    async with served(example("the-missing-ledger", tmp_path / "story")) as visitor:
        listed = (await visitor.get("/v1/episodes")).json["episodes"]
        assert [one["number"] for one in sorted(listed, key=lambda one: one["number"])] == [1, 2, 3, 4]
        one = await visitor.get("/v1/episodes/the-ferryman")
        assert one.json["title"] == "The ferryman"
        assert not {"beats", "clue_ledger", "notes", "flags", "completion_criteria"} & set(one.json)
        series = (await visitor.get("/v1/series")).json["series"]
        assert (await visitor.get(f"/v1/series/{series[0]['name']}")).json == series[0]
        assert (await visitor.get("/v1/episodes/nobody")).code == "NOT_FOUND"
        assert (await visitor.get("/v1/series/nobody")).code == "NOT_FOUND"


async def test_an_episode_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    story = example("the-missing-ledger", tmp_path / "story")
    (story / "episodes" / "broken.yaml").write_text("character: 2024-13-45", encoding="utf-8")
    (story / "series" / "worse.yaml").write_bytes(b"\xff")
    async with served(story) as visitor:
        listed = (await visitor.get("/v1/episodes")).json
        assert len(listed["episodes"]) == 4
        assert [one["name"] for one in listed["unreadable"]] == ["broken"]
        assert "episodes/broken.yaml, line 1, column 12" in listed["unreadable"][0]["problem"]
        assert len((await visitor.get("/v1/series")).json["series"]) == 1
        broken = await visitor.get("/v1/episodes/broken")
        assert broken.code == "INVALID_CONFIG"
        assert "episodes/broken.yaml, line 1, column 12" in broken.json["error"]["message"]
        assert (await visitor.get("/v1/series/worse")).code == "INVALID_CONFIG"


async def test_a_turn_is_streamed_as_the_clients_expect_it(anna: Guest) -> None:
    opening = await anna.follow()
    assert types(opening) == ["scene_card", "message_complete", "done"]
    events = await anna.say("Hello", "one")
    assert types(events)[-2:] == ["message_complete", "done"]
    whole = next(one for one in events if one["type"] == "message_complete")
    assert words(events) == whole["content"]
    assert set(whole["structured"]) == {"dialogue", "action", "mood"}
    assert whole["director"] == {"turn_count": 1, "beat": "complication", "completion_eligible": False}
    assert "internal" not in str(events)
    listed = (await anna.ask("GET", "/messages")).json["messages"]
    assert [one["role"] for one in listed] == ["character", "player", "character"]


async def test_what_is_streamed_is_what_was_described(anna: Guest) -> None:
    described = SCHEMA["paths"]["/v1/sessions/{run_id}/messages"]["post"]["responses"]["200"]["content"]
    schema = {**described["text/event-stream"]["schema"], "components": SCHEMA["components"]}
    for event in await complete(anna):
        jsonschema.Draft202012Validator(schema).validate(event)


async def test_the_same_message_twice_is_one_turn(anna: Guest) -> None:
    first = await anna.say("Hello", "one")
    again = await anna.say("Hello", "one")
    assert [one for one in again if one["type"] != "chunk"] == [one for one in first if one["type"] != "chunk"]
    assert words(again) == words(first)
    assert (await anna.now())["director"]["turn_count"] == 1


async def test_who_loses_the_connection_in_the_middle_of_an_answer_gets_the_rest(visitor: Visitor) -> None:
    model = Halting(spoken("There is a second key, and I have never told anybody of it."), after=12)
    played_by(visitor, model)
    guest = await begin(visitor)
    got: list[dict[str, object]] = []

    async def cut_off() -> None:
        url, body = visitor.url + guest.path("/messages"), {"text": "Tell me", "client_id": "one"}
        async with visitor.session.post(url, headers=guest.headers, json=body) as response:
            async for one in streamed(response):
                got.append(one)

    listening = asyncio.create_task(cut_off())
    await model.reached.wait()
    while not words(got):
        await asyncio.sleep(0)
    listening.cancel()
    await asyncio.wait([listening])
    model.go.set()
    rest = await guest.follow(after=str(got[-1]["id"]))
    assert words(got) + words(rest) == next(one for one in rest if one["type"] == "message_complete")["content"]
    assert words(rest)
    assert (await guest.now())["director"]["turn_count"] == 1


async def test_an_answer_is_swiped_and_chosen_back_edited_deleted_and_branched(anna: Guest) -> None:
    await anna.say("Hello")
    before = (await anna.now())["messages"][-1]
    swiped = await anna.stream(f"/messages/{before['id']}/swipes")
    assert types(swiped)[-1] == "done"
    now = (await anna.now())["messages"][-1]
    assert now["siblings"] == [before["id"], now["id"]]
    assert (await anna.ask("POST", f"/messages/{before['id']}/choose")).json["messages"][-1]["id"] == before["id"]
    mine = (await anna.now())["messages"][1]["id"]
    edited = (await anna.ask("PATCH", f"/messages/{mine}", {"text": "Good evening"})).json
    assert edited["messages"][1] | {"content": "Good evening", "edited": True} == edited["messages"][1]
    branch = await anna.ask("POST", "/branches", {"message_id": "m1", "new_session": True})
    assert branch.status == 201
    assert branch.json["id"] != anna.session
    assert len(branch.json["messages"]) == 1
    left = (await anna.ask("DELETE", f"/messages/{mine}?following=true")).json
    assert len(left["messages"]) == 1
    assert left["director"]["turn_count"] == 0


async def test_an_answer_is_guided_and_continued_and_a_draft_says_nothing(anna: Guest) -> None:
    await anna.say("Hello")
    before = (await anna.now())["messages"]
    guided = await anna.stream(f"/messages/{before[-1]['id']}/swipes", {"wish": "Be kinder."})
    assert types(guided)[-1] == "done"
    assert "Be kinder" not in str(guided)
    assert types(await anna.stream("/continue"))[-1] == "done"
    draft = await anna.ask("POST", "/draft")
    assert (draft.status, bool(draft.json["text"])) == (200, True)
    now = (await anna.now())["messages"]
    assert [one["role"] for one in now] == [*(one["role"] for one in before), "character"]
    assert (await anna.ask("POST", f"/messages/{now[-1]['id']}/swipes", {"wish": "x" * 9000})).status == 422
    assert (await anna.ask("POST", f"/messages/{now[-1]['id']}/swipes", {"wsh": "x"})).status == 422


async def test_a_completed_episode_is_evaluated_cut_and_shared_as_its_player_saw_it(anna: Guest) -> None:
    early = await anna.ask("POST", "/share/preview", {})
    assert early.code == "INVALID_CONFIG"
    events = await complete(anna)
    end = next(one for one in events if one["type"] == "episode_complete")
    assert (end["trigger"], end["evaluation_status"]) == ("turn_limit", "ready")
    assert len((await anna.ask("GET", "/evaluations")).json["evaluations"]) == 1
    again = await anna.ask("POST", "/evaluations")
    assert (again.status, again.json["status"]) == (201, "ready")
    cut = (await anna.ask("GET", "/directors-cut")).json
    assert len(cut["thoughts"]) == 3

    preview = (await anna.ask("POST", "/share/preview", {})).json
    assert preview["snapshot"]["transcript"] == []
    assert "quote" not in str(preview)
    shared = await anna.ask("POST", "/share", {"seen": preview["seen"]})
    assert shared.status == 201
    link = shared.json
    assert shared.headers["location"] == f"/r/{link['share_id']}"
    assert len(link["share_id"]) == 32
    result = (await anna.visitor.get(f"/v1/results/{link['share_id']}")).json
    assert result["snapshot"] == preview["snapshot"]
    assert anna.session not in str(result)
    other = await anna.ask("POST", "/share", {"seen": preview["seen"], "parts": ["result", "transcript"]})
    assert other.code == "INVALID_CONFIG"


async def test_views_are_counted_by_post_and_a_revoked_share_is_as_if_it_never_was(anna: Guest) -> None:
    await complete(anna)
    seen = (await anna.ask("POST", "/share/preview", {})).json["seen"]
    share = (await anna.ask("POST", "/share", {"seen": seen})).json["share_id"]
    for _ in range(3):
        await anna.visitor.get(f"/v1/results/{share}")
    assert (await anna.visitor.post(f"/v1/results/{share}/views")).status == 204
    assert (await anna.ask("GET", "/shares")).json["shares"][0]["views"] == 1
    assert (await anna.ask("DELETE", f"/shares/{share}")).status == 204
    unknown = await anna.visitor.get(f"/v1/results/{'0' * 32}")
    assert (await anna.visitor.get(f"/v1/results/{share}")).text == unknown.text
    assert (await anna.visitor.post(f"/v1/results/{share}/views")).text == unknown.text
    assert unknown.status == 404


async def test_a_choice_is_picked_and_another_is_refused(tmp_path: Path) -> None:
    template = {
        **FLIRT,
        "turn_budget": None,
        "completion_mode": "objective",
        "completion_criteria": {"objective_key": "accused"},
        "beats": [
            {
                "beat": "complication",
                "detection": "keyword",
                "keywords": ["the till"],
                "choices": [{"id": "accuse", "label": "Accuse her", "flag": "accused"}],
            }
        ],
    }
    async with served(write_episode(tmp_path / "story", template)) as visitor:
        guest = await begin(visitor)
        events = await guest.say("Who emptied the till?")
        assert next(one for one in events if one["type"] == "choice_prompt")["choices"][0]["id"] == "accuse"
        assert (await guest.ask("POST", "/choices", {"choice": "sing"})).code == "NOT_FOUND"
        ended = await guest.stream("/choices", {"choice": "accuse"})
        assert "episode_complete" in types(ended)


async def test_what_is_remembered_of_a_player_is_shown_and_forgotten(visitor: Visitor) -> None:
    kept = '{"memories": [{"text": "Anna has a sister.", "quote": "my sister", "importance": 0.9}]}'
    played_by(visitor, house(extraction=kept))
    anna = await begin(visitor, name="Anna")
    await anna.say("I came with my sister.")
    await visitor.studio.episodes.settle(anna.session)
    me = {"headers": anna.headers}
    memories = (await visitor.get("/v1/players/me/memories", **me)).json["memories"]
    assert [(one["text"], one["character"], one["quote"]) for one in memories] == [
        ("Anna has a sister.", "mina", "my sister")
    ]
    gone = f"/v1/players/me/memories/{memories[0]['id']}"
    assert (await visitor.ask("DELETE", gone, **me)).status == 204
    assert (await visitor.ask("DELETE", gone, **me)).code == "NOT_FOUND"
    assert (await visitor.get("/v1/players/me/memories", **me)).json["memories"] == []
    assert (await visitor.get("/v1/players/me/relationships/mina", **me)).json["relationship"]["tone"]


async def test_a_stream_shows_nothing_more_once_the_token_it_was_opened_with_is_revoked(
    anna: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "ASK_AGAIN_SECONDS", 0.0)
    [token] = (await anna.visitor.get("/v1/tokens")).json["tokens"]
    other = (await anna.visitor.post("/v1/tokens", {"player": token["player_id"]})).json["player_token"]
    url = anna.visitor.url + anna.path("/events")
    async with anna.visitor.session.get(url, headers=anna.headers) as response:
        events = streamed(response)
        await anext(events)
        assert (await anna.visitor.ask("DELETE", f"/v1/tokens/{token['id']}")).status == 204
        await replace(anna, token=other).say("Still there?", "c1")
        assert "Still there?" not in str([one async for one in events])


async def test_a_player_leaves_and_nothing_of_theirs_stays(visitor: Visitor) -> None:
    anna, ben = await begin(visitor, name="Anna"), await begin(visitor, name="Ben")
    second = await begin(visitor, token=anna.token)
    await complete(anna)
    seen = (await anna.ask("POST", "/share/preview", {})).json["seen"]
    share = (await anna.ask("POST", "/share", {"seen": seen})).json["share_id"]
    assert second.view["player"]["name"] == "Anna"
    me = {"headers": anna.headers}
    assert len((await visitor.get("/v1/players/me/sessions", **me)).json["sessions"]) == 2
    assert (await visitor.ask("DELETE", second.path(), **me)).status == 204
    assert (await visitor.ask("DELETE", "/v1/players/me", **me)).json == {"sessions": 1}
    gone = await anna.ask("GET")
    assert (gone.code, "not known here" in gone.text) == ("PLAYER_TOKEN_REVOKED", True)
    assert (await visitor.get(f"/v1/results/{share}")).code == "NOT_FOUND"
    assert (await ben.ask("GET")).status == 200
    assert [one.player_id for one in await visitor.studio.episodes.sessions()] == [ben.view["player"]["id"]]


async def test_a_server_that_stops_lets_those_who_listen_go(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story")) as visitor:
        guest = await begin(visitor)
        listening = asyncio.create_task(guest.follow(until="never"))
        while not visitor.studio.episodes._open._opened[guest.session].followers:
            await asyncio.sleep(0.01)
        visitor.server.should_exit = True
        async with asyncio.timeout(240):
            assert types(await listening) == ["scene_card", "message_complete", "done"]
