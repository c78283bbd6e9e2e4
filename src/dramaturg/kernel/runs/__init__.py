"""A run: one performance as a list of events, kept, read, forked, followed and played on."""

from dramaturg.kernel.runs.costs import answers, own_entries
from dramaturg.kernel.runs.damage import Damage
from dramaturg.kernel.runs.engines.local import LocalEngine
from dramaturg.kernel.runs.engines.port import Engine
from dramaturg.kernel.runs.events import (
    Audience,
    BudgetRaised,
    Entry,
    Event,
    KernelEvent,
    ModelAnswered,
    RunAdopted,
    RunForked,
    RunPaused,
    RunReleased,
    RunStopped,
    public,
)
from dramaturg.kernel.runs.fold import Fold
from dramaturg.kernel.runs.holder import Holder
from dramaturg.kernel.runs.inbox import RunInbox, RunInboxes
from dramaturg.kernel.runs.kind import Kind, Kinds, Limits
from dramaturg.kernel.runs.library import RunLibrary
from dramaturg.kernel.runs.performance import START, AnswerSoFar, Aside, Mark, Performance, Piece
from dramaturg.kernel.runs.recorded import Recorded
from dramaturg.kernel.runs.resources import OpenModel, Resources
from dramaturg.kernel.runs.run import Question, Run

__all__ = [
    "START",
    "AnswerSoFar",
    "Aside",
    "Audience",
    "BudgetRaised",
    "Damage",
    "Engine",
    "Entry",
    "Event",
    "Fold",
    "Holder",
    "KernelEvent",
    "Kind",
    "Kinds",
    "Limits",
    "LocalEngine",
    "Mark",
    "ModelAnswered",
    "OpenModel",
    "Performance",
    "Piece",
    "Question",
    "Recorded",
    "Resources",
    "Run",
    "RunAdopted",
    "RunForked",
    "RunInbox",
    "RunInboxes",
    "RunLibrary",
    "RunPaused",
    "RunReleased",
    "RunStopped",
    "answers",
    "own_entries",
    "public",
]
