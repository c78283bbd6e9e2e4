"""The values of a fire drill: the flaws that were planted, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.workshop.health.values import Evidence, Finding

FlawKind: TypeAlias = Literal[
    "eye_colour",
    "dead_walker",
    "impossible_journey",
    "vanished_prop",
    "drifting_name",
    "knowledge_from_nowhere",
    "flaw_never_challenged",
    "moved_beat",
]


class PlantedFlaw(WireValue):
    """A flaw in the copy: what it is, the fact of the book that it contradicts, and the words of that fact."""

    kind: FlawKind
    subject: str
    text: str = Field(description="what was changed")
    fact: str = Field(description="the fact that it contradicts")
    evidence: Evidence = Field(description="the words of that fact, and where they stand")
    files: tuple[str, ...] = Field(description="the files of the copy that were changed")
    recorded: bool = Field(description="whether front matter says it too, or only the prose")


class NotPlanted(WireValue):
    """A kind of flaw that the book gave no fact for."""

    kind: FlawKind
    reason: str


class FlawOutcome(WireValue):
    """A planted flaw, the checks that caught it, or why it was missed."""

    flaw: PlantedFlaw
    caught_by: tuple[str, ...] = ()
    said: str = Field("", description="the finding that caught it")
    missed: str = Field("", description="why no check caught it")


class DrillReport(WireValue):
    """What a drill showed. False alarms are what the checks said of the clean copy: each may be a real flaw, too."""

    title: str
    at: float
    seed: int
    recorded: bool = Field(True, description="whether flaws were planted in front matter too, or in prose alone")
    words: int
    outcomes: tuple[FlawOutcome, ...] = ()
    not_planted: tuple[NotPlanted, ...] = ()
    false_alarms: tuple[Finding, ...] = Field((), description="warnings about the clean copy")
    unexplained: tuple[Finding, ...] = Field((), description="new warnings about the flawed copy that fit no flaw")
    caught: Mapping[str, int] = Field(default_factory=dict, description="how many flaws each check caught")
    silent: tuple[str, ...] = Field((), description="checks that caught nothing")

    @property
    def recall(self) -> tuple[int, int]:
        """How many flaws were caught, of how many."""
        return sum(bool(one.caught_by) for one in self.outcomes), len(self.outcomes)
