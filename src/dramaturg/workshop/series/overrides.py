"""Where a book says something else than its series or an earlier book: an override if it gives a reason.

The reason stands with the fact, as `because`. Without one it is a contradiction, and what the series says still holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.consolidation.conflicts import found_by_rules
from dramaturg.workshop.consolidation.knowledge_rules import Secrets
from dramaturg.workshop.consolidation.standing import StandingFacts
from dramaturg.workshop.graph.intake import read_pages, read_scenes
from dramaturg.workshop.graph.predicates import predicate_named
from dramaturg.workshop.graph.values import Fact, StoryGraph, book_of, folded

BECAUSE = "because"


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact of the series or of an earlier book, one of this book that cannot be true beside it, and the reason."""

    rule: str
    said: str
    old: Fact
    new: Fact
    because: str = ""


def differences(graph: StoryGraph, project: Path) -> tuple[Difference, ...]:
    """Where the facts of a book contradict those from elsewhere in a joined graph; each pair of facts once."""
    current = [one for one in graph.current if one.modality == "narrated"]
    elsewhere = [one for one in current if book_of(one.file)]
    if not elsewhere:
        return ()
    standing, secrets = StandingFacts(graph, elsewhere), Secrets(graph)
    reasons: Mapping[tuple[str, str, str], str] | None = None
    found: dict[tuple[int, int], Difference] = {}
    for fact in current:
        if book_of(fact.file):
            continue
        for one in found_by_rules(fact, standing, secrets):
            if not book_of(one.old.file):
                continue
            reasons = _reasons(project) if reasons is None else reasons
            because = reasons.get(_key(graph, fact), "")
            found.setdefault((one.old.id, fact.id), Difference(one.rule, one.said, one.old, fact, because))
    return tuple(found.values())


def without_overridden(graph: StoryGraph, project: Path) -> StoryGraph:
    """A joined graph in which facts that the book overrides with a reason no longer hold."""
    gone = {one.old.id: one.new.recorded_at for one in differences(graph, project) if one.because}
    if not gone:
        return graph
    facts = tuple(replace(one, retired_at=gone[one.id]) if one.id in gone else one for one in graph.facts)
    return StoryGraph(graph.entities, facts, graph.sources)


def _key(graph: StoryGraph, fact: Fact) -> tuple[str, str, str]:
    target = graph.root(fact.object).name if fact.object is not None else fact.value
    return fact.file, fact.predicate, folded(target)


def _reasons(project: Path) -> Mapping[tuple[str, str, str], str]:
    """The reasons that the files of a book give, by file, predicate and what the fact says."""
    return dict(_written(project))


def _written(project: Path) -> Iterator[tuple[tuple[str, str, str], str]]:
    scenes, _ = read_scenes(project)
    pages = [*read_pages(project), *((one.path, one.matter) for one in scenes)]
    for path, matter in pages:
        for one in matter.facts:
            if not isinstance(one, Mapping) or not str(one.get(BECAUSE) or "").strip():
                continue
            said = str(one.get("object") or one.get("value") or "")
            try:
                predicate = predicate_named(str(one.get("predicate", ""))).name
            except InvalidConfig:
                continue
            yield (path, predicate, folded(said)), " ".join(str(one[BECAUSE]).split())
