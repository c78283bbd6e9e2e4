"""A reply under way, and the two ways to send it: whole, or in chunks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

import orjson

from dramaturg.kernel.errors import DramaturgError
from dramaturg.server.completions.response import (
    AnswerDelta,
    AnswerMessage,
    ChatCompletion,
    ChatCompletionChunk,
    ChunkChoice,
    CompletionChoice,
    CompletionUsage,
)
from dramaturg.server.http.errors import error_response

IDLE_SECONDS = 15.0
IDLE = b": waiting\n\n"
DONE = b"data: [DONE]\n\n"
_log = logging.getLogger(__name__)


class ReplyFailedError(Exception):
    """There is no answer: a status, and what the client is told."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def body(self) -> bytes:
        return bytes(error_response(self.status, self.code, self.message).body)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it comes: its pieces, and what it has used once they are there."""

    session: str
    model: str
    created: int
    pieces: AsyncGenerator[str, None]
    used: Callable[[], Awaitable[CompletionUsage]]

    @property
    def id(self) -> str:
        return f"chatcmpl-{self.session}"

    async def whole(self) -> ChatCompletion:
        """The answer at once. Raises ReplyFailedError."""
        async with aclosing(self.pieces) as pieces:
            text = "".join([piece async for piece in pieces])
        return ChatCompletion(
            id=self.id,
            created=self.created,
            model=self.model,
            choices=(CompletionChoice(message=AnswerMessage(content=text.strip())),),
            usage=await self.used(),
            session=self.session,
        )

    async def chunks(self, describe: Callable[[bytes], bytes], *, with_usage: bool) -> AsyncIterator[bytes]:
        """The answer as Server-Sent Events. A failure is an event with an `error`, after which nothing follows."""
        yield self._line(AnswerDelta(role="assistant", content=""))
        try:
            async with aclosing(_with_idle(self.pieces)) as pieces:
                async for piece in pieces:
                    yield IDLE if piece is None else self._line(AnswerDelta(content=piece))
        except ReplyFailedError as error:
            yield _data(describe(error.body()))
            return
        except DramaturgError as error:
            _log.warning("a completion ended early: %s", error.code)
            yield _data(describe(bytes(error_response(503, error.code, "The answer could not be finished.").body)))
            return
        yield self._line(AnswerDelta(), ends=True)
        if with_usage:
            yield _data(self._chunk().model_copy(update={"usage": await self.used()}).model_dump_json().encode())
        yield DONE

    def _line(self, delta: AnswerDelta, *, ends: bool = False) -> bytes:
        choice = ChunkChoice(delta=delta, finish_reason="stop" if ends else None)
        made = self._chunk().model_copy(update={"choices": (choice,)}).model_dump(exclude={"usage"})
        made["choices"][0]["delta"] = delta.model_dump(exclude_none=True)
        return _data(orjson.dumps(made))

    def _chunk(self) -> ChatCompletionChunk:
        return ChatCompletionChunk(id=self.id, created=self.created, model=self.model, session=self.session)


async def one_piece(text: str) -> AsyncGenerator[str, None]:
    """An answer that is there already."""
    yield text


def _data(json: bytes) -> bytes:
    return b"data: " + json + b"\n\n"


async def _with_idle(pieces: AsyncGenerator[str, None]) -> AsyncGenerator[str | None, None]:
    """The pieces, and None after every while without one, so that the connection is seen to be alive."""
    coming: asyncio.Task[str] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(pieces))
            done, _ = await asyncio.wait([coming], timeout=IDLE_SECONDS)
            if not done:
                yield None
                continue
            finished, coming = coming, None
            try:
                piece = finished.result()
            except StopAsyncIteration:
                return
            yield piece
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
        await pieces.aclose()
