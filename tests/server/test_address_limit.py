"""What an address may ask and a player may change in a minute, on the routes of known players."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from dramaturg.server.http.player_tokens import PlayerTokens
from tests.server.players import begin, write_episode
from tests.server.visitor import inside, served

LIMITS = "[players]\nper_player = 100000\nper_address = 6\nburst = 1\n"
PUBLIC = 'open = ["last-orders"]\n[server]\ntoken_env = "DRAMATURG_TOKEN"\n'
ADDRESS_BURST = 100


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", ""), ("GET", "/messages"), ("POST", "/messages/m1/choose"), ("GET", "/evaluations")],
)
async def test_a_known_player_is_refused_when_the_address_has_asked_too_often(
    method: str, path: str, tmp_path: Path
) -> None:
    story = write_episode(tmp_path / "story", more=LIMITS)
    async with inside(create_app(read_settings(story, {}))) as insider:
        opened = (await insider.post("/v1/sessions", {"template": "last-orders"})).json
        url, headers = f"/v1/sessions/{opened['session']['id']}{path}", {"X-Player-Token": opened["player_token"]}
        statuses = [(await insider.ask(method, url, headers=headers)).status for _ in range(ADDRESS_BURST + 10)]
        assert statuses[0] == 200
        assert statuses[-1] == 429
        refused = await insider.ask(method, url, headers=headers)
        assert refused.code == "TOO_MANY_REQUESTS"
        assert int(refused.headers["retry-after"]) >= 1


@pytest.mark.parametrize("path", ["", "/events"])
@pytest.mark.parametrize("host", ["", PUBLIC], ids=["here", "in public"])
async def test_a_stranger_is_refused_who_has_asked_for_too_many_sessions_that_do_not_exist(
    path: str, host: str, tmp_path: Path
) -> None:
    story = write_episode(tmp_path / "story", more=LIMITS + host)
    async with inside(create_app(read_settings(story, {"DRAMATURG_TOKEN": "the-authors-own-key"}))) as insider:
        unknown = [f"/v1/sessions/{new_id(number)}{path}" for number in range(ADDRESS_BURST + 10)]
        statuses = [(await insider.get(url)).status for url in unknown]
        assert (statuses[0], statuses[-1]) == (404, 429)


async def test_reading_is_not_counted_among_what_a_player_changes(tmp_path: Path) -> None:
    limits = "[players]\nper_player = 1\nper_address = 100000\nburst = 1\n"
    async with served(write_episode(tmp_path / "story", more=limits)) as visitor:
        anna = await begin(visitor)
        assert (await anna.ask("PATCH", "/messages/m1", {"text": "Sit."})).status == 200
        assert (await anna.ask("PATCH", "/messages/m1", {"text": "Sit."})).status == 429
        assert {(await anna.ask("GET", "/messages")).status for _ in range(5)} == {200}


async def test_strangers_are_not_counted_as_one_player(tmp_path: Path) -> None:
    limits = "[players]\nper_player = 1\nper_address = 100000\nburst = 1\n"
    async with served(write_episode(tmp_path / "story", more=limits)) as visitor:
        anna = await begin(visitor)
        asked = [await visitor.ask("PATCH", anna.path("/messages/m1"), json={"text": "x"}) for _ in range(4)]
        assert [one.status for one in asked] == [404] * 4


@pytest.mark.parametrize("token", ["p1.anna.é", "p1.é.é", "p1..x", "p2.anna.x", "p1.anna.", "", "..", "p1"])
def test_a_token_that_is_not_ours_is_nobodys(token: str) -> None:
    assert PlayerTokens(b"secret").read(token) is None
