"""A server with a token lets in who carries it, and nobody else."""

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.server.app import create_app
from tests.server.described import SCHEMA
from tests.server.visitor import Insider, inside, served

TOKEN = "an-open-sesame-of-forty-thieves"
RIGHT = {"Authorization": f"Bearer {TOKEN}"}
PATHS = [
    (method.upper(), path.replace("{run_id}", "0" * 18))
    for path, operations in SCHEMA["paths"].items()
    for method in operations
    if path != "/healthz"
]


def guarded(story: Path) -> Settings:
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write('[server]\ntoken_env = "DRAMATURG_STAGE_DOOR"\n')
    return read_settings(story, {"DRAMATURG_STAGE_DOOR": TOKEN})


@pytest.fixture
async def house(story: Path) -> AsyncIterator[Insider]:
    async with inside(create_app(guarded(story))) as visiting:
        yield visiting


async def test_every_route_of_the_api_wants_the_token_and_says_so_in_the_one_shape(house: Insider) -> None:
    assert len(PATHS) > 20
    for method, path in PATHS:
        answer = await house.ask(method, path)
        if path == "/v1/login":  # the door itself: it tells nothing but that a login is needed, and takes the token
            assert method != "GET" or answer.json == {"needed": True, "author": False}
            continue
        if "/seats/{part}/" in path:  # a seat opens with a token of its own
            assert (answer.status, answer.code) == (401, "SEAT_TOKEN_INVALID"), path
            continue
        assert (answer.status, answer.code) == (401, "UNAUTHORIZED"), path
        assert answer.headers["www-authenticate"] == 'Bearer realm="dramaturg"'


@pytest.mark.parametrize(
    "given",
    [
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        "Bearer wrong",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        TOKEN,
        "Bearer ü",
    ],
)
async def test_what_is_not_the_token_does_not_open(house: Insider, given: str) -> None:
    answer = await house.get("/v1/runs", headers={"Authorization": given.encode()})
    assert (answer.status, answer.code) == (401, "UNAUTHORIZED")
    assert "invalid_token" in answer.headers["www-authenticate"]


async def test_who_carries_it_is_let_in_and_the_health_route_is_open(house: Insider) -> None:
    assert (await house.get("/v1/runs", headers=RIGHT)).status == 200
    assert (await house.get("/v1/runs", headers={"authorization": f"bearer {TOKEN}"})).status == 200
    assert (await house.get("/healthz")).status == 200
    assert (await house.get("/v1/nowhere", headers=RIGHT)).status == 404
    assert (await house.get("/v1/nowhere")).status == 401


async def test_only_a_stream_takes_it_from_the_address(story: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with served(create_app(guarded(story))) as visitor:
        run = (await visitor.post("/v1/scenes", {"scene": "argument"}, headers=RIGHT)).json["run"]
        ask = f"access_token={TOKEN}"
        stream = await visitor.get(f"/v1/runs/{run}/events?after=0&{ask}")
        assert stream.status == 200
        assert "scene.ended" in stream.text
        assert (await visitor.get(f"/v1/runs/{run}/events?access_token=wrong")).status == 401
        assert (await visitor.get(f"/v1/runs/{run}?{ask}")).status == 401
        assert (await visitor.get(f"/v1/runs?{ask}")).status == 401
        assert (await visitor.post(f"/v1/runs/{run}/cancel?{ask}")).status == 401
        assert (await visitor.ask("DELETE", f"/v1/runs/{run}?{ask}")).status == 401
    assert TOKEN not in caplog.text
    log = (story / "data" / "scenes" / "argument" / "debug.log").read_text(encoding="utf-8")
    assert TOKEN not in log


async def test_without_a_token_everything_is_as_it_was(insider: Insider) -> None:
    assert (await insider.get("/v1/runs")).status == 200
    assert json.loads((await insider.get("/openapi.json")).text)["components"]["securitySchemes"]


async def test_a_server_for_players_without_a_token_says_that_nobody_can_log_in(story: Path) -> None:
    async with inside(create_app(read_settings(story, {}), players_only=True)) as kiosk:
        assert (await kiosk.get("/v1/login")).json == {"needed": False, "author": False}
        refused = await kiosk.post("/v1/login", {"token": "anything"})
        assert (refused.status, refused.code) == (401, "LOGIN_REFUSED")
        assert "it has no token, so nobody logs in" in refused.text
        assert "set-cookie" not in refused.headers
        assert (await kiosk.get("/v1/runs")).status == 401
