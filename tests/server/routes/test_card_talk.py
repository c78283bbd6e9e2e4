"""A talk with a character over HTTP: the author names a card, and it is a session like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.settings import read_settings
from tests.server.players import Guest, write_episode
from tests.server.visitor import Answer, Visitor, served

TOKEN = "the-token-of-the-author"
OPEN = '[server]\ntoken_env = "DRAMATURG_STORY_TOKEN"\n[players]\nopen = ["*"]\n'


def guest(visitor: Visitor, answer: Answer) -> Guest:
    assert answer.status == 201, answer.text
    opened = answer.json
    return Guest(visitor, opened["player_token"], opened["session"]["id"], opened["session"])


async def test_a_character_is_talked_with_by_its_card(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story")) as visitor:
        author = guest(visitor, await visitor.post("/v1/sessions", {"character": "mina"}))
        assert (author.view["template"], author.view["character"]) == ("talk-with-mina", "Mina")
        told = await author.say("Good evening")
        assert told[-1]["type"] == "done"
        mine = (await visitor.get("/v1/players/me/sessions", headers=author.headers)).json["sessions"]
        assert [(one["id"], one["character"]) for one in mine] == [(author.session, "mina")]


async def test_a_repeated_request_begins_one_talk_and_a_key_is_good_for_one_character(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story")) as visitor:
        key = {"Idempotency-Key": "0123456789abcdef0123"}
        first, again = [await visitor.post("/v1/sessions", {"character": "mina"}, headers=key) for _ in range(2)]
        assert first.json["session"]["id"] == again.json["session"]["id"]
        other = await visitor.post("/v1/sessions", {"template": "last-orders"}, headers=key)
        assert (other.status, other.code) == (409, "ALREADY_USED")


@pytest.mark.parametrize("wanted", [{}, {"template": "last-orders", "character": "mina"}])
async def test_a_session_is_of_an_episode_or_with_a_character(tmp_path: Path, wanted: dict[str, str]) -> None:
    async with served(write_episode(tmp_path / "story")) as visitor:
        refused = await visitor.post("/v1/sessions", wanted)
        assert refused.status == 422
        assert "name an episode with 'template', or a character with 'character'" in refused.text


async def test_a_character_without_a_card_is_named(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story")) as visitor:
        refused = await visitor.post("/v1/sessions", {"character": "nobody"})
        assert refused.code == "CHARACTER_LOAD_ERROR"
        assert "mina" in refused.text


async def test_a_player_talks_with_no_character_outside_an_episode(tmp_path: Path) -> None:
    story = write_episode(tmp_path / "story", more=OPEN)
    async with served(read_settings(story, {"DRAMATURG_STORY_TOKEN": TOKEN})) as visitor:
        refused = await visitor.post("/v1/sessions", {"character": "mina"})
        assert (refused.status, refused.code) == (404, "NOT_FOUND")
        author = {"Authorization": f"Bearer {TOKEN}"}
        assert (await visitor.post("/v1/sessions", {"character": "mina"}, headers=author)).status == 201
