"""Players over HTTP: their tokens, what is not theirs, how often they may ask, and from where."""

from __future__ import annotations

import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.server.app import create_app
from dramaturg.server.http.limits import RateLimiter
from dramaturg.server.http.player_tokens import PlayerTokens, TokenClaim, new_player, secret_of
from tests.server.players import begin, write_episode
from tests.server.visitor import Visitor, inside, served

OPERATIONS = [
    ("GET", "", None),
    ("DELETE", "", None),
    ("GET", "/events", None),
    ("GET", "/messages", None),
    ("POST", "/messages", {"text": "Hello"}),
    ("POST", "/choices", {"choice": "a"}),
    ("PUT", "/voice", {"on": True}),
    ("GET", "/audio/m1-1-0123456789ab.wav", None),
    ("POST", "/retry", None),
    ("POST", "/continue", None),
    ("POST", "/draft", None),
    ("POST", "/messages/m1/swipes", None),
    ("POST", "/messages/m1/swipes", {"wish": "Kinder."}),
    ("POST", "/messages/m1/choose", None),
    ("PATCH", "/messages/m1", {"text": "x"}),
    ("DELETE", "/messages/m1", None),
    ("POST", "/branches", {"message_id": "m1"}),
    ("GET", "/evaluations", None),
    ("POST", "/evaluations", None),
    ("GET", "/directors-cut", None),
    ("POST", "/share/preview", {}),
    ("POST", "/share", {"seen": "x"}),
    ("GET", "/shares", None),
    ("DELETE", "/shares/abc", None),
]
NOBODY = "1mkq8zt4c0v7hxw3rn"


@pytest.fixture
async def visitor(tmp_path: Path) -> AsyncIterator[Visitor]:
    async with served(write_episode(tmp_path / "story")) as visiting:
        yield visiting


async def test_a_session_is_not_there_for_anybody_else_by_any_door(visitor: Visitor) -> None:
    anna, ben = await begin(visitor), await begin(visitor)
    invalid = ({"X-Player-Token": "nonsense"}, {"X-Player-Token": anna.token[:-1] + "_"})
    for method, rest, body in OPERATIONS:
        how = {"json": body} if body is not None else {}
        unknown = await visitor.ask(method, f"/v1/sessions/{NOBODY}{rest}", headers=anna.headers, **how)
        assert unknown.status == 404, (method, rest, unknown.text)
        for headers in ({}, ben.headers):
            refused = await visitor.ask(method, anna.path(rest), headers=headers, **how)
            assert refused.status == 404, (method, rest)
            assert refused.text.replace(anna.session, NOBODY) == unknown.text, (method, rest)
        for headers in invalid:
            refused = await visitor.ask(method, anna.path(rest), headers=headers, **how)
            assert (refused.status, refused.code) == (401, "PLAYER_TOKEN_REVOKED"), (method, rest)
            nobodys = await visitor.ask(method, f"/v1/sessions/{NOBODY}{rest}", headers=headers, **how)
            assert refused.text == nobodys.text, (method, rest)
    assert (await anna.ask("GET")).status == 200


async def test_nor_by_the_doors_of_runs(visitor: Visitor) -> None:
    anna = await begin(visitor)
    for method, rest in (("GET", ""), ("DELETE", ""), ("GET", "/events"), ("POST", "/cancel"), ("POST", "/resume")):
        assert (await visitor.ask(method, f"/v1/runs/{anna.session}{rest}")).code == "NOT_FOUND", rest
    assert (await visitor.get("/v1/runs")).json["runs"] == []
    assert (await visitor.get("/v1/sessions")).json["sessions"] == []
    assert (await anna.ask("GET")).status == 200


async def test_who_has_no_token_is_told_how_to_get_one(visitor: Visitor) -> None:
    for path in ("/sessions", "/memories", "/relationships/mina"):
        answer = await visitor.get(f"/v1/players/me{path}")
        assert answer.status == 422
        assert "Start a session" in answer.json["error"]["message"]
    refused = await visitor.post("/v1/sessions", {"template": "last-orders"}, headers={"X-Player-Token": "p1.me.x"})
    assert (refused.status, refused.code) == (401, "PLAYER_TOKEN_REVOKED")
    assert "Start a session without one" in refused.json["error"]["message"]


async def test_an_event_source_may_bring_the_token_in_the_address(visitor: Visitor) -> None:
    anna = await begin(visitor)
    async with visitor.session.get(f"{visitor.url}{anna.path('/events')}?player_token={anna.token}") as response:
        assert response.status == 200
    refused = await visitor.get(f"{anna.path('/messages')}?player_token={anna.token}")
    assert refused.status == 404


async def test_a_token_outlives_the_server(tmp_path: Path) -> None:
    story = write_episode(tmp_path / "story")
    async with served(story) as visitor:
        anna = await begin(visitor)
    async with served(story) as visitor:
        assert (await visitor.get(anna.path(), headers=anna.headers)).status == 200


