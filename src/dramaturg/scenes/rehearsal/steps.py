"""The lines of a scene's plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the plan. `deed` is set on the line that does what goal `goal` asks for.

    `cut_after` is the phrase at which the next line cuts this one, if that line `cuts`; `quick` follows in the
    same beat. `essential` lines cannot be left out when time is short.
    """

    speaker: str
    target: str
    text: str
    tone: str
    gesture: str
    move: str
    goal: int
    passage: int
    deed: bool = False
    cut_after: str = ""
    cuts: bool = False
    quick: bool = False
    essential: bool = False


def beats_of(steps: Iterable[Step]) -> int:
    """How many beats these lines take: a cut and a quick answer share the beat of the line before."""
    return sum(not (step.cuts or step.quick) for step in steps)
