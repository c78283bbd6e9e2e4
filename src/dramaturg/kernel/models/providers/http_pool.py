"""HTTP for our own adapters: shared connections, JSON out, JSON or server-sent events in, errors mapped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Literal

import aiohttp
import orjson

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import ModelError, ModelRejected, ModelTimeout
from dramaturg.kernel.models.providers.faults import Source, garbled, refusal, unreached, unusable
from dramaturg.kernel.models.providers.http_body import STEP, ResponseLimits, Unpacker, UnusableResponse
from dramaturg.kernel.models.providers.http_client import IDLE_SECONDS, Address, HttpClient, address_of
from dramaturg.kernel.models.providers.metered_connector import EXCHANGE, Exchange, MeteredConnector
from dramaturg.kernel.models.providers.proxies import Proxies, Proxy, UnusableProxy
from dramaturg.kernel.redaction import passwords_of_proxies

CONNECT_SECONDS = 10.0
UNKNOWN_TYPE = "application/octet-stream"
SMALLEST_HEADER = 16
"""aiohttp limits the number of headers besides their size; this many bytes each is more than anyone needs."""


class HttpReply:
    """The head of a response, and the pieces of its body, which can be read once."""

    def __init__(self, response: aiohttp.ClientResponse, exchange: Exchange, limits: ResponseLimits) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers
        # not `response.content_type`: aiohttp's parser of it recurses into brackets
        self.content_type = response.headers.get("content-type", UNKNOWN_TYPE).partition(";")[0].strip().lower()
        self._content = response.content
        self._exchange = exchange
        self._parts: Iterator[bytes] = iter(())
        self._unpacker = Unpacker(", ".join(response.headers.getall("content-encoding", ())), limits)

    def __aiter__(self) -> HttpReply:
        """The unpacked body as it arrives. Raises UnusableResponse, also if it is too large."""
        return self

    async def __anext__(self) -> bytes:
        while not (part := next(self._parts, b"")):
            if not (piece := await self._exchange.next_piece(self._content)):
                self._unpacker.finish()
                raise StopAsyncIteration
            self._parts = self._unpacker.feed(piece)
        if len(part) == STEP:
            await asyncio.sleep(0)
        return part

    async def body(self) -> bytes:
        """The whole unpacked body. Raises UnusableResponse, also if it is too large."""
        return b"".join([part async for part in self])


class HttpPool:
    """The connections that all adapters of a gateway share; the first request opens them.

    Complete responses go through our own `HttpClient`; streams, proxies and unusual addresses go through aiohttp, and
    so does everything if `client` says so. Both have the same limits. Proxies are taken from `env`; see `Proxies`.
    """

    def __init__(
        self,
        clock: Clock,
        env: Mapping[str, str] | None = None,
        *,
        client: Literal["builtin", "aiohttp"] = "builtin",
        limits: ResponseLimits | None = None,
    ) -> None:
        self.clock = clock
        self._proxies = Proxies(env or {})
        self._limits = limits or ResponseLimits()
        self.secrets = passwords_of_proxies(env or {})
        self._session: aiohttp.ClientSession | None = None
        self._client = HttpClient(CONNECT_SECONDS, self._limits) if client == "builtin" else None
        self._direct_addresses: dict[str, Address | None] = {}
        self._proxy_of: dict[str, Proxy | None] = {}

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes, source: Source) -> bytes:
        """Returns the body of a successful response. Raises ModelError."""
        try:
            address = self._direct_address(url)
            if self._client is None or address is None:
                async with self.request("POST", url, headers, body) as response:
                    await self._check(response, source)
                    return await response.body()
            answer = await self._client.post(address, headers, body)
        except (aiohttp.ClientError, TimeoutError, OSError, UnusableProxy) as error:
            raise _connection_error(source, error) from error
        if answer.status != 200:
            raise refusal(source, answer.status, answer.body, answer.headers, self.clock.now())
        return answer.body

    async def events(
        self, url: str, headers: Mapping[str, str], body: bytes, source: Source
    ) -> AsyncGenerator[bytes, None]:
        """Yields the data of each server-sent event of a successful response. Raises ModelError."""
        async with self.reply("POST", url, headers, body, source) as response:
            if "json" in response.content_type or "html" in response.content_type:
                # Some servers ignore `stream` and answer in one piece; captive portals return HTML.
                yield await response.body()
                return
            async for data in server_sent(response):
                yield data

    @asynccontextmanager
    async def reply(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, source: Source
    ) -> AsyncGenerator[HttpReply, None]:
        """A successful response, read inside the block. Raises ModelError, also for what goes wrong while reading."""
        try:
            async with self.request(method, url, headers, body) as response:
                await self._check(response, source)
                yield response
        except (aiohttp.ClientError, TimeoutError, OSError, UnusableProxy) as error:
            raise _connection_error(source, error) from error

    async def models_at(self, base_url: str, key: str | None, seconds: float) -> list[str] | None:
        """The ids that a server lists at `/models`, each once; None if it does not answer in time or in this format."""
        headers = {"authorization": f"Bearer {key}"} if key else {}
        try:
            async with asyncio.timeout(seconds), self.request("GET", f"{base_url}/models", headers, None) as response:
                listed = orjson.loads(await response.body()) if response.status == 200 else None
        except (aiohttp.ClientError, TimeoutError, orjson.JSONDecodeError, OSError, UnusableProxy):
            return None
        rows = listed.get("data") if isinstance(listed, dict) else None
        if not isinstance(rows, list):
            return None
        ids = (row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str))
        return list(dict.fromkeys(ids))

    @asynccontextmanager
    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> AsyncGenerator[HttpReply, None]:
        """A response through aiohttp, whatever its status; redirects are not followed.

        Raises aiohttp.ClientError, OSError, and UnusableProxy.
        """
        response, exchange = await self._sent(method, url, headers, body)
        usable = True
        try:
            async with response:
                exchange.check_headers(response)
                yield HttpReply(response, exchange, self._limits)
        except (aiohttp.ClientError, OSError) as error:
            usable = False
            if exchange.excess or _is_too_long(error):
                raise exchange.excess or self._limits.headers_too_large() from error
            raise
        finally:
            exchange.end(complete=usable and response.content.at_eof())

    async def _sent(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[aiohttp.ClientResponse, Exchange]:
        """As in `HttpClient`, a kept connection that fails before the first byte is replaced once by a fresh one."""
        proxy = self._proxy(url)
        proxy_headers: dict[str, str] = {}
        if proxy and proxy.authorization:
            proxy_headers["proxy-authorization"] = proxy.authorization
            if url.startswith("http:"):  # no tunnel: the request itself goes to the proxy
                headers = {**headers, **proxy_headers}
        session = self._opened()
        fresh = False
        while True:
            exchange = Exchange(self._limits, fresh=fresh)
            EXCHANGE.set(exchange)
            try:
                response = await session.request(
                    method,
                    url,
                    data=body,
                    headers={"accept-encoding": "identity", **headers},
                    proxy=proxy.url if proxy else None,
                    proxy_headers=dict(proxy_headers) if proxy else None,
                    allow_redirects=False,
                )
                return response, exchange
            except (aiohttp.ClientError, OSError) as error:
                exchange.end(complete=False)
                if exchange.excess or _is_too_long(error):
                    raise exchange.excess or self._limits.headers_too_large() from error
                if not exchange.kept or exchange.received or isinstance(error, TimeoutError):
                    raise
                fresh = True

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            # `Limited` limits how many requests run at once, `Timed` how long they may take.
            self._session = aiohttp.ClientSession(
                connector=MeteredConnector(IDLE_SECONDS),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                auto_decompress=False,
                trust_env=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                max_line_size=self._limits.headers,
                max_field_size=self._limits.headers,
                max_headers=self._limits.headers // SMALLEST_HEADER,
                read_bufsize=STEP,
            )
        return self._session

    async def _check(self, response: HttpReply, source: Source) -> None:
        if response.status != 200:
            raise refusal(source, response.status, await response.body(), response.headers, self.clock.now())

    def _direct_address(self, url: str) -> Address | None:
        """The address that our own client can reach; None if aiohttp is needed. Raises UnusableProxy."""
        if url not in self._direct_addresses:
            self._direct_addresses[url] = None if self._proxy(url) else address_of(url)
        return self._direct_addresses[url]

    def proxy_for(self, url: str) -> str | None:
        """The proxy that the environment names for a URL, without its credentials. Raises UnusableProxy."""
        proxy = self._proxy(url)
        return proxy.url if proxy else None

    def _proxy(self, url: str) -> Proxy | None:
        if url not in self._proxy_of:
            self._proxy_of[url] = self._proxies.for_url(url)
        return self._proxy_of[url]


def _connection_error(source: Source, error: Exception) -> ModelError:
    if isinstance(error, UnusableResponse):
        return unusable(source, error)
    if isinstance(error, aiohttp.InvalidURL):
        return garbled(source, str(error).encode())
    if isinstance(error, UnusableProxy):
        return ModelRejected(f"{source.name}: {error}.", provider=source.provider, model=source.model)
    if not isinstance(error, TimeoutError):
        return unreached(source, error)
    return ModelTimeout(
        f"{source.name}: no connection to {source.base_url} within {CONNECT_SECONDS:g} seconds. "
        "Is it running, and is the network up?",
        provider=source.provider,
        model=source.model,
    )


def _is_too_long(error: BaseException | None) -> bool:
    """Whether aiohttp's parser gave up on the headers, which it reports as the cause of a cause."""
    while error is not None:
        if "Got more than" in str(error) or "Too many headers" in str(error):
            return True
        error = error.__cause__
    return False


async def server_sent(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yields the data of each event, however the chunks are split; comments and event names are dropped.

    Anthropic repeats the name inside the data, and OpenAI's protocol has no names.
    """
    held: list[bytes] = []
    data: bytes | bytearray | None = None
    async for chunk in chunks:
        held.append(chunk)
        if b"\n" not in chunk:
            continue
        *lines, rest = b"".join(held).split(b"\n")
        held = [rest]
        for line in lines:
            line = line.rstrip(b"\r")
            if line.startswith(b"data:"):
                data = _extended(data, line[5:].strip())
            elif not line and data is not None:
                yield bytes(data)
                data = None
    rest = b"".join(held)
    if rest.startswith(b"data:"):
        data = _extended(data, rest[5:].strip())
    if data is not None:
        yield bytes(data)


def _extended(data: bytes | bytearray | None, line: bytes) -> bytes | bytearray:
    """The data of an event with one line more. Most events have one; a longer one grows in place."""
    if data is None:
        return line
    grown = data if isinstance(data, bytearray) else bytearray(data)
    grown += b"\n"
    grown += line
    return grown
