"""The WebSocket of the ensemble: who may open it, from which page, and what a client may send."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import aiohttp
import pytest
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from dramaturg.kernel.settings import ServerSettings
from dramaturg.server.http.connection import ConnectionLimits
from dramaturg.server.http.websocket_protocol import RefusingProtocol
from tests.hostile.attacks.host import AUTHOR, TOKEN, Host, check_headers, public_host, public_settings
from tests.hostile.attacks.wire import Connection, Reply, ServerProcess, server_process
from tests.server.visitor import Answer

NAMES = ("localhost", "127.0.0.1")
PATIENT = """
header_seconds = 3600
body_seconds = 3600
idle_seconds = 3600
connections_per_address = 8
"""
"""Whatever is ended here is not ended by its deadline."""
ASKED = {
    "Host": "localhost",
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==",
    "Sec-WebSocket-Version": "13",
    **AUTHOR,
}
CLOSE, PING, PONG = b"\x88\x80\0\0\0\0", b"\x89\x80\0\0\0\0", b"\x8a\x00"
NO_FRAME = b"\xff" * 16


def opening(*more: str, start: str = "GET /v1/ws HTTP/1.1", without: str = "") -> bytes:
    """A handshake, byte by byte."""
    lines = [start, *(f"{name}: {value}" for name, value in ASKED.items() if name != without), *more]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"


UNREADABLE = {
    "a body": opening("Content-Length: 5"),
    "a body that is there": opening("Content-Length: 5") + b"hello",
    "a large body": opening("Content-Length: 300000000"),
    "a length that is no plain zero": opening("Content-Length: 00"),
    "chunks": opening("Transfer-Encoding: chunked"),
    "chunks that end": opening("Transfer-Encoding: chunked") + b"0\r\n\r\n",
    "a long header": opening("X-Long: " + "x" * 9000),
    "a long path": opening(start="GET /v1/ws?" + "x" * 9000 + " HTTP/1.1"),
    "no key": opening(without="Sec-WebSocket-Key"),
    "two keys": opening("Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw=="),
    "a short key": opening("Sec-WebSocket-Key: eHh4", without="Sec-WebSocket-Key"),
    "a key that is not base64": opening("Sec-WebSocket-Key: " + "!" * 24, without="Sec-WebSocket-Key"),
    "a key that is not ASCII": opening("Sec-WebSocket-Key: " + "\xfc" * 24, without="Sec-WebSocket-Key"),
    "no version": opening(without="Sec-WebSocket-Version"),
    "another version": opening("Sec-WebSocket-Version: 8", without="Sec-WebSocket-Version"),
    "two versions": opening("Sec-WebSocket-Version: 13"),
    "two upgrades": opening("Upgrade: websocket"),
    "a subprotocol that is none": opening("Sec-WebSocket-Protocol: a b/"),
    "an extension that is none": opening("Sec-WebSocket-Extensions: ;;"),
    "an older HTTP": opening(start="GET /v1/ws HTTP/1.0"),
    **{f"the method {name}": opening(start=f"{name} /v1/ws HTTP/1.1") for name in ("POST", "HEAD", "PUT", "DELETE")},
    "the method CONNECT": opening(start="CONNECT localhost:80 HTTP/1.1"),
}


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    settings = public_settings(tmp_path_factory.mktemp("patient") / "story", server=PATIENT)
    with server_process(settings.project) as running:
        yield running


@pytest.fixture
async def server(process: ServerProcess) -> AsyncIterator[ServerProcess]:
    yield process
    await process.recover()
    assert "Traceback" not in process.log.read_text(encoding="utf-8")


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


@pytest.mark.parametrize("frames", [b"\x81\x82\0\0\0\0\xff\xfe", b"\x01\x81\0\0\0\0\xc3" + b"\x80\x81\0\0\0\0("])
async def test_a_text_that_is_not_utf_8_ends_the_websocket_without_a_traceback(
    server: ServerProcess, frames: bytes
) -> None:
    connection = await server.connect()
    await connection.send(opening())
    await connection.reader.readuntil(b"\r\n\r\n")
    await connection.send(frames)
    assert await connection.reader.read() == b"\x88\x02" + (1007).to_bytes(2, "big")
    connection.writer.close()


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/sessions", "/", "/docs", "/v1/ws/x", "/healthz"])
async def test_other_routes_are_no_websockets(host: Host, path: str) -> None:
    for headers in (AUTHOR, {}):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await host.visitor.session.ws_connect(host.visitor.url + path, headers=headers)
        assert refused.value.status in (403, 404)


@pytest.mark.parametrize("sent", UNREADABLE.values(), ids=UNREADABLE)
async def test_a_handshake_that_cannot_be_read_is_refused_at_once(server: ServerProcess, sent: bytes) -> None:
    check_refused(await server.say(sent))


@pytest.mark.parametrize(("name", "value"), [("Host", "evil.example"), ("Origin", "https://evil.example")])
async def test_nor_is_it_read_from_elsewhere(server: ServerProcess, name: str, value: str) -> None:
    check_refused(await server.say(opening(f"{name}: {value}", "Content-Length: 5", without=name)))
    assert (await server.say(opening(f"{name}: {value}", without=name))).status == 403


async def test_a_refused_handshake_swallows_nothing(server: ServerProcess) -> None:
    connection = await server.connect()
    await connection.send(UNREADABLE["a large body"])

    async def send_without_end() -> None:
        while True:
            connection.writer.write(b"x" * 65_536)
            await connection.writer.drain()

    with pytest.raises(ConnectionError):
        await send_without_end()


async def test_refused_handshakes_hold_no_connections(server: ServerProcess) -> None:
    refused = [await server.connect() for _ in range(8)]
    for one in refused:
        await one.send(UNREADABLE["a body"])
    for one in refused:
        assert (await one.reader.read()).startswith(b"HTTP/1.1 400")
    await open_and_close(await server.connect())
    for one in refused:
        one.writer.close()


async def test_a_websocket_that_was_closed_holds_no_connection(server: ServerProcess) -> None:
    for _ in range(20):
        await open_and_close(await server.connect())


async def test_a_handshake_can_come_in_pieces_and_after_other_requests(server: ServerProcess) -> None:
    connection = await server.connect()
    await connection.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    head = await connection.reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split()[0])
    await connection.reader.readexactly(length)
    for piece in (opening()[:10], opening()[10:60]):
        await connection.send(piece)
    await open_and_close(connection, opening()[60:])


def check_refused(reply: Reply) -> None:
    assert reply.status == 400
    assert reply.headers["connection"] == "close"
    body = reply.text.partition("\r\n\r\n")[2]
    answer = Answer(reply.status, reply.headers, body)
    assert answer.code == "BAD_REQUEST"
    assert "WebSocket" in answer.json["error"]["message"]


async def open_and_close(connection: Connection, sent: bytes = opening()) -> None:
    """Opens a WebSocket, and closes it as a client should; the server closes the connection."""
    await connection.send(sent)
    head = await connection.reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101"), head
    await connection.send(CLOSE)
    await connection.reader.read()
    connection.writer.close()


# The protocols alone, before an app that answers as late as an app can.


class LateApp:
    """Opens the WebSocket at /open and answers nothing else. What is asked ends when the client has gone."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.set()
        if scope["path"] == "/open":
            await send({"type": "websocket.accept"})
        while not (await receive())["type"].endswith("disconnect"):
            pass


