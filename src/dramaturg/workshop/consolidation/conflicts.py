"""Which new facts contradict those that stand, and what the writer has said about it before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from dramaturg.workshop.consolidation import life_rules, place_rules, value_rules
from dramaturg.workshop.consolidation.knowledge_rules import Secrets, knowledge
from dramaturg.workshop.consolidation.standing import Finding, StandingFacts
from dramaturg.workshop.consolidation.values import FactConflict
from dramaturg.workshop.graph.values import Fact, StoryGraph, folded

RULES = (*life_rules.RULES, *place_rules.RULES, *value_rules.RULES)
_FRAME = ("happens_at", "takes_place_at", "road_to", "located_in", "is_dead", "died_on", "killed", "receives")
"""What other rules rest on is compared first."""
_ANYWHERE = "*"
Said: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The new facts that are set aside, and the findings that the writer has not been asked about."""

    aside: frozenset[int]
    findings: tuple[Finding, ...]


def compare_facts(graph: StoryGraph, new: frozenset[int], settled: Sequence[FactConflict]) -> Comparison:
    """Compares new facts of a graph with those that stand, one after the other in reading order.

    What contradicts one fact several times in one scene is one finding.
    """
    memory = _Memory(graph, settled)
    current = [one for one in graph.current if one.modality == "narrated"]
    standing = StandingFacts(graph, (one for one in current if one.id not in new))
    secrets = Secrets(graph)
    aside: set[int] = set()
    findings: dict[Said, Finding] = {}
    for fact in sorted((one for one in current if one.id in new), key=lambda one: _order(one, standing)):
        verdict = _verdict(fact, standing, secrets, memory)
        if isinstance(verdict, Finding):
            place = (verdict.rule, verdict.old.id, graph.roots.get(fact.subject), fact.file)
            known = findings.get(place)
            findings[place] = replace(known, further=(*known.further, fact)) if known else verdict
        if verdict is None:
            standing.add(fact)
        else:
            aside.add(fact.id)
    return Comparison(frozenset(aside), tuple(findings.values()))


def found_by_rules(fact: Fact, standing: StandingFacts, secrets: Secrets) -> Iterator[Finding]:
    """Everything that a fact contradicts."""
    for rule in RULES:
        yield from rule(fact, standing)
    yield from knowledge(fact, standing, secrets)


def said_by(fact: Fact, graph: StoryGraph) -> Said:
    """What a fact says, whatever its words and its place."""
    target = graph.roots.get(fact.object) if fact.object is not None else None
    return (graph.roots.get(fact.subject), fact.predicate, target, folded(fact.value))


def _verdict(fact: Fact, standing: StandingFacts, secrets: Secrets, memory: _Memory) -> Finding | bool | None:
    """The finding to ask about; True if the fact is set aside without asking; None if it stands."""
    for finding in found_by_rules(fact, standing, secrets):
        loses = memory.loses(finding)
        if loses is None:
            return finding
        if loses:
            return True
    return None


def _order(fact: Fact, standing: StandingFacts) -> tuple[bool, int, int, int]:
    return (fact.predicate not in _FRAME, standing.positions.get(fact.file, -1), fact.start, fact.id)


class _Memory:
    """What the writer has resolved, by what the two facts say and by the file of the later one.

    If that file is gone, it may have another name now: then what the two say is enough.
    """

    def __init__(self, graph: StoryGraph, settled: Iterable[FactConflict]) -> None:
        self._graph = graph
        self._known: dict[tuple[str, Said, Said, str], bool] = {}
        facts = {one.id: one for one in graph.facts}
        gone = {one.path for one in graph.sources if not one.digest}
        for conflict in settled:
            old, new = facts.get(conflict.old), facts.get(conflict.new)
            if old is None or new is None or conflict.resolution in ("withdrawn", "gone"):
                continue
            one, other = said_by(old, graph), said_by(new, graph)
            waits_or_old = conflict.resolution in ("", "keep_old")
            for old_file, new_file in ((old.file, new.file), (_place(old, gone), _place(new, gone))):
                self._known[conflict.rule, one, other, new_file] = waits_or_old
                self._known.setdefault((conflict.rule, other, one, old_file), conflict.resolution == "take_new")

    def loses(self, finding: Finding) -> bool | None:
        """Whether the new fact is known to lose; False if it may stand beside the old one; None if nobody asked."""
        old, new = said_by(finding.old, self._graph), said_by(finding.new, self._graph)
        said = (finding.rule, old, new)
        return self._known.get((*said, finding.new.file), self._known.get((*said, _ANYWHERE)))


def _place(fact: Fact, gone: set[str]) -> str:
    return _ANYWHERE if fact.file in gone else fact.file
