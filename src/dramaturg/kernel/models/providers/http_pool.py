"""HTTP for our own adapters: shared connections, JSON out, JSON or server-sent events in, errors mapped."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp
import orjson

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import ModelError, ModelTimeout
from dramaturg.kernel.models.providers.faults import Source, garbled, refusal, unreached
from dramaturg.kernel.models.providers.http_client import Address, HttpClient, address_of
from dramaturg.kernel.redaction import passwords_of_proxies

CONNECT_SECONDS = 10.0


class HttpPool:
    """The connections that all adapters of a gateway share; the first request opens them.

    Complete responses go through our own `HttpClient`; streams, proxies and unusual addresses go through aiohttp.
    Proxies are taken from `env` (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`).
    """

    def __init__(self, clock: Clock, env: Mapping[str, str] | None = None) -> None:
        self.clock = clock
        self._env = env or {}
        self.secrets = passwords_of_proxies(self._env)
        self._session: aiohttp.ClientSession | None = None
        self._client = HttpClient(CONNECT_SECONDS)
        self._direct_addresses: dict[str, Address | None] = {}

    @property
    def session(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            # `Limited` limits how many requests run at once, `Timed` how long they may take.
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                auto_decompress=True,
                trust_env=False,
            )
        return self._session

    async def aclose(self) -> None:
        await self._client.aclose()
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes, source: Source) -> bytes:
        """Returns the body of a successful response. Raises ModelError."""
        address = self._direct_address(url)
        if address is None:
            async with self._request(url, headers, body, source) as response:
                return await response.read()
        try:
            answer = await self._client.post(address, headers, body)
        except (TimeoutError, OSError) as error:
            raise _connection_error(source, error) from error
        if answer.status != 200:
            raise refusal(source, answer.status, answer.body, answer.headers, self.clock.now())
        return answer.body

    async def events(
        self, url: str, headers: Mapping[str, str], body: bytes, source: Source
    ) -> AsyncGenerator[bytes, None]:
        """Yields the data of each server-sent event of a successful response. Raises ModelError."""
        async with self._request(url, headers, body, source) as response:
            if "json" in response.content_type or "html" in response.content_type:
                # Some servers ignore `stream` and answer in one piece; captive portals return HTML.
                yield await response.read()
                return
            async for data in server_sent(response.content.iter_any()):
                yield data

    async def models_at(self, base_url: str, key: str | None, seconds: float) -> list[str] | None:
        """The ids that a server lists at `/models`; None if it does not answer in time or not in this format."""
        headers = {"authorization": f"Bearer {key}"} if key else {}
        timeout = aiohttp.ClientTimeout(total=seconds)
        try:
            async with self.session.get(f"{base_url}/models", headers=headers, timeout=timeout) as response:
                listed = orjson.loads(await response.read()) if response.status == 200 else None
        except (aiohttp.ClientError, TimeoutError, orjson.JSONDecodeError, OSError):
            return None
        rows = listed.get("data") if isinstance(listed, dict) else None
        if not isinstance(rows, list):
            return None
        return [row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]

    @asynccontextmanager
    async def _request(
        self, url: str, headers: Mapping[str, str], body: bytes, source: Source
    ) -> AsyncGenerator[aiohttp.ClientResponse, None]:
        try:
            async with self.session.post(
                url, data=body, headers=headers, proxy=self.proxy_for(url), allow_redirects=False
            ) as response:
                if response.status != 200:
                    words = await response.read()
                    raise refusal(source, response.status, words, response.headers, self.clock.now())
                yield response
        except aiohttp.InvalidURL as error:
            raise garbled(source, str(error).encode()) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _connection_error(source, error) from error

    def _direct_address(self, url: str) -> Address | None:
        """The address that our own client can reach; None if aiohttp is needed."""
        if url not in self._direct_addresses:
            self._direct_addresses[url] = None if self.proxy_for(url) else address_of(url)
        return self._direct_addresses[url]

    def proxy_for(self, url: str) -> str | None:
        """The proxy that the environment names for a URL; None for this machine itself."""
        parts = urlsplit(url)
        host = parts.hostname or ""
        spared = [name.strip().lstrip(".") for name in self._variable("no_proxy").split(",")]
        if host in ("127.0.0.1", "localhost", "::1") or "*" in spared:
            return None
        if any(name and (host == name or host.endswith("." + name)) for name in spared):
            return None
        return self._variable(f"{parts.scheme}_proxy") or None

    def _variable(self, name: str) -> str:
        return self._env.get(name) or self._env.get(name.upper()) or ""


def _connection_error(source: Source, error: Exception) -> ModelError:
    if not isinstance(error, TimeoutError):
        return unreached(source, error)
    return ModelTimeout(
        f"{source.name}: no connection to {source.base_url} within {CONNECT_SECONDS:g} seconds. "
        "Is it running, and is the network up?",
        provider=source.provider,
        model=source.model,
    )


async def server_sent(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yields the data of each event, however the chunks are split; comments and event names are dropped.

    Anthropic repeats the name inside the data, and OpenAI's protocol has no names.
    """
    rest = b""
    data: list[bytes] = []
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            line = line.rstrip(b"\r")
            if line.startswith(b"data:"):
                data.append(line[5:].strip())
            elif not line and data:
                yield b"\n".join(data)
                data = []
    if rest.startswith(b"data:"):
        data.append(rest[5:].strip())
    if data:
        yield b"\n".join(data)