@asynccontextmanager
async def late_server(
    http: Callable[..., asyncio.Protocol], app: LateApp | None = None
) -> AsyncIterator[ServerProcess]:
    """It has released every connection, and its app has ended every request, when the block ends."""
    config = Config(app or LateApp(), ws=RefusingProtocol, lifespan="off", log_config=None)
    config.load()
    state = ServerState()
    made = partial(http, config=config, server_state=state, app_state={})
    async with await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0) as listening:
        host, port = listening.sockets[0].getsockname()
        yield ServerProcess(host, port, Path())
        await asyncio.gather(*state.tasks)
        assert not state.connections


def limited(**settings: float) -> Callable[..., asyncio.Protocol]:
    return ConnectionLimits(ServerSettings(**settings)).protocol()


async def test_a_handshake_that_the_app_does_not_answer_is_ended_and_an_open_websocket_is_not() -> None:
    async with late_server(limited(header_seconds=2)) as server:
        opened, unanswered = await server.connect(), await server.connect()
        await opened.send(opening(start="GET /open HTTP/1.1"))
        assert (await opened.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        await unanswered.send(opening())
        assert await unanswered.reader.read() == b""
        await opened.send(PING)
        assert await opened.reader.readexactly(len(PONG)) == PONG
        await opened.send(CLOSE)
        await opened.reader.read()
        for one in (opened, unanswered):
            one.writer.close()


async def test_what_is_no_frame_ends_a_handshake_that_is_not_answered_yet(caplog: pytest.LogCaptureFixture) -> None:
    app = LateApp()
    async with late_server(limited(header_seconds=3600), app) as server:
        connection = await server.connect()
        await connection.send(opening())
        await app.asked.wait()
        await connection.send(NO_FRAME)
        assert (await connection.reply()).text == ""
    assert "Fatal error" not in caplog.text


async def test_a_handshake_behind_a_request_without_an_answer_ends_both() -> None:
    async with late_server(limited(header_seconds=3600)) as server:
        check_refused(await server.say(b"GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n" + opening()))


@pytest.mark.parametrize("sent", [UNREADABLE["a body that is there"], UNREADABLE["a long header"]])
async def test_one_that_nobody_has_judged_before_is_closed_if_it_cannot_be_read(sent: bytes) -> None:
    async with late_server(HttpToolsProtocol) as server:
        assert (await server.say(sent)).text == ""
