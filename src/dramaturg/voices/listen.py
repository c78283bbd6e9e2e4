"""Runs that can be heard: what somebody wants to hear, and the seam that a kind of run implements for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs import Kind, Run

if TYPE_CHECKING:
    from dramaturg.voices.export import ProgrammeExport


@dataclass(frozen=True, slots=True)
class ListenRequest:
    """What somebody wants to hear of a run. `out` is a WAV file of their own; else the run's folder gets it.

    `on_line` is told how many lines are spoken, of how many.
    """

    out: Path | None = None
    narrator: bool = True
    on_line: Callable[[int, int], None] = lambda done, total: None


@runtime_checkable
class Listenable(Protocol):
    """A kind of run that can be heard."""

    async def listen(self, run: Any, request: ListenRequest) -> ProgrammeExport:
        """The run as one piece to listen to."""


def listenable(kind: Kind[Any, Any], run: Run[Any]) -> Listenable:
    """The kind as one that can be heard. Raises InvalidConfig for a kind that has nothing to hear."""
    if isinstance(kind, Listenable):
        return kind
    raise InvalidConfig(f"Run {run.id} is {kind.noun}; only scenes and ensembles can be listened to.", run=run.id)
