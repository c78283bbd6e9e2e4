"""Behaviour added to a model by wrapping it.

Composed in one place, from the outside in: `Retrying(Limited(Timed(Bounded(Priced(adapter)))))`, so that no slot of the
provider is held while waiting to retry, and waiting for a slot does not count against the model's timeout.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import ModelOverloaded, ModelTimeout, ModelUnavailable
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
LONGEST_WAIT_ASKED_FOR = 120.0


class ModelWrapper:
    """A model that delegates everything to another. Subclasses change one thing."""

    def __init__(self, inner: Model) -> None:
        self.inner = inner
        self.name = inner.name
        self.profile = inner.profile

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return await self.inner.complete(request)

    def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        return self.inner.stream(request)


@asynccontextmanager
async def open_stream(model: Model, request: ModelRequest) -> AsyncGenerator[AsyncIterator[str | ModelAnswer], None]:
    """A stream that is closed at the end of the block, which frees its connection."""
    pieces = model.stream(request)
    try:
        yield pieces
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()


class Retrying(ModelWrapper):
    """Retries temporary failures: only ModelUnavailable, at most `retries` times.

    The wait doubles each time, with full jitter, and is never shorter than the provider's `Retry-After`; if that
    exceeds `longest_wait` seconds, the error is raised at once. A stream that has begun is not retried.
    """

    def __init__(
        self,
        inner: Model,
        clock: Clock,
        *,
        retries: int = 3,
        chance: random.Random | None = None,
        longest_wait: float = LONGEST_WAIT_ASKED_FOR,
    ) -> None:
        super().__init__(inner)
        self._clock = clock
        self._retries = retries
        self._chance = chance or random.Random()
        self._longest_wait = longest_wait

    def up_to(self, longest_wait: float) -> Retrying:
        """The same, for somebody who waits in another way if a provider asks for a longer pause than this."""
        return Retrying(self.inner, self._clock, retries=self._retries, chance=self._chance, longest_wait=longest_wait)

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        tries = 0
        while True:
            try:
                return await self.inner.complete(request)
            except ModelUnavailable as error:
                await self._wait_or_raise(error, tries)
                tries += 1

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        tries = 0
        while True:
            begun = False
            try:
                async with open_stream(self.inner, request) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except ModelUnavailable as error:
                if begun:
                    raise
                await self._wait_or_raise(error, tries)
                tries += 1

    async def _wait_or_raise(self, error: ModelUnavailable, tries: int) -> None:
        asked_for = error.retry_after or 0.0 if isinstance(error, ModelOverloaded) else 0.0
        if tries >= self._retries or asked_for > self._longest_wait:
            raise error
        ceiling = min(LONGEST_WAIT, FIRST_WAIT * 2.0**tries)
        await self._clock.sleep(asked_for + self._chance.uniform(0.0, ceiling))


class Limited(ModelWrapper):
    """Limits the concurrent requests to a provider; all its models share the `places`."""

    def __init__(self, inner: Model, places: asyncio.Semaphore) -> None:
        super().__init__(inner)
        self._places = places

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        async with self._places:
            await _check(request)
            return await self.inner.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        async with self._places:
            await _check(request)
            async with open_stream(self.inner, request) as pieces:
                async for piece in pieces:
                    yield piece


async def _check(request: ModelRequest) -> None:
    if request.check is not None:
        await request.check()


class Timed(ModelWrapper):
    """Raises ModelTimeout after `seconds` for a complete answer or for one piece of a stream.

    All pieces of a stream together have `stream_seconds`; what the reader takes between them does not count.
    """

    def __init__(self, inner: Model, seconds: float, stream_seconds: float | None = None) -> None:
        super().__init__(inner)
        self._seconds = seconds
        self._stream_seconds = max(seconds, stream_seconds or math.inf)

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        try:
            async with asyncio.timeout(self._seconds):
                return await self.inner.complete(request)
        except TimeoutError as error:
            raise self._late() from error

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        left = self._stream_seconds
        time = asyncio.get_running_loop().time
        async with open_stream(self.inner, request) as pieces:
            while True:
                since = time()
                try:
                    async with asyncio.timeout(min(self._seconds, left)):
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except TimeoutError as error:
                    raise (self._late() if left >= self._seconds else self._endless()) from error
                left -= time() - since
                yield piece

    def _late(self) -> ModelTimeout:
        return self._timeout("did not answer", self._seconds, "timeout")

    def _endless(self) -> ModelTimeout:
        return self._timeout("did not finish its answer", self._stream_seconds, "stream_timeout")

    def _timeout(self, what: str, seconds: float, setting: str) -> ModelTimeout:
        provider = self.name.partition("/")[0]
        return ModelTimeout(
            f"{self.name} {what} within {seconds:g} seconds. "
            f"Raise `{setting}` under [providers.{provider}] if it needs longer.",
            model=self.name,
            seconds=seconds,
        )
