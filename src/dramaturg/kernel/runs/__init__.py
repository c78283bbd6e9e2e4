"""A run: one performance as a list of events, kept, read, forked, followed and played on."""

from dramaturg.kernel.runs.engine import LocalEngine, Play
from dramaturg.kernel.runs.events import (
    Audience,
    Entry,
    Event,
    KernelEvent,
    ModelAnswered,
    RunForked,
    RunStopped,
)
from dramaturg.kernel.runs.library import RunLibrary
from dramaturg.kernel.runs.player import Player
from dramaturg.kernel.runs.recording import Recorded
from dramaturg.kernel.runs.run import Run
from dramaturg.kernel.runs.views import fold, public

__all__ = [
    "Audience",
    "Entry",
    "Event",
    "KernelEvent",
    "LocalEngine",
    "ModelAnswered",
    "Play",
    "Player",
    "Recorded",
    "Run",
    "RunForked",
    "RunLibrary",
    "RunStopped",
    "fold",
    "public",
]
