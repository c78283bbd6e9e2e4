"""Bombs, injections, traversal and addresses of other machines in everything that a client can send."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import logging
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from yarl import URL

from tests.hostile.attacks.callers import BODIES, FACES, OPERATIONS, SCHEMA, address_of
from tests.hostile.attacks.host import AUTHOR, OPEN, Host, public_host, public_settings
from tests.hostile.scale import LONG

WITH_BODY = [one for one in OPERATIONS if one[1] in ("POST", "PATCH", "PUT")]
WITH_PATH = [one for one in OPERATIONS if "{" in one[2]]
KEYS = 50_000 if LONG else 5_000
"""Each key is an error of its own, at every route."""
NO_SUCH_MODEL = ("MODEL_NOT_FOUND", "MODEL_UNAVAILABLE", "KEY_REJECTED")


def _zip_bomb() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", b"\0" * 50_000_000)
    return held.getvalue()


BOMBS: dict[str, tuple[str, bytes]] = {
    "nested lists": ("application/json", b"[" * 200_000),
    "nested objects": ("application/json", b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "a long number": ("application/json", b"9" * 500_000),
    "a large exponent": ("application/json", b'{"text": 1e999999999}'),
    "not a number": ("application/json", b'{"text": NaN, "seed": Infinity}'),
    "lone surrogates": ("application/json", b'{"text": "\\ud800", "template": "\\udfff"}'),
    "one key often": ("application/json", b"{" + b",".join(b'"words":"x"' for _ in range(50_000)) + b"}"),
    "many keys": ("application/json", json.dumps({f"k{number}": 1 for number in range(KEYS)}).encode()),
    "not UTF-8": ("application/json", b'{"text": "\xff\xfe"}'),
    "UTF-16": ("application/json", json.dumps({"words": "x"}).encode("utf-16")),
    "a NUL": ("application/json", b'{"text": "\\u0000", "template": "\\u0000"}'),
    "aliases": ("application/yaml", b"a: &a [x]\n" + b"".join(b"b%d: &b%d [*a,*a]\n" % (n, n) for n in range(999))),
    "entities": (
        "application/xml",
        b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]><x>&b;&c;</x>',
    ),
    "a zip": ("application/zip", _zip_bomb()),
    "a PNG": ("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x06\0\0\0" + b"\0" * 64),
    "a form": ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n' * 5000),
    "a form of letters": ("application/x-www-form-urlencoded", b"a=1&" * 100_000),
}


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    async with public_host(public_settings(tmp_path / "story")) as visiting:
        yield visiting


@pytest.mark.parametrize("bomb", BOMBS)
async def test_no_route_takes_a_bomb(host: Host, bomb: str) -> None:
    kind, body = BOMBS[bomb]
    owner = await host.arrive()
    headers = {**AUTHOR, **owner.headers, "Content-Type": kind}
    for name, method, path in WITH_BODY:
        address = address_of(name, path, session=owner.session, share="")
        answer = await host.ask(method, address, data=body, headers=headers)
        assert answer.status < 500, f"{name}: {answer.status} {answer.text[:200]}"
        if BODIES.get(name):
            assert 400 <= answer.status < 500, f"{name}: {answer.status} {answer.text[:200]}"
            assert len(answer.text) < 5_000
    assert (await host.ask("GET", "/healthz")).status == 200


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "identity", "gzip, gzip"])
async def test_a_body_is_never_unpacked(host: Host, encoding: str) -> None:
    packed = gzip.compress(b" " * 20_000_000 + json.dumps({"template": OPEN}).encode())
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    assert (await host.ask("POST", "/v1/sessions", data=packed, headers=headers)).status in (400, 422)


TRAVERSALS = (
    "..",
    "../../../../etc/passwd",
    "..%2f..%2fdramaturg.toml",
    "%2e%2e%2f%2e%2e%2fdramaturg.toml",
    "..%5c..%5cdramaturg.toml",
    "....//dramaturg.toml",
    "%252e%252e%252fdramaturg.toml",
    "%2fetc%2fpasswd",
    "..%00.wav",
    "%00",
    "file:%2f%2f%2fetc%2fpasswd",
    "~root",
    "C:%5cwindows",
    "a" * 3000,
    "%F0%9F%92%A9" * 40,
    "%0d%0aX-Injected:%20yes",
    "%1b%5b2J",
    "%E2%80%AE",
    "' OR '1'='1",
    "%25s%25n",
    "${7*7}{{7*7}}",
)


@pytest.mark.parametrize("trick", TRAVERSALS)
async def test_no_parameter_leads_out_of_its_place(host: Host, trick: str) -> None:
    owner = await host.arrive()
    headers = {**AUTHOR, **owner.headers}
    for name, method, path in WITH_PATH:
        parameters = [part[1:].partition("}")[0] for part in path.split("/") if part.startswith("{")]
        for parameter in parameters:
            template = path.replace(f"{{{parameter}}}", "@").replace("{audio_path:path}", "@")
            address = address_of(name, template, session=owner.session, share="").replace("@", trick)
            body = {"json": BODIES.get(name, {})} if method in ("POST", "PATCH") else {}
            url = URL(host.visitor.url + address, encoded=True)
            async with host.visitor.session.request(method, url, headers=headers, **body) as response:
                assert response.status < 500, f"{name} {parameter} {response.status}"
                assert "X-Injected" not in response.headers
                endless = response.content_type == "text/event-stream"
                text = "" if endless else (await response.read()).decode("utf-8", "replace")
            assert "root:" not in text
            assert "token_env" not in text
            assert "\x1b" not in text
            assert "4949" not in text
            host.asked += 1


INJECTIONS = (
    "a\r\nX-Injected: yes",
    "a\nSet-Cookie: x=1",
    "\x1b[2J\x1b]0;owned\x07",
    "a\0b",
    "\u2028\u202e",
    "</script>",
)


@pytest.mark.parametrize("said", INJECTIONS)
async def test_nothing_said_becomes_a_header_or_a_line_of_the_log(
    host: Host, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "uvicorn")
    body = {"template": OPEN, "name": said, "about": said, "series": None}
    answer = await host.ask("POST", "/v1/sessions", json=body)
    assert answer.status in (201, 422)
    await host.ask("POST", "/v1/sessions", json={"template": said})
    owner = await host.arrive()
    for path in ("/v1/episodes", f"/v1/sessions/{owner.session}", "/v1/players/me/sessions", "/nowhere"):
        answer = await host.ask("GET", path, params={"limit": said, "q": said}, headers=owner.headers)
        assert "x-injected" not in answer.headers
        assert "set-cookie" not in answer.headers
        assert answer.status < 500
    message = {"text": f"{said} and more", "client_id": said}
    await host.ask("POST", f"/v1/sessions/{owner.session}/messages", json=message, headers=owner.headers)
    await host.ask("POST", "/v1/tokens", json={"player": said}, headers=AUTHOR)
    for record in caplog.records:
        assert said not in record.getMessage()


async def test_a_huge_query_is_refused_or_ignored(host: Host) -> None:
    for query in ("q=" + "x" * 7000, "limit=" + "9" * 5000, "&".join(f"a{n}=b" for n in range(900)), "limit=1&" * 500):
        for path in ("/v1/episodes", "/v1/runs", "/healthz"):
            assert (await host.ask("GET", f"{path}?{query}", headers=AUTHOR)).status in (200, 400, 413, 422, 431)


async def test_no_address_that_a_client_names_is_called(host: Host) -> None:
    called: list[object] = []

    async def canary(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        called.append(writer.get_extra_info("peername"))
        writer.close()

    server = await asyncio.start_server(canary, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    owner = await host.arrive()
    headers = {**AUTHOR, **owner.headers}
    try:
        for form in ("http://127.0.0.1:{}/x", "openai/http://127.0.0.1:{}", "@127.0.0.1:{}", "//127.0.0.1:{}/x"):
            address = form.format(port)
            bodies: dict[str, Any] = {
                "play_scene": {"scene": "argument", "model": address},
                "fork_run": {"beat": 0, "model": address},
                "play_takes": {"scene": "argument", "models": [address]},
                "consult_foreman": {"message": "Hello", "model": address, "file": address},
                "ask_notebook": {"notebook": address, "question": address},
                "open_session": {"template": address, "name": address, "about": f"![x]({address})"},
                "send_message": {"text": f"![x]({address}) <img src='{address}'>"},
                "ask_ensemble": {"text": address, "callback": address},
                "share_result": {"seen": address, "parts": [address]},
            }
            for name, method, path in WITH_BODY:
                where = address_of(name, path, session=owner.session, share="")
                answer = await host.ask(method, where, json=bodies.get(name, {"url": address}), headers=headers)
                assert answer.status < 500 or answer.code in NO_SUCH_MODEL, name
            forwarded = {"Referer": address, "X-Forwarded-Host": address, "Forwarded": f"for={address}"}
            await host.ask("GET", "/r/none", headers=forwarded)
        await host.visitor.studio.engine.join()
    finally:
        server.close()
        await server.wait_closed()
    assert called == []


def test_every_parameter_that_is_a_text_has_a_limit_or_a_pattern() -> None:
    for path, operations in SCHEMA["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                options = parameter["schema"].get("anyOf", [parameter["schema"]])
                for schema in options:
                    is_text = schema.get("type") == "string" and "enum" not in schema and "const" not in schema
                    bounded = {"maxLength", "pattern"} & {*schema, *parameter["schema"]}
                    assert not is_text or bounded or parameter["in"] == "path", (path, parameter["name"])


def test_the_faces_that_take_bodies_are_all_tried() -> None:
    assert len(WITH_BODY) >= 20
    assert {name for name, _, _ in WITH_BODY} - set(FACES)
