"""The WebSocket of the ensemble: who may open it, from which page, and what a client may send."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.hostile.attacks.host import AUTHOR, TOKEN, Host, check_headers, public_host, public_settings

NAMES = ("localhost", "127.0.0.1")


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    async with public_host(public_settings(tmp_path / "story"), hosts=NAMES) as visiting:
        yield visiting


async def handshake(host: Host, query: str = "", **headers: str) -> int:
    """The status with which a handshake is answered; 101 if the socket is open."""
    try:
        async with host.visitor.session.ws_connect(f"{host.visitor.url}/v1/ws{query}", headers=headers) as socket:
            check_headers({name.lower(): value for name, value in socket._response.headers.items()}, "accepted")
            return 101
    except aiohttp.WSServerHandshakeError as error:
        check_headers({name.lower(): value for name, value in (error.headers or {}).items()}, "refused")
        return error.status


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ("", {}, 403),
        ("", {"Authorization": "Bearer wrong"}, 403),
        ("?access_token=wrong", {}, 403),
        ("?access_token=", {}, 403),
        ("?token=" + TOKEN, {}, 403),
        ("", {"X-Player-Token": TOKEN}, 403),
        ("", {"Sec-WebSocket-Protocol": TOKEN}, 403),
        ("", {"Cookie": f"access_token={TOKEN}"}, 403),
        ("", {**AUTHOR, "Origin": "https://evil.example"}, 403),
        ("", {**AUTHOR, "Origin": "null"}, 403),
        ("", {**AUTHOR, "Origin": "http://localhost:1"}, 403),
        ("", {**AUTHOR, "Host": "evil.example"}, 403),
        ("?session=" + "x" * 5000, AUTHOR, 403),
        ("?after=-1", AUTHOR, 403),
        ("?after=" + "9" * 400, AUTHOR, 403),
        ("", AUTHOR, 101),
        (f"?access_token={TOKEN}", {}, 101),
    ],
)
async def test_who_may_open_it(host: Host, query: str, headers: dict[str, str], status: int) -> None:
    assert await handshake(host, query, **headers) == status


async def test_a_player_may_not(host: Host) -> None:
    owner = await host.arrive()
    assert await handshake(host, f"?session={owner.session}", **owner.headers) == 403
    assert await handshake(host, f"?access_token={owner.token}") == 403


@pytest.mark.parametrize("session", ["%F0%9F%92%A9" * 40, "%0d%0a", "%1b[2J", "0" * 18, "..", "%00"])
async def test_an_unknown_session_is_closed_and_so_is_a_players(host: Host, session: str) -> None:
    owner = await host.arrive()
    closed = []
    for asked in (session, owner.session):
        url = f"{host.visitor.url}/v1/ws?session={asked}"
        async with host.visitor.session.ws_connect(url, headers=AUTHOR) as socket:
            message = await socket.receive()
            closed.append((message.type, socket.close_code, message.extra))
    assert closed[0] == closed[1]
    assert closed[0][1] == 4404


@pytest.mark.parametrize("sent", ["x" * 5000, "x" * 2_000_000])
async def test_a_client_that_talks_too_much_is_disconnected(host: Host, sent: str) -> None:
    async with host.visitor.session.ws_connect(f"{host.visitor.url}/v1/ws", headers=AUTHOR) as socket:
        await socket.send_str(sent)
        message = await socket.receive()
        assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR)
    assert (await host.ask("GET", "/healthz", headers={"Host": "localhost"})).status == 200


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/sessions", "/", "/docs", "/v1/ws/x", "/healthz"])
async def test_other_routes_are_no_websockets(host: Host, path: str) -> None:
    for headers in (AUTHOR, {}):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await host.visitor.session.ws_connect(host.visitor.url + path, headers=headers)
        assert refused.value.status in (403, 404)
