"""A model whose answers are in the log before anybody builds on them, and are paid for once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from weakref import WeakSet

from dramaturg.kernel.errors import KeyRejected, ModelError, ModelNotFound, ModelOverloaded, ModelTimeout
from dramaturg.kernel.models.bounds import cut_answer
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.wrappers import open_stream
from dramaturg.kernel.runs.events import ModelAnswered
from dramaturg.kernel.runs.run import Question, Run
from dramaturg.kernel.text.control import plain
from dramaturg.kernel.values import construct

SHOWN = ("acting", "writing")
"""The purposes of questions whose answers are shown while they arrive, if somebody watches."""
_storing: WeakSet[asyncio.Task[Any]] = WeakSet()


def is_storing(task: asyncio.Future[Any]) -> bool:
    """Whether a task has its answer and waits only until that is stored."""
    return task in _storing


class Recorded:
    """A `Model` that answers from the run's log what it was asked before, and writes down the rest.

    A question asked twice at once is sent once, whichever wrapper of the run it came through.
    """

    def __init__(self, model: Model, run: Run[Any], who: str = "") -> None:
        self.name = model.name
        self.profile = model.profile
        self._model = model
        self._run = run
        self._who = who

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        asking = await self._known_or_mine(request)
        if isinstance(asking, ModelAnswer):
            return asking
        try:
            shown = self._run.answers.are_shown(self.name) and _can_be_shown(self._model, request)
            answer = _plain(await (self._overheard(request, asking) if shown else self._model.complete(request)))
            await self._record(request, answer)
        finally:
            self._run.answers.asked(request.key)
        return answer

    async def _overheard(self, request: ModelRequest, asking: Question) -> ModelAnswer:
        """The complete answer, streamed for those who watch.

        A stream that breaks off is asked for again as a whole, and a server that refuses one is not asked for more.
        """
        try:
            async with open_stream(self._model, request) as pieces:
                async for piece in pieces:
                    if isinstance(piece, ModelAnswer):
                        return piece
                    asking.text += plain(piece)
                    self._run.changes.notify()
        except (KeyRejected, ModelNotFound, ModelTimeout):
            raise
        except ModelError as error:
            if isinstance(error, ModelOverloaded) and not asking.text:
                raise
        if not asking.text:
            self._run.answers.unstreamed.add(self.name)
        asking.text = ""
        return await self._model.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        asking = await self._known_or_mine(request)
        if isinstance(asking, ModelAnswer):
            yield asking.text
            yield asking
            return
        try:
            async with open_stream(self._model, request) as pieces:
                async for piece in pieces:
                    if isinstance(piece, ModelAnswer):
                        answer = _plain(piece)
                        await self._record(request, answer)
                        yield answer
                    else:
                        yield plain(piece)
        finally:
            self._run.answers.asked(request.key)

    async def _known_or_mine(self, request: ModelRequest) -> ModelAnswer | Question:
        """The answer, once known here or to a task that asks already; else this task is the one to ask."""
        answers, key = self._run.answers, request.key
        while (asked := answers.under_way.get(key)) is not None:
            await asked.over.wait()
        known = answers.get(key)
        if known is not None:
            return cut_answer(known, request)
        answers.under_way[key] = asking = Question(self._who, request.purpose, self.name)
        return asking

    async def _record(self, request: ModelRequest, answer: ModelAnswer) -> None:
        fields = {"key": request.key, "purpose": request.purpose, "answer": answer, "who": self._who}
        entries = self._run.put(construct(ModelAnswered, {"type": "model.answered", **fields}))
        task = asyncio.current_task()
        if task is None:
            raise AssertionError("a coroutine runs in a task")
        _storing.add(task)
        try:
            await self._run.written(entries)
        finally:
            _storing.discard(task)


def _can_be_shown(model: Model, request: ModelRequest) -> bool:
    """Whether an answer is text for a reader. The rehearsal company keeps its own time."""
    return request.output is None and request.purpose in SHOWN and not model.profile.is_stand_in


def _plain(answer: ModelAnswer) -> ModelAnswer:
    """The answer without control characters: nothing that a model writes reaches a terminal as a command."""
    text = plain(answer.text)
    return answer if text == answer.text else answer.model_copy(update={"text": text})
