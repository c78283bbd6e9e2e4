"""A retcon as a long work: a fact gets another value, and all that rests on it is proposed as one set of patches.

Where the old value stands word for word, no model is asked. A sentence that rests on it in other words is put to a
model, which answers by patches with quoted words; one that nobody rewords is listed to be looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig, ModelError
from dramaturg.kernel.models.bounds import read_answer_with
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.text.counts import counted
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.plain_text import plain_text, typographic_spans
from dramaturg.workshop.consolidation.decision_facts import SOURCE as DECISION
from dramaturg.workshop.graph.entries import told
from dramaturg.workshop.graph.values import Fact, StoryGraph, book_of
from dramaturg.workshop.patches.pages import PatchedFiles
from dramaturg.workshop.patches.patch import Patch, PatchSource, patch_at, shared_edges
from dramaturg.workshop.patches.review import ProposedSet
from dramaturg.workshop.rehearsal.revision_cues import PatchCue
from dramaturg.workshop.revision.patch_answer import AskedChange, read_patches
from dramaturg.workshop.revision.prompts import RevisionPrompts
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.thread.choice import meant_facts
from dramaturg.workshop.thread.gathering import thread_sources
from dramaturg.workshop.thread.literal import ISSUE, LiteralChanges, literal_changes, unread
from dramaturg.workshop.thread.strands import ThreadSources, pulled
from dramaturg.workshop.thread.values import LookAt, Strand
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import Cell, LongWork, WorkPlan, WorkRequest, WorkResult

NAME = "retcon"
READER = "patches"
PASS = "retcon"
PATCH_TOKENS = 2000
NOTHING = "No fact was named, so that nothing is proposed."


class RetconRequest(WorkRequest):
    """A fact and the value that it shall have."""

    fact: str = Field("", max_length=400, description="its number, such as #12, or words that only it has")
    value: str = Field("", max_length=2000, description="what it shall say instead of its value or its object")
    rewords: bool = Field(True, description="whether a model is asked for sentences that say it in other words")


class Retcon(WorkResult):
    """One set of patches over everything that rests on the fact, and what the writer has to look at."""

    fact: int = 0
    was: str = ""
    value: str = ""
    patches: tuple[Patch, ...] = ()
    to_look_at: tuple[LookAt, ...] = ()
    model: str = Field("", description="the model that reworded; empty if none was asked")

    def proposed_sets(self, run: str) -> tuple[ProposedSet, ...]:
        """One set, proposed by the writer; the model that reworded is named."""
        if not self.patches:
            return ()
        source = PatchSource(by="person", name=self.model, purpose=f"retcon of fact {self.fact}")
        return (ProposedSet(f"{run}/{NAME}", f"{self.was} → {self.value}", source, self.patches),)


class _Reworded(Value):
    """The patches of a model, and the sentences that it left alone or could not be asked about."""

    patches: tuple[Patch, ...] = ()
    left: tuple[LookAt, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """A fact, its change as far as it needs no reading, and the questions about the rest by their file."""

    fact: Fact
    was: str
    changes: LiteralChanges
    cells: Mapping[str, Cell]


class Retconning(LongWork[RetconRequest, Retcon]):
    """A fact changed everywhere."""

    name = NAME
    noun = "a retcon"
    request = RetconRequest
    result = Retcon
    alone = False

    async def plan(self, book: BookSources, request: RetconRequest) -> WorkPlan:
        if not request.fact:
            return WorkPlan()
        found = await _planned(book, request)
        unseen = () if request.rewords else tuple(f"{one.where}: “{one.quote}”" for one in found.changes.to_reword)
        return WorkPlan(cells=tuple(found.cells.values()), blind_spots=unseen)

    async def play(self, context: WorkContext[RetconRequest]) -> Retcon:
        request, book = context.request, context.book
        if not request.fact:
            return Retcon(said=NOTHING)
        found = await _planned(book, request)
        reworded = await _reworded(context, found)
        model = (await book.model_for("drafting")).name if found.cells else ""
        patches = (*found.changes.patches, *reworded.patches)
        look = (*found.changes.to_look_at, *reworded.left)
        return Retcon(
            said=_said(found.was, request.value, patches, look, model),
            fact=found.fact.id,
            was=found.was,
            value=request.value,
            patches=patches,
            to_look_at=look,
            model=model,
        )

    def show(self, result: Retcon) -> str:
        rows = [result.said]
        rows += [f"  {one.path}: “{one.old}” → “{one.new}”" for one in result.patches]
        rows += ["To be looked at:"] if result.to_look_at else []
        for one in result.to_look_at:
            where = f"{one.where}:{one.line}" if one.line else one.where
            quote = f" “{' '.join(one.quote.split())}”" if one.quote else ""
            rows.append(f"  {one.book + ' ' if one.book else ''}{where}{quote} {one.why}")
        return "\n".join(rows) + "\n"


WORK = Retconning()


async def _planned(book: BookSources, request: RetconRequest) -> _Plan:
    value = request.value.strip()
    if not value:
        raise InvalidConfig("A retcon needs the new value of the fact.")
    sources, _ = await thread_sources(book, later=False)
    fact = _one_fact(sources, request.fact)
    was = told(sources.graph, fact)
    changes = literal_changes(sources, fact, pulled(sources, fact), value)
    cells = _cells(book, sources, changes.to_reword, was, value) if request.rewords else {}
    elsewhere = await _elsewhere(book, was, value)
    return _Plan(fact, was, replace(changes, to_look_at=(*changes.to_look_at, *elsewhere)), cells)


async def _elsewhere(book: BookSources, was: str, value: str) -> tuple[LookAt, ...]:
    """What rests on a fact in other books of the series, later ones too: for the writer, and for no model."""
    if book.series is None:
        return ()
    sources, _ = await thread_sources(book)
    fact = next((one for one in sources.graph.current if told(sources.graph, one) == was), None)
    strands = [one for one in pulled(sources, fact) if one.book] if fact is not None else []
    return literal_changes(sources, fact, strands, value).to_look_at if fact is not None else ()


def _one_fact(sources: ThreadSources, wanted: str) -> Fact:
    """The fact that is meant. Raises InvalidConfig if it may be several, or holds no longer."""
    graph = sources.graph
    found = meant_facts(graph, wanted)
    if len(found) != 1:
        listed = "; ".join(_numbered(graph, one) for one in found[:8]) or "none"
        way = "Give its number, or more of its words."
        raise InvalidConfig(f"'{wanted}' must name one fact; found: {listed}. {way}", fact=wanted)
    fact = found[0]
    if not fact.holds:
        now = [
            _numbered(graph, one)
            for one in graph.current
            if (graph.roots[one.subject], one.predicate) == (graph.roots[fact.subject], fact.predicate)
        ]
        instead = f" What holds now: {'; '.join(now[:4])}." if now else ""
        raise InvalidConfig(f"Fact {fact.id} no longer holds: {told(graph, fact)}.{instead}", fact=fact.id)
    return fact


def _numbered(graph: StoryGraph, fact: Fact) -> str:
    """A fact with its number; one of the series or of another book has none here."""
    return told(graph, fact) if book_of(fact.file) else f"#{fact.id} {told(graph, fact)}"


def _cells(
    book: BookSources, sources: ThreadSources, strands: Sequence[Strand], was: str, value: str
) -> Mapping[str, Cell]:
    """One question for each file with sentences to reword."""
    prompts = RevisionPrompts(book.project)
    by_file: dict[str, list[Strand]] = {}
    for one in strands:
        by_file.setdefault(one.where, []).append(one)
    found = {}
    for path, held in by_file.items():
        issues = tuple((one.quote, f"it was: {was}; now: {value}") for one in held)
        listed = "\n".join(f"- “{quote}” ({what})" for quote, what in issues)
        text = sources.text(path) or ""
        found[path] = Cell(
            key=path,
            use="drafting",
            system=prompts.patches(PASS, yardstick="", issues=listed, earlier=""),
            text=prompts.scene(path, text.strip()),
            max_tokens=PATCH_TOKENS,
            cue=PatchCue(PASS, text, issues),
        )
    return found


async def _reworded(context: WorkContext[RetconRequest], found: _Plan) -> _Reworded:
    """What a model makes of the sentences that only a reader can reword. One that fails leaves its file as it is."""
    strands = found.changes.to_reword
    if not found.cells:
        return _Reworded(left=tuple(map(unread, strands)))
    try:
        answers = (await context.ask(tuple(found.cells.values()))).answers
    except ModelError:
        answers = {}
    files = PatchedFiles(context.book.project)
    patches: list[Patch] = []
    left: list[LookAt] = []
    for path in found.cells:
        asked = _asked(path, answers[path].text) if path in answers else ()
        text = plain_text(files.exact(path) or "").plain
        for one in strands:
            if one.where == path:
                mine = sentence_patches(one, text, asked)
                patches += mine
                left += () if mine else (unread(one),)
    return _Reworded(patches=tuple(patches), left=tuple(left))


def _asked(path: str, answer: str) -> tuple[AskedChange, ...]:
    try:
        return read_answer_with(READER, lambda: read_patches(answer), key=path).changes
    except ModelError:
        return ()


def sentence_patches(strand: Strand, text: str, asked: Sequence[AskedChange]) -> list[Patch]:
    """The changes whose quoted words stand once in a sentence that was asked about; any other is not taken."""
    if not text.startswith(strand.quote, strand.start):
        return []
    patches: list[Patch] = []
    taken: list[tuple[int, int]] = []
    for one in asked:
        spans = typographic_spans(strand.quote, one.old, most=2)
        if len(spans) != 1:
            continue
        start, end = spans[0]
        lead, tail = shared_edges(strand.quote[start:end], one.new)
        new, start, end = one.new[lead : len(one.new) - tail], start + lead, end - tail
        if strand.quote[start:end] == new or any(start < stop and begin < end for begin, stop in taken):
            continue
        taken.append((start, end))
        place = (strand.start + start, strand.start + end)
        patches.append(patch_at(strand.where, text, *place, new, reason=one.reason, issue=one.issue or ISSUE))
    return patches


def _counted(look: Sequence[LookAt]) -> str:
    """How many, and which of them no patch reaches: decisions, and other books.

    The next prompt tells it to a model, so the books are not named here: the result lists them.
    """
    decisions = sum(one.where.startswith(f"{DECISION} ") for one in look)
    told = [counted(decisions, "decision")] if decisions else []
    elsewhere = len({one.book for one in look if one.book})
    told += [f"some in {counted(elsewhere, 'other book')}"] if elsewhere else []
    return f"{len(look)} ({', '.join(told)})" if told else str(len(look))


def _said(was: str, value: str, patches: Sequence[Patch], look: Sequence[LookAt], model: str) -> str:
    files = len({one.path for one in patches})
    count = "1 patch" if len(patches) == 1 else f"{len(patches)} patches"
    proposed = f"{count} in {files} {'file' if files == 1 else 'files'}" if patches else "no patch"
    more = f", {_counted(look)} to be looked at" if look else ""
    review = " Nothing is changed yet: dramaturg foreman patches." if patches else ""
    stand_in = " The rehearsal company rewords nothing." if model and is_stand_in(model) else ""
    return f"{was} → {value}: {proposed}{more}.{review}{stand_in}"
