"""What happened, as values.

Every performance is a list of these. An event says of itself who may see it: the public, or only the
house. Capabilities add their own; the union of one capability is discriminated by `type`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Generic, Literal, TypeVar

from dramaturg.kernel.models.port import ModelAnswer, Purpose
from dramaturg.kernel.values import Value

Audience = Literal["public", "hidden"]


class Event(Value):
    """The base. A subclass sets `type` to a literal of its own and, if not for the public, its audience."""

    audience: ClassVar[Audience] = "public"
    type: str

    @property
    def is_progress(self) -> bool:
        """Whether the run got further by it: a run that dies again and again without any progress is given up."""
        return False


E_co = TypeVar("E_co", bound=Event, covariant=True)


class Entry(Value, Generic[E_co]):
    """One event as it stands in the log: numbered from 1, with the time it was written."""

    seq: int
    at: float
    event: E_co


class ModelAnswered(Event):
    """A paid answer, recorded before anything is built on it. `key` is the question's."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["model.answered"] = "model.answered"
    key: str
    purpose: Purpose
    answer: ModelAnswer
    who: str = ""

    @property
    def is_progress(self) -> bool:
        return True


class AnswersSetAside(Event):
    """Answers that were paid for and no longer fit what is played: the same questions are asked again."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["answers.set_aside"] = "answers.set_aside"
    keys: tuple[str, ...]


class RunForked(Event):
    """This run is a copy of another up to its entry `at`."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["run.forked"] = "run.forked"
    parent: str
    at: int
    note: str = ""


class RunStopped(Event):
    """The run was cancelled or failed as a whole; it can be resumed unless it ended by itself."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["run.stopped"] = "run.stopped"
    reason: str
    code: str = ""

    @property
    def is_progress(self) -> bool:
        return True  # whoever resumes it after that asks for it to be tried again


class RunAdopted(Event):
    """The process that played the run died, and another took it up."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["run.adopted"] = "run.adopted"
    player: str


class RunReleased(Event):
    """The process that played the run was told to end, and left it to whoever takes it next."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["run.released"] = "run.released"
    player: str


class BudgetRaised(Event):
    """What the run may spend from here on, all that it has spent included, instead of the limits it had before."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["budget.raised"] = "budget.raised"
    tokens: int | None = None
    usd: float | None = None


class RunPaused(Event):
    """A provider has no room before `until`, in seconds since the epoch; the run waits, or is stopped if that is long.

    A run that is resumed before then does not ask the provider earlier.
    """

    type: Literal["run.paused"] = "run.paused"
    provider: str
    until: float


KernelEvent = ModelAnswered | RunForked | RunStopped | RunAdopted | RunReleased | BudgetRaised | RunPaused


def public(entries: Iterable[Entry[E_co]]) -> tuple[Entry[E_co], ...]:
    """The entries that anybody may see."""
    return tuple(entry for entry in entries if entry.event.audience == "public")
