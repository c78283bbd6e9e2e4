"""The canary run: secrets go through success and every fault, and are then looked for in everything that came out."""

from __future__ import annotations

import asyncio
import base64
import logging
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import pytest
from aiohttp import web
from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.kernel.settings import read_settings
from tests.child import clean_environment
from tests.hostile.canaries import DATABASE, KEY, NAMES, PLAYERS, PROXY, TOKEN, Search, spellings
from tests.hostile.scale import LONG
from tests.model_server import ModelServer
from tests.postgres import Server
from tests.server.visitor import Visitor, served
from tests.warm import program

Echo = Callable[[web.Request], web.Response]


class Parrot(ModelServer):
    """A provider that repeats what it was sent: keys in clear and encoded, headers, in every kind of failure."""

    echo: Echo | None = None

    async def _respond(self, api: Any, request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        if self.echo is not None:
            return self.echo(request)
        return await super()._respond(api, request, body, number)


def echoed(request: web.Request) -> str:
    """All that a careless server might repeat."""
    encoded = base64.b64encode(KEY.encode()).decode()
    return f"{dict(request.headers)} key={quote(KEY, safe='')} {encoded} {KEY}"


def error(status: int, **headers: str) -> Echo:
    return lambda request: web.json_response(
        {"error": {"type": "api_error", "message": echoed(request)}}, status=status, headers=headers
    )


def page(request: web.Request) -> web.Response:
    text = f"<html><p title='{KEY}'>{echoed(request)}</p></html>"
    return web.Response(text=text, content_type="text/html", status=500)


def unlabelled(request: web.Request) -> web.Response:
    """An error in no known form: quoted from its beginning, with the key where the quotation is cut."""
    return web.json_response({"x" * 285: KEY, "y": echoed(request)}, status=502)


ECHOES: dict[str, Echo | None] = {
    "success": None,
    "401": error(401),
    "400": error(400),
    "429": error(429, **{"retry-after": "0"}),
    "500 as a page": page,
    "502 without a message": unlabelled,
    "407": error(407, **{"proxy-authenticate": f'Basic realm="{KEY}"'}),
    "302": error(302, location=f"http://127.0.0.1:1/?key={quote(KEY)}"),
    "200 and no JSON": lambda request: web.Response(text=f'{{"choices": [{echoed(request)}'),
    "200 and an error": error(200),
    "200 and an error in a stream": lambda request: web.Response(
        text=f'data: {{"error": {{"message": "{KEY}"}}}}\n\n', content_type="text/event-stream"
    ),
}
SHORT = ("success", "401", "502 without a message", "200 and an error in a stream")
"""What `.ci/run` goes through; `make test-hostile` goes through all of it."""


@dataclass
class Run:
    """A project, its secrets, and what is looked through in the end."""

    story: Path
    env: dict[str, str]
    search: Search
    provider: Parrot
    seen: set[str] = field(default_factory=set)
    pasted: bool = False
    """Whether the author gives the key to the running server, in place of the environment."""

    def write_settings(self, base_url: str, *, timeout: float = 20) -> None:
        (self.story / "dramaturg.toml").write_text(
            '[models]\ndefault = "house/character"\nretries = 0\n[scenes]\nagent = "direct"\npace = 0\n'
            f'[providers.house]\nprotocol = "openai"\nbase_url = "{base_url}"\n'
            f'key_env = "HOUSE_KEY"\ntimeout = {timeout}\n'
            '[server]\ntoken_env = "DRAMATURG_STAGE_DOOR"\n'
            '[players]\nsecret_env = "DRAMATURG_PLAYERS_SECRET"\nburst = 1000\n'
            '[voices]\nengine = "silent"\n',
            encoding="utf-8",
        )

    async def visit(self, what: str) -> None:
        """All four capabilities over HTTP, whatever they answer."""
        async with served(read_settings(self.story, self.env)) as visitor:
            for where, answer in [one async for one in visited(visitor, self)]:
                self.search.look(f"{what}: {where}", answer)

    async def type(self, what: str, *commands: tuple[str, ...], keys: str = "", **env: str) -> None:
        """Commands in a process of their own."""
        for words in commands:
            done = await asyncio.to_thread(
                subprocess.run,
                [*program(), *words, "--project", str(self.story)],
                input=keys.encode(),
                capture_output=True,
                env=clean_environment(self.story.parent, **(self.env | env)),
                timeout=120,
                check=False,
            )
            assert b"Traceback" not in done.stderr, done.stderr
            self.search.look(f"{what}: stdout of {' '.join(words)}", done.stdout)
            self.search.look(f"{what}: stderr of {' '.join(words)}", done.stderr)


SCENE = {"name": "row", "prompt": "They argue.", "characters": ["walter", "iris"], "maxBeats": 2, "lookahead": False}
COMMANDS = (
    ("scene", "run", "the-second-signature", "--max-beats", "2", "--json"),
    ("episode", "play", "tea-with-walter"),
    ("foreman", "chat", "A pilot stays behind."),
    ("ensemble", "ask", "What is courage?"),
    ("runs", "list"),
    ("doctor",),
    ("models",),
)


async def visited(visitor: Visitor, run: Run) -> AsyncIterator[tuple[str, str]]:
    """What each request answers: its headers and its body. The token of each player becomes a canary."""
    own = {"Authorization": f"Bearer {TOKEN}"}

    async def ask(method: str, path: str, **how: Any) -> tuple[str, str]:
        headers = own | how.pop("headers", {})
        async with visitor.session.request(method, visitor.url + path, headers=headers, **how) as response:
            return f"{method} {path}", f"{dict(response.headers)}\n{await response.text()}"

    if run.pasted:
        for key in (f"{KEY} {KEY}", KEY * 40, [KEY], f"{KEY}\n"):  # all but the last are refused
            yield await ask("PUT", "/v1/models/choice", json={"model": "house/character", "key": key})
        for model in ("rehearsal", "nobody/at-all", KEY):
            yield await ask("PUT", "/v1/models/choice", json={"model": model, "key": KEY})
        yield await ask("GET", f"/v1/characters/{quote(KEY, safe='')}")
    where, started = await ask("POST", "/v1/scenes", json=SCENE)
    assert '"status":"playing"' in started, started
    yield where, started
    _, opened = await ask("POST", "/v1/sessions", json={"template": "tea-with-walter"})
    session = opened.partition('"id":"')[2].partition('"')[0]
    player = {"X-Player-Token": opened.partition('"player_token":"')[2].partition('"')[0]}
    assert session, opened
    run.search.secrets[f"token of the player in {session}"] = player["X-Player-Token"]
    yield await ask("POST", f"/v1/sessions/{session}/messages", json={"text": "Hello."}, headers=player)
    yield await ask("GET", f"/v1/sessions/{session}", headers=player)
    yield await ask("POST", "/v1/chat", json={"message": "What is courage?"})
    yield await ask("POST", "/v1/projects/main/consult", json={"message": "A pilot stays behind."})
    yield await ask("GET", "/v1/projects/main/consultations/1")
    _, listed = await ask("GET", "/v1/runs")
    yield "GET /v1/runs", listed
    new = {piece.partition('"')[0] for piece in listed.split('"run":"')[1:]} - run.seen
    assert new, listed
    run.seen |= new
    for played in new:
        async with asyncio.timeout(60):
            yield await ask("GET", f"/v1/runs/{played}/events")
        yield await ask("GET", f"/v1/runs/{played}")
    for path in ("/v1/models", "/healthz", "/v1/none", "/v1/runs/none", "/openapi.json"):
        yield await ask("GET", path)
    async with visitor.session.get(f"{visitor.url}/v1/runs", headers={"Authorization": "Bearer wrong"}) as response:
        yield "a wrong token", f"{dict(response.headers)}{await response.text()}"
    async with visitor.session.get(f"{visitor.url}/v1/none?token={TOKEN}") as response:
        yield "a token in the query", f"{dict(response.headers)}{await response.text()}"


@pytest.fixture
async def run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Run]:
    caplog.set_level(logging.DEBUG)
    story = tmp_path / "story"
    assert CliRunner().invoke(app, ["new", str(story)]).exit_code == 0
    env = {"HOUSE_KEY": KEY, "DRAMATURG_STAGE_DOOR": TOKEN, "DRAMATURG_PLAYERS_SECRET": PLAYERS, "DRAMATURG_TRUST": "1"}
    async with Parrot() as provider:
        run = Run(story, env, Search(dict(NAMES)), provider)
        run.write_settings(f"{provider.url}/v1")
        yield run


