"""Small pieces cost far more work than their bytes: few are taken in one step of the loop, and not many in all."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelError, ModelUnavailable, ModelUnreadable
from dramaturg.kernel.models.providers.http_body import STEP, ResponseLimits, SmallReads, Unpacker
from dramaturg.kernel.models.providers.http_pool import HttpPool
from dramaturg.kernel.models.providers.metered_connector import Exchange, _Meter
from dramaturg.kernel.models.providers.sdk_client import sdk_client
from tests.hostile.providers import (
    CHUNKED,
    HEADERS,
    OK,
    SMALL,
    HostileProvider,
    Misbehaviour,
    bare_deflate,
    chunk,
    serving,
)
from tests.hostile.test_providers import SOURCE, Ask, way

LARGE = ResponseLimits()
EVENT = b"data: hoot\n\n"
LAST = b"0\r\n\r\n"
PACKED = OK + b"content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n"
MEGABYTE = 1024 * 1024
CERTIFICATE = Path(__file__).parents[1] / "model_server" / "certificate"


class Turns:
    """Counts the turns of the event loop."""

    def __init__(self) -> None:
        self.count = 0
        self._loop = asyncio.get_running_loop()
        self._next = self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        self.count += 1
        self._next = self._loop.call_soon(self._turn)

    def stop(self) -> None:
        self._next.cancel()


@asynccontextmanager
async def counted_turns() -> AsyncIterator[Turns]:
    turns = Turns()
    yield turns
    turns.stop()


class Reads(SmallReads):
    """A client that remembers how much it was given in each turn."""

    def __init__(self, turns: Turns) -> None:
        self.sizes: dict[int, int] = {}
        self.lost = asyncio.get_running_loop().create_future()
        self._turns = turns

    def buffer_updated(self, count: int) -> None:
        self.sizes[self._turns.count] = self.sizes.get(self._turns.count, 0) + count

    def connection_lost(self, _error: Exception | None) -> None:
        self.lost.set_result(None)


async def test_of_what_has_arrived_no_more_than_one_step_is_taken_in_a_turn() -> None:
    async with (
        serving(Misbehaviour("much at once", b"o" * MEGABYTE, closes=True)) as provider,
        counted_turns() as turns,
    ):
        port = int(provider.url.rpartition(":")[2].removesuffix("/v1"))
        loop = asyncio.get_running_loop()
        transport, reads = await loop.create_connection(lambda: Reads(turns), "127.0.0.1", port)
        transport.write(b"POST / HTTP/1.1\r\n\r\n")
        await reads.lost
    assert sum(reads.sizes.values()) == MEGABYTE
    assert max(reads.sizes.values()) <= STEP


@pytest.mark.parametrize(
    "answer",
    [
        CHUNKED + chunk(EVENT * 40_000) + LAST,
        CHUNKED + chunk(EVENT) * 40_000 + LAST,
        PACKED + chunk(gzip.compress(EVENT * 40_000)) + LAST,
        PACKED + b"".join(chunk(bytes([one])) for one in gzip.compress(EVENT * 40_000)) + LAST,
    ],
    ids=["one chunk", "a chunk for each event", "packed", "packed, in chunks of a byte"],
)
async def test_between_the_events_of_a_stream_others_have_their_turn(answer: bytes) -> None:
    pool = HttpPool(StillClock(), {})
    heard: dict[int, int] = {}
    async with serving(Misbehaviour("events", answer)) as provider, counted_turns() as turns:
        async for _ in pool.events(provider.url, {}, b"{}", SOURCE):
            heard[turns.count] = heard.get(turns.count, 0) + 1
            while len(heard) == 1 and turns.count < 200:  # meanwhile more arrives
                await asyncio.sleep(0)
        await pool.aclose()
    assert sum(heard.values()) == 40_000
    assert max(heard.values()) <= 4 * STEP // len(EVENT)


async def test_between_the_pieces_for_an_sdk_others_have_their_turn() -> None:
    answer = PACKED + b"".join(chunk(bytes([one])) for one in gzip.compress(EVENT * 40_000)) + LAST
    heard: dict[int, int] = {}
    async with (
        serving(Misbehaviour("events", answer)) as provider,
        sdk_client() as client,
        counted_turns() as turns,
        client.stream("POST", provider.url, content=b"{}") as response,
    ):
        async for piece in response.aiter_bytes():
            heard[turns.count] = heard.get(turns.count, 0) + len(piece)
    assert sum(heard.values()) == 40_000 * len(EVENT)
    assert max(heard.values()) <= 16 * STEP


@pytest.mark.parametrize("size", [0, 1, STEP - 1, STEP, STEP + 1, STEP + 100, 5 * STEP])
@pytest.mark.parametrize(
    ("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", bare_deflate)]
)
def test_a_packed_body_is_unpacked_in_steps_to_its_last_byte(
    coding: str, pack: Callable[[bytes], bytes], size: int
) -> None:
    packed = pack(bytes(size))
    for cut in (1, 7, len(packed)):
        unpacker = Unpacker(coding, LARGE)
        parts = [part for at in range(0, len(packed), cut) for part in unpacker.feed(packed[at : at + cut])]
        unpacker.finish()
        assert b"".join(parts) == bytes(size)
        assert max(map(len, parts)) <= STEP


@pytest.mark.parametrize(("size", "more"), [(STEP - 1, False), (STEP, True)])
def test_after_a_read_that_took_all_it_could_there_may_be_more(size: int, more: bool) -> None:
    inner: Any = SimpleNamespace(data_received=lambda _: None)
    exchange, meter = Exchange(LARGE), _Meter(inner, inner)
    exchange.begin(meter, kept=False)
    meter.get_buffer(-1)[:size] = LAST.rjust(size, b"o")
    meter.buffer_updated(size)
    assert exchange.has_left_over() is more


@pytest.fixture(params=["builtin", "aiohttp", "stream"])
async def ask(request: pytest.FixtureRequest) -> AsyncIterator[Ask]:
    async with way(request.param) as asking:
        yield asking


TOKEN = b"data: %b\n\n" % (b"x" * 292)
MANY = SMALL.body // len(TOKEN)


@pytest.mark.parametrize("pieces", [(TOKEN,), (b"data: ", TOKEN[6:-2], b"\n\n")], ids=["one chunk", "three chunks"])
async def test_an_honest_answer_may_have_a_few_chunks_for_each_token_up_to_the_limit(
    ask: Ask, pieces: tuple[bytes, ...]
) -> None:
    answer = CHUNKED + b"".join(map(chunk, pieces)) * MANY + LAST
    async with serving(Misbehaviour("tokens", answer)) as provider:
        heard = await ask(provider.url)
    assert heard.count(b"x" * 292) == MANY


@pytest.mark.parametrize(
    ("later", "becomes", "words"),
    [
        (b"1;\r\no\r\n", ModelUnavailable, "not an HTTP response"),
        (b"owl\r\n", ModelUnavailable, "not an HTTP response"),
        (b"0\r\nx: " + b"o" * 5000, ModelUnreadable, HEADERS),
        (b"0\r\n" + b"x: y\r\n" * 900, ModelUnreadable, HEADERS),
    ],
    ids=["an extension without a name", "no size", "a trailer of 5 kB", "900 trailers"],
)
async def test_a_body_that_goes_on_in_nonsense_ends_at_once(
    later: bytes, becomes: type[ModelError], words: str
) -> None:
    pool = HttpPool(StillClock(), {}, limits=SMALL)
    async with serving(Misbehaviour("a beginning", CHUNKED + chunk(EVENT))) as provider:

        async def read() -> None:
            async with pool.reply("POST", provider.url, {}, b"{}", SOURCE) as reply:
                provider.writers[0].write(later)
                await reply.body()

        with pytest.raises(becomes, match=words):
            await read()
        await pool.aclose()


async def test_over_tls_a_long_answer_arrives_whole_and_leaves_a_good_connection(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE / "cert.pem"))
    trusted = ssl.create_default_context()
    monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", trusted)  # made before the variable was set
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE / "cert.pem", CERTIFICATE / "key.pem")
    answer = CHUNKED + chunk(b"data: " + b"o" * 55_000 + b"\n\n") + LAST
    provider = HostileProvider([Misbehaviour("long", answer), Misbehaviour("long", answer)])
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0, ssl=context)
    url = f"https://localhost:{server.sockets[0].getsockname()[1]}/v1"
    for _ in range(2):
        assert await ask(url) == b"o" * 55_000
    assert provider.connections == 1
    provider.writers[0].transport.abort()
    server.close()
    await server.wait_closed()
