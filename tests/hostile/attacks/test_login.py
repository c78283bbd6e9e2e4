"""The author's login in a browser: what opens it, what does not, and what other pages can do with its cookie."""

from __future__ import annotations

from collections.abc import AsyncIterator
from http.cookies import Morsel, SimpleCookie
from pathlib import Path

import aiohttp
import pytest

from dramaturg.server.http.logins import DAY, DAYS, MOST_LOGINS, TRIES_PER_MINUTE, Logins
from dramaturg.server.pages.studio import router as studio_pages
from tests.hostile.attacks.callers import BROKEN_TOKENS
from tests.hostile.attacks.host import AUTHOR, TOKEN, Host, public_host, public_settings

NAMES = ("play.example.org", "localhost", "127.0.0.1")
FRIEND = "https://friend.example"
OTHER_PAGES = (
    FRIEND,
    "http://127.0.0.1:5173",
    "http://localhost",
    "https://sub.play.example.org",
    "null",
    "https://play.example.org:444",
    "",
)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    settings = public_settings(
        tmp_path / "story", players=f'origins = ["{FRIEND}"]\npublic_url = "https://play.example.org"'
    )
    async with public_host(settings, hosts=NAMES) as visiting:
        yield visiting


def _origin(host: Host) -> str:
    return host.visitor.url


async def _cookie(host: Host, token: str = TOKEN) -> Morsel[str]:
    answer = await host.ask("POST", "/v1/login", json={"token": token}, headers={"Origin": _origin(host)})
    assert answer.status == 204, answer.text
    (morsel,) = SimpleCookie(answer.headers["set-cookie"]).values()
    return morsel


async def _sent(host: Host) -> dict[str, str]:
    made = await _cookie(host)
    return {"Cookie": f"{made.key}={made.value}"}


async def test_the_cookie_is_for_the_browser_alone(host: Host) -> None:
    made = await _cookie(host)
    assert (made["httponly"], made["samesite"], made["path"], made["secure"]) == (True, "strict", "/v1", True)
    assert TOKEN not in made.value
    assert len(made.value) >= 43


async def test_a_browser_that_is_logged_in_reads_and_changes(host: Host) -> None:
    sent = await _sent(host)
    assert (await host.ask("GET", "/v1/runs", headers=sent)).status == 200
    own = {**sent, "Origin": _origin(host)}
    assert (await host.ask("POST", "/v1/tokens", json={}, headers=own)).status == 201
    behind_a_proxy = {**sent, "Origin": "https://play.example.org"}
    assert (await host.ask("POST", "/v1/tokens", json={}, headers=behind_a_proxy)).status == 201
    assert (await host.ask("GET", "/v1/login", headers=sent)).json == {"needed": True, "author": True}
    assert (await host.ask("GET", "/v1/login")).json == {"needed": True, "author": False}


@pytest.mark.parametrize("origin", OTHER_PAGES)
async def test_no_other_page_changes_or_reads_with_the_cookie(host: Host, origin: str) -> None:
    sent = {**await _sent(host), "Origin": origin}
    for method, path in (("POST", "/v1/tokens"), ("GET", "/v1/runs"), ("DELETE", "/v1/characters/alice/memories")):
        assert (await host.ask(method, path, headers=sent)).status in (401, 403), (method, origin)
    assert (await host.ask("DELETE", "/v1/login", headers=sent)).status in (204, 403)
    sent.pop("Origin")
    assert (await host.ask("GET", "/v1/runs", headers=sent)).status == 200, "another page ended the login"


async def test_a_change_without_an_origin_is_no_pages(host: Host) -> None:
    sent = await _sent(host)
    for method, path in (("POST", "/v1/tokens"), ("DELETE", "/v1/tokens/x"), ("PATCH", "/v1/characters/alice")):
        assert (await host.ask(method, path, headers=sent, json={})).status == 401, path


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_a_picture_of_another_page_reads_nothing(host: Host, site: str) -> None:
    sent = {**await _sent(host), "Sec-Fetch-Site": site}
    assert (await host.ask("GET", "/v1/runs", headers=sent)).status == 401


@pytest.mark.parametrize("origin", ["", FRIEND, "http://127.0.0.1:5173"])
async def test_a_socket_of_another_page_is_closed(host: Host, origin: str) -> None:
    sent = {**await _sent(host), **({"Origin": origin} if origin else {})}
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await host.visitor.session.ws_connect(f"{host.visitor.url}/v1/ws", headers=sent)
    own = {**sent, "Origin": _origin(host)}
    async with host.visitor.session.ws_connect(f"{host.visitor.url}/v1/ws", headers=own) as socket:
        assert not socket.closed


