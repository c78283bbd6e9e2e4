"""Long work as faces show it."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from dramaturg.kernel.store import Status
from dramaturg.kernel.values import JsonData, WireValue


class WorkRow(WireValue):
    """A long work of the book: its run, how it stands, and what it says of its end."""

    run: str
    work: str
    status: Status
    done: int = Field(0, description="questions dealt with")
    of: int = Field(0, description="questions in all, as far as known")
    failed: int = Field(0, description="questions without a usable answer")
    said: str = ""
    updated_at: float = 0.0


class WorkDetail(WorkRow):
    """The same with its request and its result; null while there is none."""

    request: Mapping[str, JsonData] = Field(default_factory=dict)
    result: Mapping[str, JsonData] | None = None
    remarks: tuple[str, ...] = Field((), description="what to know of how it was done, such as who judged")
    failures: Mapping[str, str] = Field(default_factory=dict, description="why, by the key of the question")


class WorkList(WireValue):
    """The long works of the book, newest first."""

    works: tuple[WorkRow, ...]


class WorkStart(WireValue):
    """What is asked for, and what it may spend at most."""

    request: Mapping[str, JsonData] = Field(default_factory=dict, description="as the work defines it")
    tokens: int | None = Field(None, ge=1, description="the ceiling in tokens; that of [budget] if not set")
    usd: float | None = Field(None, gt=0, description="the ceiling in US dollars; that of [budget] if not set")
