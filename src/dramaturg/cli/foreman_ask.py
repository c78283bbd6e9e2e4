"""One question to the Foreman of a project, from the command line."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dramaturg.cli.edge import in_studio

if TYPE_CHECKING:
    from dramaturg.workshop.front import Workshop

T = TypeVar("T")


def ask_foreman(project: Path, work: Callable[[Workshop], Coroutine[object, object, T]], json: bool) -> T:
    """What a piece of work with the book gives; errors are told as everywhere."""
    return in_studio(project, lambda studio: work(studio.workshop), json=json)
