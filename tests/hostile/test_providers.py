"""Every misbehaviour of a provider, on each way that an answer can take."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelError, ModelOverloaded, ModelUnavailable
from dramaturg.kernel.models.providers.faults import Source
from dramaturg.kernel.models.providers.http_body import ResponseTooLarge, Unpacker
from dramaturg.kernel.models.providers.http_pool import HttpPool
from tests.hostile.providers import (
    ALL,
    BROKEN,
    GOOD,
    LEFT_OVER,
    SMALL,
    TOLERATED,
    TOO_MUCH,
    UNREAD,
    UNREADABLE,
    Misbehaviour,
    serving,
)

SOURCE = Source("attic", "owl", "http://attic", ("ATTIC_KEY",), "s3cret-of-the-attic")
HEADERS = {"authorization": "Bearer s3cret-of-the-attic", "x-api-key": "s3cret-of-the-attic"}
FINE = TOLERATED[0]
HANGS_UP = Misbehaviour("hangs up", closes=True)

Ask = Callable[[str], Awaitable[bytes]]


@asynccontextmanager
async def way(name: str) -> AsyncIterator[Ask]:
    """One way of asking; the answer is the data of its only event."""
    pool = HttpPool(StillClock(), {}, client="builtin" if name == "builtin" else "aiohttp", limits=SMALL)

    async def complete(url: str) -> bytes:
        return (await pool.post(url, HEADERS, b"{}", SOURCE)).removeprefix(b"data: ").removesuffix(b"\n\n")

    async def stream(url: str) -> bytes:
        return b"|".join([data async for data in pool.events(url, HEADERS, b"{}", SOURCE)])

    yield stream if name == "stream" else complete
    await pool.aclose()


@pytest.fixture(params=["builtin", "aiohttp", "stream"])
async def ask(request: pytest.FixtureRequest) -> AsyncIterator[Ask]:
    async with way(request.param) as asking:
        yield asking


def named(rows: tuple[Misbehaviour, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", rows, ids=[row.name for row in rows])


def test_every_misbehaviour_has_a_name_of_its_own() -> None:
    assert len({row.name for row in ALL}) == len(ALL)


@named(TOO_MUCH)
async def test_what_has_no_end_is_refused_at_the_limit_and_never_read_to_the_end(ask: Ask, row: Misbehaviour) -> None:
    async with serving(row, FINE) as provider:
        with pytest.raises(ModelError, match=row.words) as caught:
            await ask(provider.url)
        await provider.closed.wait()
        assert await ask(provider.url) == b"owl"
    assert type(caught.value) is row.becomes
    assert provider.sent < UNREAD
    assert provider.connections == 2


def test_a_bomb_takes_no_more_memory_than_the_limit() -> None:
    bomb = gzip.compress(bytes(64 * 1024 * 1024))
    tracemalloc.start()
    with pytest.raises(ResponseTooLarge):
        b"".join(Unpacker("gzip", SMALL).feed(bomb))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 16 * SMALL.body


@named(UNREADABLE + BROKEN)
async def test_what_is_no_answer_is_a_fault_of_the_provider_that_spoils_nothing_else(
    ask: Ask, row: Misbehaviour
) -> None:
    async with serving(FINE) as elsewhere:
        row = replace(row, first=row.first.replace(b"ELSEWHERE", elsewhere.url.encode()))
        async with serving(row, FINE) as provider:
            with pytest.raises(ModelError, match=row.words) as caught:
                await ask(provider.url)
            assert await ask(provider.url) == b"owl"
    assert type(caught.value) is row.becomes
    assert "s3cret" not in str(caught.value)
    assert not elsewhere.requests


@named(TOLERATED)
async def test_what_the_protocol_allows_is_read(ask: Ask, row: Misbehaviour) -> None:
    async with serving(row, FINE) as provider:
        assert await ask(provider.url) == b"owl"
        assert await ask(provider.url) == b"owl"
    assert provider.connections == (2 if row.closes else 1)


async def test_a_refusal_that_was_read_leaves_a_good_connection(ask: Ask) -> None:
    busy = Misbehaviour("busy", b"HTTP/1.1 429 No\r\ncontent-length: 4\r\n\r\nbusy")
    async with serving(busy, FINE) as provider:
        with pytest.raises(ModelOverloaded, match="busy"):
            await ask(provider.url)
        assert await ask(provider.url) == b"owl"
    assert provider.connections == 1


async def outcome(ask: Ask, url: str) -> str:
    """The answer, or the line that aiohttp stumbled over: it refuses the whole if nonsense is in the same packet."""
    try:
        return (await ask(url)).decode()
    except ModelUnavailable as error:
        return "Bad status line" if "Bad status line" in str(error) else str(error)


@named(LEFT_OVER)
async def test_a_connection_with_anything_left_over_is_not_used_again(ask: Ask, row: Misbehaviour) -> None:
    async with serving(row, FINE) as provider:
        assert await outcome(ask, provider.url) in ("owl", "Bad status line")
        assert await ask(provider.url) == b"owl"
    assert provider.connections == 2


@pytest.mark.parametrize("words", [GOOD.replace(b"owl", b"bat"), b"HTTP/1.1 200 OK\r\n", b"H", b"\r\n"])
async def test_a_response_that_nobody_asked_for_is_nobodys(ask: Ask, words: bytes) -> None:
    async with serving(FINE, FINE) as provider:
        await ask(provider.url)
        provider.writers[0].write(words)  # no await: it is there before the client looks
        assert await ask(provider.url) == b"owl"
        assert len(provider.requests) == 2
    assert provider.connections == 2


async def test_a_kept_connection_that_fails_before_the_first_byte_is_replaced_once(ask: Ask) -> None:
    async with serving(FINE, HANGS_UP, FINE) as provider:
        await ask(provider.url)
        assert await ask(provider.url) == b"owl"
    assert (provider.connections, len(provider.requests)) == (2, 3)


async def test_a_fresh_connection_that_fails_is_not_replaced(ask: Ask) -> None:
    async with serving(FINE, HANGS_UP, HANGS_UP, FINE) as provider:
        await ask(provider.url)
        with pytest.raises(ModelError):
            await ask(provider.url)
    assert (provider.connections, len(provider.requests)) == (2, 3)


@pytest.mark.parametrize("first", [b"H", b"HTTP/1.1 200 OK\r\n", GOOD[:-1], b"\r\n"])
async def test_a_request_whose_answer_began_is_never_sent_twice(ask: Ask, first: bytes) -> None:
    async with serving(FINE, Misbehaviour("begins", first, closes=True), FINE) as provider:
        await ask(provider.url)
        with pytest.raises(ModelError):
            await ask(provider.url)
    assert len(provider.requests) == 2


async def test_a_kept_connection_that_is_reset_before_the_first_byte_is_replaced(ask: Ask) -> None:
    async with serving(FINE, FINE) as provider:
        await ask(provider.url)
        provider.writers[0].transport.abort()
        assert await ask(provider.url) == b"owl"
    assert provider.connections == 2
