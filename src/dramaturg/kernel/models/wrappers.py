"""Behaviour added to a model by wrapping it.

Composed in one place, from the outside in: `Retrying(Limited(Timed(Priced(adapter))))`, so that a place at
the provider is not held while waiting for another try, and waiting for a place does not count as the model's
time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import ModelOverloaded, ModelTimeout, ModelUnavailable
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.profiles import ModelProfile

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
LONGEST_WAIT_ASKED_FOR = 120.0


class Wrapped:
    """A model that passes everything on to another. Subclasses change one thing."""

    def __init__(self, inner: Model) -> None:
        self.inner = inner

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def profile(self) -> ModelProfile:
        return self.inner.profile

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return await self.inner.complete(request)

    def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        return self.inner.stream(request)


@asynccontextmanager
async def listening(model: Model, request: ModelRequest) -> AsyncGenerator[AsyncIterator[str | ModelAnswer], None]:
    """A stream that is closed at the end of the block: whoever stops listening frees the connection."""
    pieces = model.stream(request)
    try:
        yield pieces
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()


class Retrying(Wrapped):
    """Tries again what may pass: only ModelUnavailable, at most `retries` times.

    The wait grows by doubling, with full jitter, and is never shorter than what the provider asked for; one
    that asks for more than two minutes is not waited for. A stream that has begun is not begun again.
    """

    def __init__(self, inner: Model, clock: Clock, *, retries: int = 3, chance: random.Random | None = None) -> None:
        super().__init__(inner)
        self._clock = clock
        self._retries = retries
        self._chance = chance or random.Random()

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
                async with listening(self.inner, request) as pieces:
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
        if tries >= self._retries or asked_for > LONGEST_WAIT_ASKED_FOR:
            raise error
        ceiling = min(LONGEST_WAIT, FIRST_WAIT * 2.0**tries)
        await self._clock.sleep(asked_for + self._chance.uniform(0.0, ceiling))


class Limited(Wrapped):
    """No more requests under way at once than the provider's `places` allow; shared by all its models."""

    def __init__(self, inner: Model, places: asyncio.Semaphore) -> None:
        super().__init__(inner)
        self._places = places

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        async with self._places:
            return await self.inner.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        async with self._places, listening(self.inner, request) as pieces:
            async for piece in pieces:
                yield piece


class Timed(Wrapped):
    """`seconds` for a whole answer, or for each piece of a stream; then ModelTimeout."""

    def __init__(self, inner: Model, seconds: float) -> None:
        super().__init__(inner)
        self._seconds = seconds

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        try:
            async with asyncio.timeout(self._seconds):
                return await self.inner.complete(request)
        except TimeoutError as error:
            raise self._late() from error

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        async with listening(self.inner, request) as pieces:
            while True:
                try:
                    async with asyncio.timeout(self._seconds):
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except TimeoutError as error:
                    raise self._late() from error
                yield piece

    def _late(self) -> ModelTimeout:
        provider = self.name.partition("/")[0]
        return ModelTimeout(
            f"{self.name} gave no answer within {self._seconds:g} seconds. "
            f"Raise `timeout` under [providers.{provider}] if it needs longer.",
            model=self.name,
            seconds=self._seconds,
        )
