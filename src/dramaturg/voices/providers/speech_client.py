"""The HTTP client that hosted engines share: a connection pool, a concurrency limit, a time limit and retries.

From the outside in: retry, concurrency limit, time limit. So no slot is held while waiting for a retry, and waiting
for a slot does not count towards the time limit.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

import aiohttp
import orjson
from pydantic import JsonValue

from dramaturg.kernel.addresses import has_credentials
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import VoiceRejected, VoiceTimeout, VoiceUnavailable
from dramaturg.kernel.models.providers.faults import Source
from dramaturg.kernel.models.providers.http_body import UnusableResponse
from dramaturg.kernel.models.providers.http_pool import HttpPool
from dramaturg.kernel.models.providers.proxies import UnusableProxy
from dramaturg.kernel.settings import Settings
from dramaturg.voices.providers.concurrency import ConcurrencyLimit
from dramaturg.voices.providers.voice_faults import (
    is_concurrency_refusal,
    voice_refusal,
    voice_timeout,
    voice_unreachable,
    voice_unreadable,
)

RETRIES = 3
FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
LONGEST_RETRY_AFTER = 60.0
PAUSE = 1.0
LONGEST_QUEUE = 120.0

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SpeechResponse:
    """A successful response: its body, and its content type with parameters, such as `audio/pcm` with its `rate`."""

    body: bytes
    content_type: str
    parameters: Mapping[str, str]


class SpeechClient:
    """The client of one engine's server. Every failure is a VoiceError that says what to do about it.

    Transient failures (5xx, a lost connection, a server that says it is busy) are retried `RETRIES` times with
    exponential backoff and full jitter, and never sooner than the server asked. A request refused for the server's
    concurrency limit does not back off: it queues behind our own requests, or pauses evenly if other clients hold the
    capacity.
    """

    def __init__(
        self,
        settings: Settings,
        source: Source,
        headers: Mapping[str, str],
        *,
        concurrency: int,
        clock: Clock | None = None,
        chance: random.Random | None = None,
    ) -> None:
        self.source = source
        self._headers = headers
        self._seconds = settings.voices.timeout
        self._clock = clock or Clock()
        self._chance = chance or random.Random()
        self._limit = ConcurrencyLimit(settings.voices.concurrency or concurrency)
        self._pool = HttpPool(self._clock, settings.env)

    async def aclose(self) -> None:
        await self._pool.aclose()

    async def post(
        self, path: str, body: Mapping[str, JsonValue], read: Callable[[SpeechResponse], Result], **query: str
    ) -> Result:
        """Post a JSON body and return what `read` makes of the response. Raises VoiceError.

        `read` runs in a thread; the errors it raises are retried like those of the server.
        """
        return await self._request("POST", path, query, orjson.dumps(dict(body)), read)

    async def get(self, path: str, read: Callable[[SpeechResponse], Result]) -> Result:
        """Raises VoiceError."""
        return await self._request("GET", path, {}, None, read)

    async def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None,
        read: Callable[[SpeechResponse], Result],
    ) -> Result:
        url = f"{self.source.base_url}{path}" + (f"?{urlencode(query)}" if query else "")
        retries, paused = 0, 0.0
        while True:
            try:
                async with self._limit.slot():
                    response = await self._attempt(method, url, body)
                return await asyncio.to_thread(read, response)
            except VoiceTimeout:
                raise
            except VoiceUnavailable as error:
                if is_concurrency_refusal(error):
                    paused += await self._queue(error, paused)
                else:
                    await self._back_off(error, retries)
                    retries += 1

    async def _queue(self, error: VoiceUnavailable, paused: float) -> float:
        """Wait for another of our requests to finish or, if none is running, pause; returns the length of the pause."""
        if await self._limit.another_finished():
            return 0.0
        pause = max(error.retry_after or 0.0, self._chance.uniform(PAUSE / 2, PAUSE))
        if paused + pause > LONGEST_QUEUE:
            raise error
        await self._clock.sleep(pause)
        return pause

    async def _back_off(self, error: VoiceUnavailable, retries: int) -> None:
        asked_for = error.retry_after or 0.0
        if retries >= RETRIES or asked_for > LONGEST_RETRY_AFTER:
            raise error
        ceiling = min(LONGEST_WAIT, FIRST_WAIT * 2.0**retries)
        await self._clock.sleep(asked_for + self._chance.uniform(0.0, ceiling))

    async def _attempt(self, method: str, url: str, body: bytes | None) -> SpeechResponse:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._exchange(method, url, body)
        except UnusableProxy as error:
            raise VoiceRejected(
                f"{self.source.name}: {error}.", engine=self.source.provider, model=self.source.model
            ) from error
        except UnusableResponse as error:
            raise voice_unreadable(self.source, f"not usable: {error}") from error
        except ValueError as error:
            raise VoiceRejected(
                f"{self.source.name}: {self.source.base_url} is not usable ({self.source.quote(str(error))}). "
                "Check `base_url` under [voices].",
                engine=self.source.provider,
                model=self.source.model,
            ) from error
        except aiohttp.ClientPayloadError as error:
            # Its own words are those of the library that read the response.
            raise voice_unreachable(self.source, ConnectionResetError("the server broke off")) from error
        except aiohttp.ClientError as error:
            # Caught before TimeoutError: a connect timeout is both.
            raise voice_unreachable(self.source, error) from error
        except TimeoutError as error:
            raise voice_timeout(self.source, self._seconds) from error
        except OSError as error:
            raise voice_unreachable(self.source, error) from error

    async def _exchange(self, method: str, url: str, body: bytes | None) -> SpeechResponse:
        headers = {"content-type": "application/json", **self._headers} if body is not None else self._headers
        async with self._pool.request(method, url, headers, body) as response:
            received = await response.body()
            if response.status != 200:
                raise voice_refusal(self.source, response.status, received, response.headers, self._clock.now())
            return SpeechResponse(
                received, response.content_type, _parameters(response.headers.get("content-type", ""))
            )


def _parameters(content_type: str) -> Mapping[str, str]:
    """What stands behind the type, such as its rate, read plainly: the standard library's parser raises for some."""
    told = (part.partition("=") for part in content_type.split(";")[1:])
    return {name.strip().lower(): value.strip().strip('"') for name, _, value in told}


def checked_address(engine: str, base_url: str) -> str:
    """The address without a trailing slash. Raises VoiceRejected if it is not a usable HTTP address."""
    address = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if has_credentials(address):
        raise VoiceRejected(
            f"{engine}: `base_url` under [voices] contains a user name or a password. Put the key into an environment "
            "variable, and the variable's name into `key_env`.",
            engine=engine,
        )
    if not usable or parts.query or parts.fragment:
        raise VoiceRejected(
            f"{engine}: `base_url` under [voices] is not an address. "
            "It must begin with http:// or https:// and name a host.",
            engine=engine,
        )
    return address


def key_in(settings: Settings, engine: str, variable: str) -> str:
    """The key in an environment variable. Raises VoiceRejected, which never quotes it."""
    key = settings.env.get(variable, "").strip()
    if not key:
        raise VoiceRejected(
            f"{engine}: no key, since {variable} is not set. Set it, name another variable with `key_env` under "
            '[voices], or use a local engine: `engine = "auto"`.',
            engine=engine,
            variable=variable,
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise VoiceRejected(
            f"{engine}: the value of {variable} cannot be a key: it contains spaces or characters that no key has. "
            "Copy it again.",
            engine=engine,
            variable=variable,
        )
    return key
