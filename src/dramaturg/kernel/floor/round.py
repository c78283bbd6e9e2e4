"""One round: the whole cast cued at once, answers gathered, a failing actor isolated.

A scene's beat and an ensemble's turn are rounds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from dramaturg.kernel.errors import ModelError, ModelTimeout

T = TypeVar("T")


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
    outcomes = await asyncio.gather(*(_answer(who, cue, timeout) for who, cue in cues.items()), return_exceptions=True)
    answers: dict[str, T] = {}
    failures: list[Failure] = []
    for who, outcome in zip(cues, outcomes, strict=True):
        if isinstance(outcome, ModelError):
            failures.append(Failure(who, outcome))
        elif isinstance(outcome, BaseException):
            raise outcome
        else:
            answers[who] = outcome
    return Round(answers, tuple(failures))


async def _answer(who: str, cue: Awaitable[T], timeout: float) -> T:
    try:
        async with asyncio.timeout(timeout):
            return await cue
    except TimeoutError:
        raise ModelTimeout(f"Response timeout after {timeout:g}s", character=who) from None
