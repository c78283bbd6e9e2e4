"""Requests without an end, half-open connections and too many of them, against a server in a process of its own.

The limits are small, and a test waits until the server closes the connection: nothing is measured.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from tests.hostile.attacks.host import TOKEN, public_settings
from tests.hostile.attacks.wire import Connection, ServerProcess, server_process

LIMITS = """
header_seconds = {seconds}
body_seconds = {seconds}
idle_seconds = 0.5
stalled_seconds = 0.5
header_bytes = 4096
connections = 20
connections_per_address = 8
"""
HOST = b"Host: localhost\r\n"
KEY = b"Authorization: Bearer " + TOKEN.encode() + b"\r\n"
GET = b"GET /healthz HTTP/1.1\r\n" + HOST
POST = b"POST /v1/sessions HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
ENDLESS_PIECES = 400


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    settings = public_settings(tmp_path_factory.mktemp("host") / "story", server=LIMITS.format(seconds=0.5))
    with server_process(settings.project) as running:
        yield running


@pytest.fixture(scope="module")
def patient_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    settings = public_settings(tmp_path_factory.mktemp("patient") / "story", server=LIMITS.format(seconds=3600))
    with server_process(settings.project) as running:
        yield running


@pytest.fixture
async def server(process: ServerProcess) -> AsyncIterator[ServerProcess]:
    yield process
    await process.recover()
    assert "Traceback" not in process.log.read_text(encoding="utf-8")


@pytest.fixture
async def patient_server(patient_process: ServerProcess) -> AsyncIterator[ServerProcess]:
    """One that lets a half-sent request wait, so that connections stay held on the slowest machine."""
    yield patient_process
    await patient_process.recover()
    assert "Traceback" not in patient_process.log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ((), 408),
        ((b"G",), 408),
        ((b"GET /healthz",), 408),
        ((b"\r\n", b"\r\n"), 408),
        ((GET,), 408),
        ((GET, b"X-Slow: "), 408),
        ((POST + b"Content-Length: 100\r\n\r\n",), 408),
        ((POST + b"Content-Length: 100\r\n\r\n", b'{"template"'), 408),
        ((POST + b"Transfer-Encoding: chunked\r\n\r\n", b"5\r\nhello\r\n"), 408),
        ((POST + b"Transfer-Encoding: chunked\r\n\r\n", b"fffffff\r\n", b"x" * 1000), 408),
        ((GET + b"X-Long: " + b"x" * 5000,), 431),
        ((GET + b"X-Long: " + b"x" * 5000 + b"\r\n\r\n",), 431),
        ((GET + b"".join(b"X-%d: y\r\n" % number for number in range(120)) + b"\r\n",), 431),
        ((b"GET /healthz?" + b"q=1&" * 2000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",), 431),
        ((b"GET /" + b"a" * 5000,), 431),
        ((GET + b"Host: evil.example\r\nConnection: close\r\n\r\n",), 400),
        ((b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n",), 400),
        ((b"GET /v1/runs HTTP/1.1\r\nConnection: close\r\n\r\n",), 403),
        ((b"GET http://evil.example/v1/runs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",), 403),
        ((b"\0\0\0\0",), 400),
        ((b"GET /healthz HTTP/9.9\r\n" + HOST + b"\r\n",), 400),
        ((b"GET /healthz HTTP/2.0\r\n" + HOST + b"\r\n",), 400),
        ((b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",), 400),
        ((GET + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",), 400),
        ((GET + b"Content-Length: -5\r\n\r\n",), 400),
        ((POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",), 400),
        ((POST + b"Transfer-Encoding: chunked\r\n\r\nnot-a-size\r\n",), 400),
        ((b"GET /healthz HTTP/1.1\r\n" + HOST + b"Bad Name: x\r\n\r\n",), 400),
        ((b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: a\0b\r\n\r\n",), 400),
        ((b"GET /healthz HTTP/1.1\nHost: localhost\n\n",), 400),
        ((b"\x16\x03\x01\x02\x00\x01\x00",), 400),
    ],
)
async def test_a_request_that_does_not_end_or_is_none_is_ended(
    server: ServerProcess, sent: tuple[bytes, ...], status: int
) -> None:
    assert (await server.say(*sent)).status == status


async def test_headers_that_never_stop_coming_are_stopped(server: ServerProcess) -> None:
    connection = await server.connect()
    await connection.send(GET)
    for number in range(ENDLESS_PIECES):
        await connection.send(b"X-Drop-%d: %s\r\n" % (number, b"x" * 40))
    assert (await connection.reply()).status in (0, 431)


async def test_a_body_that_never_stops_coming_is_stopped(server: ServerProcess) -> None:
    connection = await server.connect()
    await connection.send(POST + KEY + b"Transfer-Encoding: chunked\r\n\r\n")
    for _ in range(ENDLESS_PIECES):
        await connection.send(b"2000\r\n" + b" " * 0x2000 + b"\r\n")
    assert (await connection.reply()).status in (0, 408, 413)


async def test_trailers_are_no_headers(server: ServerProcess) -> None:
    chunked = b"GET /v1/runs HTTP/1.1\r\n" + HOST + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    assert (await server.say(chunked + KEY + b"\r\n")).status == 401
    endless = chunked + b"".join(b"X-%d: %s\r\n" % (number, b"x" * 60) for number in range(200))
    assert (await server.say(endless)).status in (400, 401, 431)


async def test_an_idle_connection_is_closed(server: ServerProcess) -> None:
    first = await server.say(GET + b"\r\n")
    assert (first.status, first.text.count("HTTP/1.1")) == (200, 1)


async def test_a_connection_is_idle_after_a_body_that_comes_behind_its_answer(patient_server: ServerProcess) -> None:
    late = await patient_server.connect()
    await late.send(GET + b"Content-Length: 5\r\n\r\n")
    assert (await answer(late)).startswith(b"HTTP/1.1 200")
    await late.send(b"hello")
    assert (await late.reply()).text == ""


async def test_a_request_behind_such_a_body_is_no_idle_time(patient_server: ServerProcess) -> None:
    late = await patient_server.connect()
    await late.send(GET + b"Content-Length: 5\r\n\r\n")
    assert (await answer(late)).startswith(b"HTTP/1.1 200")
    await late.send(b"hello" + GET)
    idle = await patient_server.connect()
    await idle.send(GET + b"\r\n")
    assert (await idle.reply()).status == 200
    await late.send(b"\r\n")
    assert (await late.reply()).status == 200


async def test_a_client_that_does_not_read_is_let_go(server: ServerProcess) -> None:
    connection = await server.connect()
    connection.writer.transport.pause_reading()  # type: ignore[attr-defined]
    asked = (b"GET /openapi.json HTTP/1.1\r\n" + HOST + b"\r\n") * 100

    async def ask_without_end() -> None:
        while True:
            connection.writer.write(asked)
            await connection.writer.drain()

    with pytest.raises(ConnectionError):
        await ask_without_end()


async def test_one_address_cannot_take_every_connection(patient_server: ServerProcess) -> None:
    async with held(patient_server, ["127.0.0.1"] * 8):
        refused = await patient_server.say(GET + b"\r\n")
        assert refused.status == 503
        assert "too many connections" in refused.text
        other = await patient_server.connect(source="127.0.0.2")
        await other.send(GET + b"Connection: close\r\n\r\n")
        assert (await other.reply()).status == 200


async def test_all_addresses_together_cannot_take_more_than_there_are(patient_server: ServerProcess) -> None:
    async with held(patient_server, [f"127.0.0.{3 + number // 7}" for number in range(20)]):
        assert (await patient_server.say(GET + b"\r\n")).status == 503


async def test_half_sent_requests_held_by_one_address_are_all_ended(server: ServerProcess) -> None:
    async with held(server, ["127.0.0.1"] * 8) as connections:
        assert {(await one.reply()).status for one in connections} == {408}


async def answer(connection: Connection) -> bytes:
    """The next response, of a connection that stays open."""
    head = await connection.reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    assert length is not None
    return head + await connection.reader.readexactly(int(length[1]))


@asynccontextmanager
async def held(server: ServerProcess, sources: list[str]) -> AsyncIterator[list[Connection]]:
    """Connections from these addresses, each with the first letter of a request sent."""
    connections = [await server.connect(source=source) for source in sources]
    try:
        for one in connections:
            await one.send(b"G")
        yield connections
    finally:
        for one in connections:
            one.writer.close()


async def test_pipelined_requests_are_answered_one_by_one_each_with_its_own_caller(server: ServerProcess) -> None:
    ask = b"GET /v1/runs HTTP/1.1\r\n" + HOST
    reply = await server.say(ask + KEY + b"\r\n" + ask + b"\r\n" + ask + b"Connection: close\r\n\r\n")
    assert re.findall(r"HTTP/1.1 (\d+)", reply.text) == ["200", "401", "401"]


async def test_two_hundred_half_open_connections_leave_the_server_well(server: ServerProcess) -> None:
    for _ in range(10):
        held = await asyncio.gather(*(server.connect() for _ in range(20)))
        for one in held:
            one.writer.write(b"GET /he")
            one.writer.close()
