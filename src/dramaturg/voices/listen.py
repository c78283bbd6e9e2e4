"""Runs that can be heard: what somebody wants to hear, and the seam that a kind of run implements for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs import Kind, Run
from dramaturg.voices.programme import Backdrop

if TYPE_CHECKING:
    from dramaturg.voices.export import ProgrammeExport


@dataclass(frozen=True, slots=True)
class ListenRequest:
    """What somebody wants to hear of a run. `out` is a WAV file of their own; else the run's folder gets it.

    `on_line` is told how many lines are spoken, of how many. `question` has what was asked spoken first, by a voice of
    its own (`question_voice`, if it is named); of a scene, that is the narrator's opening. `engine` speaks what is not
    spoken yet, instead of the one in the settings.
    """

    out: Path | None = None
    narrator: bool = True
    question: bool | None = None
    question_voice: str | None = None
    backdrop: Backdrop | None = None
    engine: str | None = None
    on_line: Callable[[int, int], None] = lambda done, total: None


def chosen_backdrop(
    music: Path | None = None, *, music_db: float = -12.0, duck_db: float = -24.0, room_tone: bool = True
) -> Backdrop | None:
    """What is heard beneath the lines; None for nothing. Raises InvalidConfig for music that cannot be read."""
    tone = Backdrop().room_tone_db if room_tone else None
    if music is None:
        return Backdrop(room_tone_db=tone) if room_tone else None
    try:
        with music.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InvalidConfig(f"The music {music} cannot be read: {error.strerror}.", file=str(music)) from error
    return Backdrop(
        room_tone_db=tone, music=str(music.resolve()), music_sha256=digest, music_db=music_db, duck_db=duck_db
    )


@runtime_checkable
class Listenable(Protocol):
    """A kind of run that can be heard."""

    async def listen(self, run: Any, request: ListenRequest) -> ProgrammeExport:
        """The run as one piece to listen to."""


def listenable(kind: Kind[Any, Any], run: Run[Any]) -> Listenable:
    """The kind as one that can be heard. Raises InvalidConfig for a kind that has nothing to hear."""
    if isinstance(kind, Listenable):
        return kind
    raise InvalidConfig(f"Run {run.id} is {kind.noun}; only scenes, acts and ensembles can be listened to.", run=run.id)
