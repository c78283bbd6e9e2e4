"""The front of consolidation: what waits to be read, the merge, the conflicts and what the writer says about them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, NotFound, StoreUnavailable
from dramaturg.workshop.book.bible import BiblePage, StoryBible
from dramaturg.workshop.book.decisions import Decision
from dramaturg.workshop.consolidation.checked_claims import CheckedClaims, check_claims
from dramaturg.workshop.consolidation.claims import read_claims
from dramaturg.workshop.consolidation.conflicts import said_by
from dramaturg.workshop.consolidation.decision_facts import decision_facts, outdated
from dramaturg.workshop.consolidation.extraction import extraction_key
from dramaturg.workshop.consolidation.merge import Harvest, Ledger, MergePlan, plan_merge
from dramaturg.workshop.consolidation.store import ConsolidationStore, Undoing
from dramaturg.workshop.consolidation.texts import StoryText, message_text, pieces_of, scene_texts
from dramaturg.workshop.consolidation.values import Batch, Counts, FactConflict, KeepReason, Resolution
from dramaturg.workshop.consolidation.wire import BatchList, ConflictList, ConflictView, batch_view, conflict_list
from dramaturg.workshop.graph.front import BookGraph
from dramaturg.workshop.graph.register import Register
from dramaturg.workshop.graph.scene_facts import PROSE
from dramaturg.workshop.graph.values import Fact, StoryGraph
from dramaturg.workshop.store import KnowledgeBase

ATTEMPTS = 5
LONGEST_NOTE = 2000
RESOLUTIONS: Mapping[str, Resolution] = {"keep-old": "keep_old", "take-new": "take_new", "keep-both": "keep_both"}
REASONS: tuple[str, ...] = get_args(KeepReason)


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model answered, by the key of each question, and how long the pieces were that it was asked about."""

    texts: Mapping[str, str]
    piece: int


