"""What the checks are given: the scenes of a book, its graph, and what the story bible says of its core."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from dramaturg.workshop.consolidation.values import FactConflict
from dramaturg.workshop.graph.scene_facts import SceneText
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.health.story_clock import Duration
from dramaturg.workshop.health.values import CheckResult, Finding, SceneRecord


@dataclass(frozen=True)
class CheckedBook:
    """A book as the checks see it; nothing in it is read from disk any more."""

    records: tuple[SceneRecord, ...]
    graph: StoryGraph = field(default_factory=StoryGraph)
    texts: tuple[SceneText, ...] = ()
    title: str = ""
    protagonist: str = ""
    flaw: str = ""
    theme: str = ""
    travel: Mapping[frozenset[str], Duration] = field(default_factory=dict)
    target_words: int = 0
    problems: tuple[str, ...] = ()
    settled: tuple[FactConflict, ...] = ()
    waiting: tuple[FactConflict, ...] = ()
    refused: int = 0
    digest: str = ""

    @cached_property
    def words(self) -> int:
        return sum(one.words for one in self.records)

    @cached_property
    def by_path(self) -> Mapping[str, SceneRecord]:
        return {one.path: one for one in self.records}


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One check: its name as alerts carry it, its title, and the pure function that runs it."""

    name: str
    title: str
    look: Callable[[CheckedBook], CheckResult]

    @property
    def code(self) -> str:
        return self.name.partition("_")[0]


def result(
    name: str, title: str, measured: str, findings: tuple[Finding, ...] = (), details: tuple[str, ...] = ()
) -> CheckResult:
    """What a check found, the most severe first."""
    order = ("critical", "warning", "info")
    ranked = tuple(sorted(findings, key=lambda one: order.index(one.severity)))
    status = "found" if findings else "clear"
    return CheckResult(check=name, title=title, status=status, measured=measured, findings=ranked, details=details)


def cannot_tell(name: str, title: str, measured: str, missing: str) -> CheckResult:
    """The result of a check that lacks data."""
    return CheckResult(check=name, title=title, status="cannot_tell", measured=measured, missing=missing)


def percent(share: float) -> str:
    return f"{round(share * 100)}%"