async def test_a_players_token_never_opens_the_studio(host: Host) -> None:
    player = await host.arrive()
    for token in (player.token, *BROKEN_TOKENS, TOKEN[:-1], TOKEN + "x", "\u0000", "x" * 1000):
        refused = await host.ask("POST", "/v1/login", json={"token": token})
        assert refused.status in (401, 429), token
        assert "set-cookie" not in refused.headers
    made = await _name(host)
    for value in (player.token, TOKEN, "x" * 43, ""):
        for sent in ({"Cookie": f"{made}={value}"}, {"Cookie": f"{made}={value}", **player.headers}):
            assert (await host.ask("GET", "/v1/runs", headers=sent)).status == 401
    assert (await host.ask("GET", "/v1/runs", headers={"Authorization": f"Bearer {player.token}"})).status == 401


async def _name(host: Host) -> str:
    cleared = await host.ask("DELETE", "/v1/login", headers={"Origin": _origin(host)})
    (morsel,) = SimpleCookie(cleared.headers["set-cookie"]).values()
    return morsel.key


async def test_a_wrong_token_beside_the_cookie_is_refused(host: Host) -> None:
    sent = {**await _sent(host), "Authorization": "Bearer wrong"}
    assert (await host.ask("GET", "/v1/runs", headers=sent)).status == 401


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_who_logs_out_without_an_origin_is_logged_out_unless_another_page_did_it(host: Host, site: str) -> None:
    sent = await _sent(host)
    assert (await host.ask("DELETE", "/v1/login", headers={**sent, "Sec-Fetch-Site": site})).status == 204
    assert (await host.ask("GET", "/v1/runs", headers=sent)).status == 200
    assert (await host.ask("DELETE", "/v1/login", headers=sent)).status == 204
    assert (await host.ask("GET", "/v1/runs", headers=sent)).status == 401


async def test_after_logging_out_a_copy_of_the_cookie_opens_nothing(host: Host) -> None:
    sent, other = await _sent(host), await _sent(host)
    cleared = await host.ask("DELETE", "/v1/login", headers={**sent, "Origin": _origin(host)})
    (morsel,) = SimpleCookie(cleared.headers["set-cookie"]).values()
    assert (morsel.value, morsel["max-age"]) == ("", "0")
    assert (await host.ask("GET", "/v1/runs", headers=sent)).status == 401
    assert (await host.ask("GET", "/v1/runs", headers=other)).status == 200


async def test_tokens_cannot_be_guessed_one_after_the_other(host: Host) -> None:
    answers = [
        (await host.ask("POST", "/v1/login", json={"token": f"guess-{number}"})).status
        for number in range(TRIES_PER_MINUTE + 5)
    ]
    assert answers.count(401) == TRIES_PER_MINUTE
    assert answers[-1] == 429


async def test_the_pages_are_the_same_for_everybody_and_hold_no_secret(host: Host) -> None:
    visitors = ({}, AUTHOR, await _sent(host))
    for route in studio_pages.routes:
        path = getattr(route, "path", "").replace("{run}", "0" * 18).replace("{name}", "x.js")
        answers = [(await host.ask("GET", path, headers=headers)).text for headers in visitors]
        assert len(set(answers)) == 1, path
        assert TOKEN not in answers[0]


def _scope(cookie: str, port: str = ":8321") -> dict[str, object]:
    headers = [(b"host", f"127.0.0.1{port}".encode()), (b"cookie", cookie.encode())]
    return {"type": "http", "method": "GET", "scheme": "http", "path": "/v1/runs", "headers": headers}


def test_a_login_ends_by_itself_and_the_oldest_makes_room() -> None:
    now = 0.0
    logins = Logins(TOKEN, now=lambda: now)
    made = [logins.begin() for _ in range(MOST_LOGINS + 1)]
    sent = [_scope(f"dramaturg-login-8321={value}") for value in made]
    assert [logins.admits(scope) for scope in sent] == [False, *[True] * MOST_LOGINS]
    now = DAYS * DAY + 1.0
    assert not any(logins.admits(scope) for scope in sent)


def test_a_server_on_another_port_has_a_cookie_of_its_own() -> None:
    logins = Logins(TOKEN)
    sent = f"dramaturg-login-8321={logins.begin()}"
    assert logins.admits(_scope(sent))
    assert not logins.admits(_scope(sent, ":8322"))
    assert not logins.admits(_scope(sent.replace("8321", "80")))