class Consolidation:
    """The consolidation of one book: texts and decisions into its graph."""

    def __init__(
        self, store: ConsolidationStore, graph: BookGraph, knowledge: KnowledgeBase, project: Path, clock: Clock
    ) -> None:
        self._store = store
        self._graph = graph
        self._knowledge = knowledge
        self._project = project
        self._clock = clock

    # What waits, and the merge.

    async def waiting(self, said: Mapping[int, str]) -> tuple[StoryText, ...]:
        """The scenes and messages that were not read since they changed. `said` are the writer's messages by turn."""
        ledger, reading = await self._store.ledger(), await self._graph.read()
        texts = await asyncio.to_thread(scene_texts, self._project, reading.graph)
        texts += [message_text(turn, text) for turn, text in sorted(said.items())]
        return tuple(one for one in texts if ledger.texts.get(one.path) != one.digest)

    async def merge(self, run: str, texts: Sequence[StoryText], answers: Answers) -> Batch:
        """Merges what was answered about these texts, and the decisions, into the graph: all of it or nothing.

        A run merges once; asked again, it returns its batch. A text that has changed since, or of which a piece has no
        answer, stays for the next time.
        """
        for _ in range(ATTEMPTS):
            ledger = await self._store.ledger()
            done = next((one for one in ledger.batches if one.run == run), None)
            if done is not None:
                return done
            plan, last = await self._plan(run, ledger, texts, answers)
            if plan.is_empty:
                return plan.batch.model_copy(update={"id": 0})
            if await self._store.merge(plan, last):
                return plan.batch
        raise StoreUnavailable("The knowledge graph could not be saved: other processes keep changing it. Try again.")

    async def _plan(
        self, run: str, ledger: Ledger, texts: Sequence[StoryText], answers: Answers
    ) -> tuple[MergePlan, tuple[int, int]]:
        reading = await self._graph.read()
        decisions = await self._knowledge.current()
        pages = await asyncio.to_thread(StoryBible(self._project).pages)
        work = (reading.graph, ledger, texts, answers, decisions, pages)
        harvest = await asyncio.to_thread(harvested, *work)
        plan = await asyncio.to_thread(plan_merge, reading.graph, harvest, ledger, run, self._clock.now())
        return plan, reading.graph.last

    async def undo(self) -> Batch:
        """Undoes the last merge that was not undone: the graph is what it was before it. Raises NotFound."""
        ledger, graph = await self._store.ledger(), (await self._graph.read()).graph
        batch = next((one for one in reversed(ledger.batches) if one.undone_at is None), None)
        if batch is None:
            raise NotFound("There is no merge to undo.")
        at = self._clock.now()
        if not await self._store.undo(batch, _undoing(batch, ledger, graph, at), at):
            raise NotFound(f"Merge {batch.id} was undone meanwhile.")
        return batch.model_copy(update={"undone_at": at})

    # Looking.

    async def batches(self, said: Mapping[int, str]) -> BatchList:
        """The merges so far, and what waits for the next one."""
        ledger = await self._store.ledger()
        waiting = await self.waiting(said)
        held = [one for one in await self._knowledge.current() if not one.is_promoted and one.kind == "fact"]
        return BatchList(
            batches=tuple(batch_view(one) for one in ledger.batches),
            waiting_texts=tuple(one.path for one in waiting),
            waiting_decisions=sum(one.category in ("character", "world", "structure") for one in held),
        )

    async def conflicts(self, *, resolved: bool = False) -> ConflictList:
        """The conflicts that wait for the writer, or all."""
        ledger, graph = await self._store.ledger(), (await self._graph.read()).graph
        shown = [one for one in ledger.conflicts if resolved or one.is_open]
        return conflict_list(graph, shown, ledger.conflicts)

    # What the writer says.

    async def resolve(self, number: int, resolution: Resolution, reason: str = "", note: str = "") -> ConflictView:
        """Settles a conflict for good. To keep both, the writer gives a reason. Raises InvalidConfig, NotFound."""
        ledger, graph = await self._store.ledger(), (await self._graph.read()).graph
        conflict = _numbered(ledger, number)
        if not conflict.is_open:
            what = conflict.resolution.replace("_", " ")
            raise InvalidConfig(
                f"Conflict {number} is settled already ({what}). Reopen it first: conflicts undo {number}"
            )
        if resolution == "keep_both" and reason not in REASONS:
            raise InvalidConfig(f"Say why both hold: a reason is one of {', '.join(REASONS)} (found '{reason}').")
        if resolution not in RESOLUTIONS.values():
            raise InvalidConfig(f"A conflict is settled by {', '.join(RESOLUTIONS)}.")
        old, new = _sides(conflict, graph)
        same = [one.id for one in graph.facts if one.holds and said_by(one, graph) == said_by(old, graph)]
        aside = same if resolution == "take_new" else []
        restored = [new.id, *_beside(conflict, graph)] if resolution in ("take_new", "keep_both") else []
        at = self._clock.now()
        after = conflict.model_copy(
            update={"resolution": resolution, "reason": reason, "note": note[:LONGEST_NOTE], "resolved_at": at}
        )
        return await self._settled(conflict, after, aside, restored, at)

    async def reopen(self, number: int) -> ConflictView:
        """Takes a resolution back; the conflict waits again. Raises NotFound, InvalidConfig."""
        ledger, graph = await self._store.ledger(), (await self._graph.read()).graph
        conflict = _numbered(ledger, number)
        if conflict.resolution not in RESOLUTIONS.values():
            raise InvalidConfig(f"Conflict {number} was not settled by you, so that there is nothing to take back.")
        restored = _overruled(conflict, graph) if conflict.resolution == "take_new" else []
        aside = [conflict.new, *_beside(conflict, graph)] if conflict.resolution != "keep_old" else []
        after = conflict.model_copy(update={"resolution": "", "reason": "", "note": "", "resolved_at": None})
        return await self._settled(conflict, after, aside, restored, self._clock.now())

    async def _settled(
        self, before: FactConflict, after: FactConflict, aside: Sequence[int], restored: Sequence[int], at: float
    ) -> ConflictView:
        if not await self._store.resolve(before, after, aside=aside, restored=restored, at=at):
            raise InvalidConfig(f"Conflict {after.id} was settled meanwhile by another process. Look again.")
        return conflict_list((await self._graph.read()).graph, [after], ()).conflicts[0]


