"""A model whose answers are counted elsewhere too."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.wrappers import ModelWrapper, open_stream

Meter: TypeAlias = Callable[[ModelAnswer], Awaitable[None]]


class Metered(ModelWrapper):
    """Tells a meter of every answer before it is passed on."""

    def __init__(self, inner: Model, meter: Meter) -> None:
        super().__init__(inner)
        self._meter = meter

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        answer = await self.inner.complete(request)
        await self._meter(answer)
        return answer

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        async with open_stream(self.inner, request) as pieces:
            async for piece in pieces:
                if isinstance(piece, ModelAnswer):
                    await self._meter(piece)
                yield piece
