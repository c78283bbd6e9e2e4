"""Host and Origin tricks, repeated headers, methods, and pages that would load something from elsewhere."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.settings import read_settings
from dramaturg.server.uvicorn_server import hosts_of
from tests.hostile.attacks.callers import OPERATIONS, address_of
from tests.hostile.attacks.host import AUTHOR, OPEN, Host, public_host, public_settings
from tests.server.players import write_episode

NAMES = ("play.example.org", "localhost", "127.0.0.1")
FOREIGN_HOSTS = (
    "evil.example",
    "play.example.org.evil.example",
    "evil.example/play.example.org",
    "play.example.org@evil.example",
    "evil.example#play.example.org",
    "play.example.org,evil.example",
    "play.example.org evil.example",
    "0.0.0.0",
    "[::ffff:7f00:1]",
    "127.1",
    "2130706433",
    "localhost.",
    "localhost:http",
    "localhost:999999",
    "",
)
FOREIGN_ORIGINS = (
    "https://evil.example",
    "null",
    "file://",
    "http://localhost",
    "http://localhost:5173",
    "http://127.0.0.1:5173",
    "https://play.example.org:444",
    "https://play.example.org.evil.example",
    "https://evil.example?play.example.org",
    "https://play.example.org@evil.example",
    "ftp://play.example.org",
    "javascript:alert(1)",
    "http://[",
    "",
)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    async with public_host(public_settings(tmp_path / "story"), hosts=NAMES) as visiting:
        yield visiting


@pytest.mark.parametrize("name", FOREIGN_HOSTS)
async def test_another_name_for_this_host_is_not_answered(host: Host, name: str) -> None:
    for path in ("/v1/runs", "/v1/episodes", "/healthz/", "/docs", "/r/none", "/nowhere"):
        answer = await host.ask("GET", path, headers={**AUTHOR, "Host": name})
        assert answer.status in (400, 403), path
        assert "evil" not in answer.text


@pytest.mark.parametrize("name", ["10.1.2.3:8321", "10.1.2.3", "[fd00::7]:8321", "evil.example"])
async def test_a_health_check_by_another_name_is_told_a_status_and_nothing_else(host: Host, name: str) -> None:
    answer = await host.ask("GET", "/healthz", headers={"Host": name})
    assert (answer.status, answer.text) == (200, "")
    assert "content-type" not in answer.headers
    assert (await host.ask("POST", "/healthz", headers={"Host": name})).status == 403
    foreign = {"Host": name, "Origin": "https://evil.example.org"}
    assert (await host.ask("GET", "/healthz", headers=foreign)).status == 403
    assert "version" in (await host.ask("GET", "/healthz", headers={"Host": "play.example.org"})).text


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "HEAD"])
async def test_a_page_of_another_origin_neither_reads_nor_changes(host: Host, method: str, origin: str) -> None:
    headers = {**AUTHOR, "Host": "play.example.org", "Origin": origin}
    for path in ("/v1/sessions", "/v1/episodes", "/healthz", "/openapi.json"):
        answer = await host.ask(method, path, headers=headers)
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers


async def test_its_own_page_may(host: Host) -> None:
    for origin, name in (("https://play.example.org", "play.example.org"), ("http://localhost:81", "localhost:81")):
        own = {"Host": name, "Origin": origin}
        body = {"template": OPEN}
        assert (await host.ask("POST", "/v1/sessions", json=body, headers=own)).status == 201


async def test_headers_that_say_another_name_are_not_believed(host: Host) -> None:
    for header in ("X-Forwarded-Host", "X-Original-URL", "X-Rewrite-URL", "Forwarded", "X-Host"):
        foreign = {"Host": "evil.example", header: "play.example.org"}
        assert (await host.ask("GET", "/v1/episodes", headers=foreign)).status == 403
        aside = {header: "/v1/episodes"}
        assert (await host.ask("GET", "/v1/runs", headers=aside)).status == 401


@pytest.mark.parametrize("name", ["Origin", "Authorization", "X-Player-Token", "Idempotency-Key"])
async def test_a_header_that_counts_may_be_there_once(host: Host, name: str) -> None:
    first = AUTHOR["Authorization"] if name == "Authorization" else "http://localhost"
    pairs = [("Host", "localhost"), (name, first), (name, "another")]
    assert (await host.ask("GET", "/v1/runs", headers=pairs)).status == 400


@pytest.mark.parametrize("method", ["PUT", "TRACE", "CONNECT", "PROPFIND", "HEAD", "PATCH", "get", "OPTIONS", "LINK"])
async def test_a_method_that_a_route_does_not_have_opens_nothing(host: Host, method: str) -> None:
    for name, described, path in OPERATIONS:
        if described == method.upper() or (path, method.upper()) in {(one, how) for _, how, one in OPERATIONS}:
            continue
        if method == "CONNECT":
            continue
        address = address_of(name, path, session="0" * 18, share="")
        answer = await host.ask(method, address)
        assert answer.status in (400, 401, 404, 405), f"{method} {path} {answer.status}"


async def test_a_method_in_a_header_or_the_query_is_not_obeyed(host: Host) -> None:
    owner = await host.arrive()
    path = f"/v1/sessions/{owner.session}"
    for header in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        assert (await host.ask("GET", path, headers={**owner.headers, header: "DELETE"})).status == 200
    assert (await host.ask("GET", f"{path}?_method=DELETE", headers=owner.headers)).status == 200
    assert (await host.ask("GET", path, headers=owner.headers)).status == 200


@pytest.mark.parametrize("page", ["/docs", "/docs/api.js", "/docs/api.css", "/r/static/result.js"])
async def test_a_page_loads_nothing_from_elsewhere(host: Host, page: str) -> None:
    answer = await host.ask("GET", page)
    assert answer.status == 200
    assert not re.search(r"(?:src|href|import|url)\s*[=(]\s*[\"']?\s*(?:https?:)?//", answer.text)
    assert not re.search(r"<script(?![^>]*src=)|\son\w+=|style=|innerHTML|eval\(", answer.text)
    assert "'self'" in answer.headers["content-security-policy"]
    for script in re.findall(r'(?:src|href)="(/[^"]+\.(?:js|css))"', answer.text):
        assert (await host.ask("GET", script)).status == 200
    assert (await host.ask("GET", "/redoc")).status == 404
    assert (await host.ask("GET", "/docs/oauth2-redirect")).status == 404


@pytest.mark.parametrize(
    "line",
    [
        'origins = ["*"]',
        'origins = ["play.example.org"]',
        'origins = ["https://play.example.org/"]',
        'origins = ["https://*.example.org"]',
        'origins = ["null"]',
        'origins = ["javascript:x"]',
        'origins = ["https://a.example https://b.example"]',
        'embed_origins = ["*"]',
        'embed_origins = ["https://a.example; script-src *"]',
    ],
)
def test_an_origin_that_is_none_or_all_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text(f"[players]\n{line}\n", encoding="utf-8")
    with pytest.raises(InvalidSettings, match=r"players"):
        read_settings(tmp_path, {})


async def test_all_origins_need_a_word_of_confirmation(tmp_path: Path) -> None:
    settings = public_settings(tmp_path / "story", players='origins = ["*"]\nany_origin = true')
    async with public_host(settings, hosts=NAMES) as host:
        answer = await host.ask("GET", "/v1/episodes", headers={"Host": "localhost", "Origin": "https://any.example"})
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, "*")
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize("proxy", ["*", "localhost", "proxy.example", "10.0.0.0/99", ""])
def test_a_proxy_is_an_address(proxy: str, tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text(f'[server]\nproxies = ["{proxy}"]\n', encoding="utf-8")
    with pytest.raises(InvalidSettings, match=r"server\.proxies"):
        read_settings(tmp_path, {})


def test_a_host_for_other_machines_answers_to_the_names_it_is_given(tmp_path: Path) -> None:
    named = public_settings(tmp_path / "named", 'public_url = "https://Play.example.org/"', 'hosts = ["Two.example"]')
    assert set(hosts_of(named, "0.0.0.0") or ()) >= {"play.example.org", "two.example"}
    assert "evil.example" not in (hosts_of(named, "0.0.0.0") or ())
    assert hosts_of(public_settings(tmp_path / "nameless"), "0.0.0.0") is None
    assert hosts_of(public_settings(tmp_path / "here"), "127.0.0.1") is not None


async def test_without_a_token_no_name_in_the_settings_makes_a_strange_page_the_author(tmp_path: Path) -> None:
    more = '[players]\npublic_url = "https://evil.example"\n[server]\nhosts = ["two.example"]\n'
    settings = read_settings(write_episode(tmp_path / "story", more=more), {}, trust=True)
    async with public_host(settings, hosts=hosts_of(settings, "127.0.0.1")) as host:
        for name in ("evil.example", "two.example"):
            rebound = {"Host": f"{name}:8321", "Origin": f"http://{name}:8321"}
            assert (await host.ask("GET", "/v1/runs", headers=rebound)).status == 403
            foreign = {"Host": "localhost:8321", "Origin": f"https://{name}"}
            assert (await host.ask("POST", "/v1/tokens", json={}, headers=foreign)).status == 403
        own = {"Host": "localhost:8321", "Origin": "http://localhost:8321"}
        assert (await host.ask("GET", "/v1/runs", headers=own)).status == 200
