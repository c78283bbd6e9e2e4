"""One round: the whole cast cued at once, answers gathered, a failing actor isolated.

A scene's beat and an ensemble's turn are rounds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from dramaturg.kernel.errors import ModelError, ModelTimeout
from dramaturg.kernel.runs.pauses import pause_end
from dramaturg.kernel.runs.recorded import is_storing

T = TypeVar("T")

LOOK_AGAIN_SECONDS = 1.0
"""How often a late actor whose answer is being stored, or whose provider pauses, is looked at again."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one actor has no answer this round."""

    who: str
    error: ModelError


@dataclass(frozen=True, slots=True)
class Round(Generic[T]):
    """Who answered, in the order of the cast, and who could not."""

    answers: Mapping[str, T]
    failures: tuple[Failure, ...]


async def play_round(cues: Mapping[str, Awaitable[T]], *, timeout: float) -> Round[T]:
    """Let everybody answer at once; wait for all.

    A `ModelError`, or no answer within `timeout` seconds, costs that actor its answer and nobody else's.
    Any other error (a spent budget, a lost store) is raised, but only after every actor has finished, so
    that an answer already paid for is never dropped.
    """
    actors = {who: asyncio.ensure_future(cue) for who, cue in cues.items()}
    await _in_time(actors.values(), timeout)
    answers: dict[str, T] = {}
    failures: list[Failure] = []
    others: list[BaseException] = []
    for who, actor in actors.items():
        error = _late(who, timeout) if actor.cancelled() else actor.exception()
        if error is None:
            answers[who] = actor.result()
        elif isinstance(error, ModelError):
            failures.append(Failure(who, error))
        else:
            others.append(error)
    if others:
        raise others[0]
    return Round(answers, tuple(failures))


async def _in_time(actors: Collection[asyncio.Future[T]], timeout: float) -> None:
    """Returns when every actor has finished; who has not in time is cancelled, and so is everybody with us.

    All begin at once, so one clock is enough for all. It does not count against an actor that has answered and is only
    waiting for the store; one whose provider asked for a pause has its whole time again after it.
    """
    if not actors:
        return
    now = asyncio.get_running_loop().time
    try:
        _, late = await asyncio.wait(actors, timeout=timeout)
        while late:
            excused = {actor for actor in late if is_storing(actor) or pause_end(actor) + timeout > now()}
            if late - excused:
                await _stopped(late - excused)
            late = (await asyncio.wait(excused, timeout=LOOK_AGAIN_SECONDS))[1] if excused else set()
    except asyncio.CancelledError:
        await _stopped(actors)
        raise


async def _stopped(actors: Collection[asyncio.Future[T]]) -> None:
    for actor in actors:
        actor.cancel()
    await asyncio.wait(actors)


def _late(who: str, timeout: float) -> ModelTimeout:
    return ModelTimeout(f"Response timeout after {timeout:g}s", character=who)
