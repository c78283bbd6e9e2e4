"""How long an answer may be, and what happens to one that cannot be read. Checked where answers enter."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from dramaturg.kernel.errors import DramaturgError, ModelUnreadable
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.wrappers import ModelWrapper, open_stream

T = TypeVar("T")

CHARACTERS_A_TOKEN = 16
"""No language has tokens this long on average; a longer answer is not what was asked for."""
_log = logging.getLogger(__name__)


def longest_answer(request: ModelRequest) -> int:
    """The most characters that are read of an answer to a request."""
    return CHARACTERS_A_TOKEN * request.max_tokens


def cut_answer(answer: ModelAnswer, request: ModelRequest) -> ModelAnswer:
    """The answer without what exceeds the longest; that it was cut is logged, and `finish` says so."""
    longest = longest_answer(request)
    if len(answer.text) <= longest:
        return answer
    _log.warning(
        "%s: the answer to %s has %d characters; the first %d are used (%d for each of %d tokens).",
        answer.model,
        request.key,
        len(answer.text),
        longest,
        CHARACTERS_A_TOKEN,
        request.max_tokens,
    )
    return answer.model_copy(update={"text": answer.text[:longest], "finish": "length"})


class Bounded(ModelWrapper):
    """Cuts answers that are longer than the request allows, complete or streamed."""

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return cut_answer(await self.inner.complete(request), request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        left = longest_answer(request)
        async with open_stream(self.inner, request) as pieces:
            async for piece in pieces:
                if isinstance(piece, ModelAnswer):
                    yield cut_answer(piece, request)
                elif left > 0:
                    yield piece[:left]
                    left -= len(piece)


def readable(reader: str, read: Callable[[], str], *, key: str = "") -> str:
    """What `read` shows of an answer that is in the log already; nothing if it fails, which is logged."""
    try:
        return read_answer_with(reader, read, key=key)
    except ModelUnreadable:
        return ""


def read_answer_with(reader: str, read: Callable[[], T], *, key: str = "") -> T:
    """What `read` makes of an answer. Anything it raises that is not ours becomes ModelUnreadable, with its name."""
    try:
        return read()
    except DramaturgError:
        raise
    except Exception as error:  # reason: an answer may do anything to its reader, and must cost no more than itself
        _log.warning("The reader of %s failed on the answer to %s.", reader, key or "a request", exc_info=error)
        raise ModelUnreadable(
            f"The answer cannot be read as {reader} ({type(error).__name__}). Ask again, or choose another model.",
            key=key,
            reader=reader,
        ) from error
