"""What the Foreman needs of the house; the composition root fills it in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.prices import Price
from dramaturg.kernel.runs import RunLibrary
from dramaturg.kernel.settings import Settings
from dramaturg.workshop.events import ForemanRun
from dramaturg.workshop.notebooks import NotebookShelf
from dramaturg.workshop.store import KnowledgeBase


@dataclass(frozen=True, slots=True)
class Office:
    """What the Foreman needs of the house."""

    settings: Settings
    clock: Clock
    runs: RunLibrary
    knowledge: KnowledgeBase
    notebooks: Callable[[], NotebookShelf]
    open_model: Callable[[ForemanRun, str], Awaitable[Model]]
    choose: Callable[[], Awaitable[str]]
    price: Callable[[str], Price | None]
