"""A provider that is busy and says for how long: the run pauses until then, instead of losing what it asked for."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import ModelOverloaded, ProviderBusy
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.wrappers import ModelWrapper, open_stream
from dramaturg.kernel.runs.events import RunPaused
from dramaturg.kernel.runs.run import Run

SHORT_WAIT = 5.0
"""A shorter pause is no event: the request is simply repeated after it."""
LONGEST_SLEEP = 30.0
"""How often the clock is looked at, since a computer that sleeps does not count the time."""

_pause_ends: WeakKeyDictionary[asyncio.Future[Any], float] = WeakKeyDictionary()


def pause_end(task: asyncio.Future[Any]) -> float:
    """When a task last came out of a pause, in the event loop's time: infinity during one, minus infinity before."""
    return _pause_ends.get(task, -math.inf)


@contextmanager
def unhurried() -> Iterator[None]:
    """For the time of a block nobody counts the seconds of the current task; it has its whole time again after it."""
    task = asyncio.current_task()
    if task is None:
        raise AssertionError("a coroutine runs in a task")
    _pause_ends[task] = math.inf
    try:
        yield
    finally:
        _pause_ends[task] = asyncio.get_running_loop().time()


class ProviderPauses:
    """Until when each provider has no room, in seconds since the epoch; shared by all runs of a studio."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._noted: WeakKeyDictionary[Run[Any], set[tuple[str, float]]] = WeakKeyDictionary()

    def until(self, provider: str) -> float:
        return self._until.get(provider, 0.0)

    def extend(self, provider: str, until: float) -> None:
        self._until[provider] = max(until, self.until(provider))

    def recall(self, run: Run[Any], now: float) -> None:
        """The pauses in the log of a run that is resumed, as far as they are not over."""
        for entry in run.entries:
            if isinstance(entry.event, RunPaused) and entry.event.until > now:
                self.extend(entry.event.provider, entry.event.until)
                self._noted.setdefault(run, set()).add((entry.event.provider, entry.event.until))

    async def note(self, run: Run[Any], provider: str) -> None:
        """Write the current pause of a provider into the log of a run, once."""
        until = self.until(provider)
        noted = self._noted.setdefault(run, set())
        if (provider, until) not in noted:
            noted.add((provider, until))
            await run.append(RunPaused(provider=provider, until=until))


class Patient(ModelWrapper):
    """Waits as long as a provider asks for, at most `longest` seconds for one question; then raises ProviderBusy.

    The pause is in the log of the run before it begins. Nothing is sent to the provider during it, by anybody.
    """

    def __init__(self, inner: Model, run: Run[Any], clock: Clock, pauses: ProviderPauses, longest: float) -> None:
        super().__init__(inner)
        self._run, self._clock, self._pauses, self._longest = run, clock, pauses, longest
        self._provider = inner.name.partition("/")[0]

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        patience = _Patience(self._clock.now() + self._longest)
        while True:
            await self._rest(request, patience)
            try:
                return await self.inner.complete(request)
            except ModelOverloaded as error:
                self._pause(error, patience)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        patience = _Patience(self._clock.now() + self._longest)
        while True:
            await self._rest(request, patience)
            begun = False
            try:
                async with open_stream(self.inner, request) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except ModelOverloaded as error:
                if begun:
                    raise
                self._pause(error, patience)

    def _pause(self, error: ModelOverloaded, patience: _Patience) -> None:
        """Raises the error of a provider that does not say how long."""
        if error.retry_after is None:
            raise error
        # One that keeps saying "in a second" is not asked every second.
        wait = max(error.retry_after, SHORT_WAIT * 2**patience.pauses)
        patience.pauses += 1
        # In whole seconds, so that those who asked together pause together.
        self._pauses.extend(self._provider, math.ceil(self._clock.now() + wait))

    async def _rest(self, request: ModelRequest, patience: _Patience) -> None:
        """Returns when the provider has room."""
        while (until := self._pauses.until(self._provider)) > self._clock.now():
            await self._pauses.note(self._run, self._provider)
            if until > patience.until:
                raise self._busy(until)
            with self._shown(request, until):
                await self._clock.sleep(min(until - self._clock.now(), LONGEST_SLEEP))

    @contextmanager
    def _shown(self, request: ModelRequest, until: float) -> Iterator[None]:
        """For the time of a block the question and its task are known to pause."""
        question = self._run.answers.under_way.get(request.key)
        with unhurried():
            if question is not None:
                question.paused_until = until
            try:
                yield
            finally:
                if question is not None:
                    question.paused_until = None

    def _busy(self, until: float) -> ProviderBusy:
        at = datetime.fromtimestamp(until).astimezone()
        minutes = math.ceil((until - self._clock.now()) / 60)
        return ProviderBusy(
            f"{self._provider} has no room before {at:%Y-%m-%d %H:%M} (in {minutes} min), and a run waits for at most "
            f"{self._longest / 60:g} min (`wait` under [models]). Resume it then; with `wait = 0` it is asked at once.",
            provider=self._provider,
            until=until,
        )


class _Patience:
    """How long one question may still wait, and how often it has."""

    __slots__ = ("pauses", "until")

    def __init__(self, until: float) -> None:
        self.until = until
        self.pauses = 0
