"""A request to have something spoken that was played before: which lines, by which engine, with which voice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs import Kind, Run
from dramaturg.kernel.values import WireValue
from dramaturg.voices.programme import Programme


class VoicingRequest(WireValue):
    """Which lines are to be spoken, and how. Without any field, those that have no sound, as the run began."""

    engine: str | None = Field(None, max_length=40, description="the speech engine; the run's own if not set")
    voice: str | None = Field(None, max_length=200, description="a voice of that engine, for all these lines")
    slot: int | None = Field(None, ge=1, le=6, description="only the lines of this slot")
    line: int | None = Field(None, ge=1, description="only this line; in a session, counted by turn and slot from 1")

    @property
    def is_anew(self) -> bool:
        """Whether lines that have a sound are spoken again."""
        return any((self.engine, self.voice, self.slot, self.line))


@dataclass(frozen=True, slots=True)
class VoicedLines:
    """The lines that were spoken now, those that could not be, and what is to be said about the voices."""

    engine: str
    spoken: Programme
    remarks: tuple[str, ...] = ()


@runtime_checkable
class Voiceable(Protocol):
    """A kind of run whose lines are spoken beside its log, as often as somebody wants."""

    async def voice(self, run: Any, asked: VoicingRequest, on_line: Callable[[int, int], None]) -> VoicedLines:
        """Have lines spoken, for the first time or anew."""


def voiceable(kind: Kind[Any, Any], run: Run[Any]) -> Voiceable:
    """The kind as one that can be voiced. Raises InvalidConfig for any other."""
    if isinstance(kind, Voiceable):
        return kind
    raise InvalidConfig(f"Run {run.id} is {kind.noun}; only sessions, scenes and acts can be voiced.", run=run.id)