def harvested(
    graph: StoryGraph,
    ledger: Ledger,
    texts: Sequence[StoryText],
    answers: Answers,
    decisions: Sequence[Decision],
    pages: Sequence[BiblePage],
) -> Harvest:
    """Everything that was answered and decided, checked against the texts."""
    register = Register(graph)
    claims: list[CheckedClaims] = []
    read: list[StoryText] = []
    counts = Counts()
    for text in texts:
        whole = True
        for piece in pieces_of(text, answers.piece):
            answer = answers.texts.get(extraction_key(text, piece))
            found = read_claims(answer) if answer is not None else None
            whole = whole and found is not None and found.found
            if found is not None:
                checked = check_claims(found, text, piece, register)
                claims.append(checked)
                counts = _counted(counts, checked, found.unreadable, found.surplus, len(found.facts) + len(found.names))
            counts = counts.model_copy(
                update={
                    "pieces": counts.pieces + 1,
                    "unanswered": counts.unanswered + (found is None or not found.found),
                }
            )
        if whole:
            read.append(text)
    lead = next((one.name for one in graph.entities if one.source.endswith("protagonist.md")), "")
    decided = decision_facts(decisions, pages, lead, register)
    counts = counts.model_copy(update={"texts": len(read)})
    return Harvest(register, tuple(claims), decided, tuple(outdated(graph.facts, decisions)), tuple(read), counts)


def _counted(counts: Counts, checked: CheckedClaims, unreadable: int, surplus: int, claims: int) -> Counts:
    refused = dict(counts.refused)
    for one in checked.refused:
        refused[one.reason] = refused.get(one.reason, 0) + 1
    return counts.model_copy(
        update={
            "claims": counts.claims + claims,
            "refused": refused,
            "unreadable": counts.unreadable + unreadable,
            "surplus": counts.surplus + surplus,
        }
    )


def _numbered(ledger: Ledger, number: int) -> FactConflict:
    found = next((one for one in ledger.conflicts if one.id == number), None)
    if found is None:
        known = ", ".join(str(one.id) for one in ledger.conflicts if one.is_open) or "none"
        raise NotFound(f"There is no conflict {number} (those that wait: {known}).", number=number)
    return found


def _sides(conflict: FactConflict, graph: StoryGraph) -> tuple[Fact, Fact]:
    facts = {one.id: one for one in graph.facts}
    if conflict.old not in facts or conflict.new not in facts:
        raise NotFound(f"The facts of conflict {conflict.id} are not in this graph.")
    return facts[conflict.old], facts[conflict.new]


def _beside(conflict: FactConflict, graph: StoryGraph) -> list[int]:
    """The facts that contradict the old one together with the new one, in the same scene."""
    new = _sides(conflict, graph)[1]
    own = (graph.roots.get(new.subject), new.file)
    facts = (one for one in graph.facts if one.id in conflict.further)
    return [one.id for one in facts if (graph.roots.get(one.subject), one.file) == own]


def _overruled(conflict: FactConflict, graph: StoryGraph) -> list[int]:
    """The facts that were set aside when the writer took the new one."""
    old = _sides(conflict, graph)[0]
    return [one.id for one in graph.facts if one.set_aside and said_by(one, graph) == said_by(old, graph)]


def _undoing(batch: Batch, ledger: Ledger, graph: StoryGraph, at: float) -> Undoing:
    own = [one for one in ledger.conflicts if one.batch == batch.id]
    restored = [number for one in own if one.resolution == "take_new" for number in _overruled(one, graph)]
    added = frozenset(batch.added)
    used = {
        end
        for fact in graph.current
        if fact.id not in added and fact.source != PROSE
        for end in (fact.subject, fact.object, fact.holder)
    }
    withdrawn = [number for number in batch.entities if number not in used]
    conflicts = [one.model_copy(update={"resolution": "withdrawn", "resolved_at": at}) for one in own]
    conflicts += [
        one.model_copy(update={"resolution": "", "resolved_at": None})
        for one in ledger.conflicts
        if one.id in batch.closed
    ]
    return Undoing([one for one in restored if one not in added], withdrawn, conflicts)