def test_the_secret_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    settings = Settings(project=tmp_path)
    secret = secret_of(settings)
    path = settings.data / "players.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret_of(settings) == secret
    assert os.listdir(settings.data) == ["players.key"]
    path.write_text("short")
    with pytest.raises(InvalidSettings, match="too short"):
        secret_of(settings)


def test_the_secret_may_come_from_the_environment(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text('[players]\nsecret_env = "SIGNS"\n', encoding="utf-8")
    assert secret_of(read_settings(tmp_path, {"SIGNS": "a" * 16})) == b"a" * 16
    with pytest.raises(InvalidSettings, match="SIGNS"):
        secret_of(read_settings(tmp_path, {}))


@given(token=st.text(max_size=80), flip=st.integers(0, 200))
def test_no_token_but_ours_is_read(token: str, flip: int) -> None:
    tokens, player = PlayerTokens(b"secret"), new_player()
    ours = tokens.mint(player, "0123456789")
    assert tokens.read(ours) == TokenClaim(player, "0123456789", dated=True)
    assert tokens.read(token) is None
    place = flip % len(ours)
    other = ours[:place] + ("A" if ours[place] != "A" else "B") + ours[place + 1 :]
    assert tokens.read(other) is None
    assert PlayerTokens(b"another").read(ours) is None


async def test_a_player_who_asks_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    limits = "[players]\nper_player = 6\nper_address = 100000\nburst = 3\n"
    async with served(write_episode(tmp_path / "story", more=limits)) as visitor:
        anna = await begin(visitor)
        answers = [await anna.ask("PATCH", "/messages/m1", {"text": f"Sit. {number}"}) for number in range(5)]
        assert [one.status for one in answers] == [200, 200, 200, 429, 429]
        assert answers[-1].code == "TOO_MANY_REQUESTS"
        assert int(answers[-1].headers["retry-after"]) in range(1, 11)
        assert (await anna.ask("GET")).status == 200
        ben = await begin(visitor)
        assert (await ben.ask("PATCH", "/messages/m1", {"text": "Sit."})).status == 200


async def test_an_address_that_asks_too_often_too(tmp_path: Path) -> None:
    limits = "[players]\nper_address = 6\nburst = 1\n"
    async with inside(create_app(read_settings(write_episode(tmp_path / "story", more=limits), {}))) as insider:
        statuses = {(await insider.get("/v1/episodes")).status for _ in range(102)}
        assert statuses == {200, 429}
        assert (await insider.get("/r/" + "0" * 32)).status == 429
        assert (await insider.get("/healthz")).status == 200


async def test_a_token_does_not_lift_the_limit_of_an_address(tmp_path: Path) -> None:
    limits = "[players]\nper_player = 100000\nper_address = 6\nburst = 1\n"
    async with served(write_episode(tmp_path / "story", more=limits)) as visitor:
        anna = await begin(visitor)
        for path in (anna.path("/messages"), anna.path(), "/v1/players/me/sessions"):
            statuses = {(await visitor.get(path, headers=anna.headers)).status for _ in range(102)}
            assert 429 in statuses, path


@given(burst=st.integers(1, 20), rate=st.floats(1, 600), gaps=st.lists(st.floats(0, 30), max_size=80))
def test_nobody_gets_more_than_a_full_bucket_and_what_came_back(burst: int, rate: float, gaps: list[float]) -> None:
    now = 0.0
    buckets = RateLimiter(rate, burst, lambda: now)
    granted = 0
    for gap in gaps:
        now += gap
        wait = buckets.take("somebody")
        granted += wait == 0
        assert wait <= 60 / rate + 1e-6
    assert granted <= burst + now * rate / 60 + 1


async def test_other_sites_are_kept_out_unless_they_are_named(tmp_path: Path) -> None:
    page = {"Origin": "https://play.example.org"}
    preflight = {**page, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-player-token"}
    async with served(write_episode(tmp_path / "closed")) as visitor:
        assert (await visitor.post("/v1/sessions", {"template": "last-orders"}, headers=page)).status == 403
        assert "access-control-allow-origin" not in (await visitor.get("/v1/episodes", headers=page)).headers
        assert (await visitor.ask("OPTIONS", "/v1/sessions", headers=preflight)).status == 403
    named = '[players]\norigins = ["https://play.example.org"]\n'
    async with served(write_episode(tmp_path / "open", more=named)) as visitor:
        answer = await visitor.post("/v1/sessions", {"template": "last-orders"}, headers=page)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (201, page["Origin"])
        assert (await visitor.ask("OPTIONS", "/v1/sessions", headers=preflight)).status == 200
        other = {"Origin": "https://elsewhere.example.org"}
        assert (await visitor.post("/v1/sessions", {"template": "last-orders"}, headers=other)).status == 403
