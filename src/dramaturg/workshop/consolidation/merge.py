"""What a batch changes: new facts without repetition, those that contradict an older one set aside, old ones retired.

Everything here is a value; the store writes it in one transaction, or nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dramaturg.workshop.consolidation.checked_claims import SOURCE as EXTRACTED
from dramaturg.workshop.consolidation.checked_claims import CheckedClaims
from dramaturg.workshop.consolidation.conflicts import Comparison, compare_facts, said_by
from dramaturg.workshop.consolidation.decision_facts import DecisionFacts
from dramaturg.workshop.consolidation.texts import StoryText
from dramaturg.workshop.consolidation.values import Batch, Counts, FactConflict, ReadText
from dramaturg.workshop.graph.register import Register
from dramaturg.workshop.graph.values import Fact, GraphChange, StoryGraph


@dataclass(frozen=True, slots=True)
class Harvest:
    """What was read since the last batch: checked claims, decisions, texts, and what holds no longer."""

    register: Register
    claims: tuple[CheckedClaims, ...] = ()
    decisions: DecisionFacts = field(default_factory=DecisionFacts)
    outdated: tuple[int, ...] = ()
    texts: tuple[StoryText, ...] = ()
    counts: Counts = field(default_factory=Counts)


@dataclass(frozen=True, slots=True)
class MergePlan:
    """A batch and everything that the store writes with it."""

    batch: Batch
    change: GraphChange
    conflicts: tuple[FactConflict, ...] = ()
    graph: StoryGraph = field(default_factory=StoryGraph, compare=False)

    @property
    def is_empty(self) -> bool:
        held = self.batch
        changed = (held.added, held.retired, held.restored, held.aside, held.closed, held.promoted, held.texts)
        return not (self.change or self.conflicts or any(changed))


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is stored of earlier batches: their number, how far facts were compared, all conflicts, the texts read."""

    batches: tuple[Batch, ...] = ()
    conflicts: tuple[FactConflict, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def checked_to(self) -> int:
        return max((one.checked_to for one in self.batches if one.undone_at is None), default=0)

    @property
    def next_batch(self) -> int:
        return max((one.id for one in self.batches), default=0) + 1

    @property
    def next_conflict(self) -> int:
        return max((one.id for one in self.conflicts), default=0) + 1


def plan_merge(graph: StoryGraph, harvest: Harvest, ledger: Ledger, run: str, at: float) -> MergePlan:
    """The batch that a harvest makes of a graph."""
    found = [fact for one in harvest.claims for fact in one.facts] + list(harvest.decisions.facts)
    facts = _new_facts(graph, found)
    gone = _gone(graph, harvest, ledger)
    change = GraphChange(
        harvest.register.new, harvest.register.aliases or None, tuple(facts), (*harvest.outdated, *gone.retired)
    )
    after = _restored(graph.changed(change, at), gone.restored)
    first = graph.last[1] + 1
    checked = max(ledger.checked_to, 0)
    new = frozenset(
        one.id for one in after.facts if one.holds and (one.id >= first or one.id > checked or one.id in gone.restored)
    )
    settled = [one for one in ledger.conflicts if one.id not in gone.closed]
    compared = compare_facts(after, new, settled)
    conflicts = _conflicts(compared, ledger, at)
    kept = tuple(
        replace(fact, retired_at=at, set_aside=True) if first + place in compared.aside else fact
        for place, fact in enumerate(facts)
    )
    numbers = [first + place for place in range(len(facts))]
    counts = harvest.counts.model_copy(
        update={
            "repeated": len(found) - len(facts),
            "added": sum(number not in compared.aside for number in numbers),
            "retired": len(change.retired),
            "decisions": len(harvest.decisions.promoted),
            "unmapped": harvest.decisions.unmapped,
            "conflicts": len(conflicts),
        }
    )
    entity = graph.last[0]
    batch = Batch(
        id=ledger.next_batch,
        run=run,
        merged_at=at,
        checked_to=after.last[1],
        entities=tuple(entity + place for place in range(1, len(change.entities) + 1)),
        aliases_before={number: graph.by_id[number].aliases for number in change.aliases or {}},
        added=tuple(numbers),
        aside=tuple(sorted(compared.aside - set(numbers))),
        retired=change.retired,
        restored=tuple(number for number in gone.restored if number not in compared.aside),
        closed=gone.closed,
        promoted=harvest.decisions.promoted,
        texts=_read_texts(harvest.texts, graph, ledger),
        counts=counts,
    )
    return MergePlan(batch, replace(change, facts=kept), conflicts, after)


def _new_facts(graph: StoryGraph, found: Iterable[Fact]) -> list[Fact]:
    """The facts that the graph does not have; one that says the same in the same file, in whatever words, it has."""
    known = {_place(one, graph) for one in graph.facts if one.holds or one.set_aside}
    kept: list[Fact] = []
    for fact in found:
        place = _place(fact, graph)
        if place not in known:
            known.add(place)
            kept.append(fact)
    return kept


def _place(fact: Fact, graph: StoryGraph) -> tuple[object, ...]:
    holder = graph.roots.get(fact.holder, fact.holder) if fact.holder is not None else None
    subject, predicate, target, value = said_by(fact, graph)
    ends = (subject or fact.subject, target or fact.object)
    return (*ends, predicate, value, fact.modality, holder, fact.time_from, fact.time_to, fact.file)


@dataclass(frozen=True, slots=True)
class _Gone:
    """Facts whose words no longer stand in their text, the conflicts that this ends, and what stands again."""

    retired: tuple[int, ...] = ()
    closed: tuple[int, ...] = ()
    restored: tuple[int, ...] = ()


def _gone(graph: StoryGraph, harvest: Harvest, ledger: Ledger) -> _Gone:
    texts = {one.path: one.text for one in harvest.texts}
    files = {one.path for one in graph.sources if not one.digest}
    retired = [one for one in graph.facts if one.source == EXTRACTED and _is_gone(one, texts, files)]
    numbers = {one.id for one in retired if one.holds} | set(harvest.outdated)
    facts = {one.id: one for one in graph.facts}
    closed, restored = [], []
    for conflict in ledger.conflicts:
        old, new = facts.get(conflict.old), facts.get(conflict.new)
        if not conflict.is_open or old is None or new is None:
            continue
        old_gone = conflict.old in numbers or (not old.holds and not old.set_aside)
        new_gone = _is_gone(new, texts, files) or (not new.holds and not new.set_aside)
        if old_gone or new_gone:
            closed.append(conflict.id)
            if not new_gone and new.set_aside:
                restored.append(new.id)
    return _Gone(tuple(sorted(numbers - set(harvest.outdated))), tuple(closed), tuple(dict.fromkeys(restored)))


def _is_gone(fact: Fact, texts: Mapping[str, str], files: set[str]) -> bool:
    """Whether the words of a fact no longer stand in their file, as far as it was read now."""
    if fact.file in files:
        return True
    return fact.file in texts and bool(fact.quote) and fact.quote not in texts[fact.file]


def _restored(graph: StoryGraph, restored: Sequence[int]) -> StoryGraph:
    if not restored:
        return graph
    again = frozenset(restored)
    facts = tuple(replace(one, retired_at=None, set_aside=False) if one.id in again else one for one in graph.facts)
    return StoryGraph(graph.entities, facts, graph.sources)


def _conflicts(compared: Comparison, ledger: Ledger, at: float) -> tuple[FactConflict, ...]:
    return tuple(
        FactConflict.model_validate(
            {
                "id": number,
                "batch": ledger.next_batch,
                "rule": one.rule,
                "said": one.said,
                "old": one.old.id,
                "new": one.new.id,
                "further": tuple(fact.id for fact in one.further),
                "found_at": at,
            }
        )
        for number, one in enumerate(compared.findings, start=ledger.next_conflict)
    )


def _read_texts(texts: Sequence[StoryText], graph: StoryGraph, ledger: Ledger) -> tuple[ReadText, ...]:
    read = [ReadText(path=one.path, digest=one.digest, before=ledger.texts.get(one.path, "")) for one in texts]
    gone = [one.path for one in graph.sources if not one.digest and one.path in ledger.texts]
    return (*read, *(ReadText(path=path, digest="", before=ledger.texts[path]) for path in gone))