async def every_fault(run: Run, short: Sequence[str] = SHORT) -> None:
    """Through the provider's own failures, then through those of the network before it."""
    for what in ECHOES if LONG else short:
        run.provider.echo = ECHOES[what]
        await run.visit(what)
    run.provider.echo = None
    if not LONG:
        return
    run.provider.hold()
    run.write_settings(f"{run.provider.url}/v1", timeout=0.2)
    await run.visit("no answer in time")
    run.provider.release()
    run.write_settings(f"http://127.0.0.1:{closed_port()}/v1")
    await run.visit("connection refused")
    run.write_settings(f"{run.provider.url.replace('http:', 'https:')}/v1")
    await run.visit("no TLS there")


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def assert_none_leaked(run: Run, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    out, err = capfd.readouterr()
    run.search.look("stdout", out)
    run.search.look("stderr", err)
    for record in caplog.records:
        run.search.look(f"the log of {record.name}", caplog.handler.format(record))
    run.search.look_at_files(run.story.parent)
    assert not run.search.leaks, f"{len(run.search.leaks)} leaks\n" + "\n".join(sorted(set(run.search.leaks))[:40])


async def test_no_secret_leaves_by_any_fault_on_sqlite(run: Run, caplog: Any, capfd: Any) -> None:
    await every_fault(run)
    assert any(KEY in received.headers.get("Authorization", "") for received in run.provider.requests)
    assert_none_leaked(run, caplog, capfd)


async def test_a_key_that_was_pasted_into_the_studio_leaves_by_no_fault(run: Run, caplog: Any, capfd: Any) -> None:
    del run.env["HOUSE_KEY"]
    run.pasted = True
    await every_fault(run)
    assert any(KEY in received.headers.get("Authorization", "") for received in run.provider.requests)
    assert_none_leaked(run, caplog, capfd)


async def test_no_secret_leaves_by_any_fault_on_postgres(run: Run, caplog: Any, capfd: Any, postgres: Server) -> None:
    url = await postgres.new_database()
    parts = urlsplit(url)
    secret = urlunsplit(parts._replace(netloc=f"dramaturg:{quote(DATABASE, safe='')}@{parts.hostname or ''}"))
    run.env["DRAMATURG_STORE_URL"] = secret
    try:
        await every_fault(run, short=("401",))
        await run.type("Postgres", ("doctor",))
        await run.search.look_at_postgres(url)
        wrong = [secret.replace(parts.path, "/nowhere"), f"postgresql://u:{DATABASE}@[h:x/y"]
        wrong += [secret.replace("postgresql", "mysql"), f"{secret}&x=y"] if LONG else []
        for one in wrong:
            await run.type("a wrong URL", ("runs", "list"), DRAMATURG_STORE_URL=one)
        assert_none_leaked(run, caplog, capfd)
    finally:
        await postgres.drop_database(url)


async def test_no_secret_leaves_by_a_proxy(run: Run, caplog: Any, capfd: Any) -> None:
    run.write_settings("http://models.invalid/v1")
    signed = f"http://director:{quote(PROXY, safe='')}@127.0.0.1"
    run.env |= {"HTTP_PROXY": run.provider.url.replace("http://127.0.0.1", signed)}
    run.env["HTTPS_PROXY"] = run.env["HTTP_PROXY"]
    for what in ("success", "407", "400", "200 and no JSON") if LONG else ("407",):
        run.provider.echo = ECHOES[what]
        await run.visit(f"by a proxy: {what}")
    assert any("Proxy-Authorization" in received.headers for received in run.provider.requests)
    run.write_settings("https://models.invalid/v1")
    if LONG:
        await run.visit("a tunnel is refused")
    wrong = [f"http://director:{PROXY}@[x"]
    wrong += [f"{signed}:{closed_port()}", f"{signed}:port", f"socks9://:{PROXY}@x"] if LONG else []
    for proxy in wrong:
        run.env |= {"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy}
        await run.visit("a proxy that is none")
    await run.type("a proxy that is none", COMMANDS[0])
    assert_none_leaked(run, caplog, capfd)


@pytest.mark.parametrize("what", ECHOES if LONG else ["401"])
async def test_no_secret_leaves_by_the_command_line(run: Run, caplog: Any, capfd: Any, what: str) -> None:
    run.provider.echo = ECHOES[what]
    await run.type(what, *(COMMANDS if LONG else COMMANDS[:5]), keys="Hello.\n")
    assert_none_leaked(run, caplog, capfd)


async def test_settings_that_are_wrong_are_not_repeated_with_their_secret(run: Run, caplog: Any, capfd: Any) -> None:
    for wrong in (
        f'[store]\nurl = ["{DATABASE}"]',
        f'[providers.house]\nkey_env = ["{KEY}"]',
        f'[server]\ntoken = "{TOKEN}"',
    ):
        (run.story / "dramaturg.toml").write_text(wrong, encoding="utf-8")
        await run.type(
            "wrong settings", ("scene", "run", "the-second-signature", "--json") if LONG else ("runs", "list")
        )
    (run.story / "dramaturg.toml").unlink()
    assert_none_leaked(run, caplog, capfd)


def test_a_canary_is_found_however_it_is_written(tmp_path: Path) -> None:
    for number, spelling in enumerate(spellings(PROXY)):
        (tmp_path / f"{number}").write_bytes(b"..." + spelling + b"...")
    (tmp_path / "basic").write_bytes(base64.b64encode(f"director:{PROXY}".encode()))
    search = Search({"proxy password": PROXY})
    search.look_at_files(tmp_path)
    assert len(search.leaks) == len(list(tmp_path.iterdir()))
