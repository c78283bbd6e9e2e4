"""Consolidation as a long work: read what is new, ask about it piece by piece, and merge the answers in one batch."""

from __future__ import annotations

from pydantic import Field

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.runs.ids import id_for
from dramaturg.kernel.text.counts import counted
from dramaturg.workshop.consolidation.checked_claims import REASONS
from dramaturg.workshop.consolidation.extraction import extraction_request
from dramaturg.workshop.consolidation.front import Answers, Consolidation
from dramaturg.workshop.consolidation.store import ConsolidationStore
from dramaturg.workshop.consolidation.texts import PIECE, StoryText, pieces_of
from dramaturg.workshop.consolidation.values import Batch, Counts
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.state import foreman_state
from dramaturg.workshop.turn_context import FOREMAN
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import Cell, LongWork, WorkPlan, WorkRequest, WorkResult

NAME = "consolidation"
BY_RULE = "all but the plainest statements: the rehearsal company reads by rule"


class ConsolidationRequest(WorkRequest):
    """What is consolidated: everything that is new, or only what needs no model."""

    reads: bool = Field(True, description="whether scenes and messages are read by a model; else only decisions are")
    file: str = Field("", max_length=400, description="only this file of the manuscript")


class ConsolidationResult(WorkResult):
    """The batch that was merged, and how many conflicts wait for the writer."""

    batch: int = 0
    counts: Counts = Counts()
    waiting: int = 0


class ConsolidationWork(LongWork[ConsolidationRequest, ConsolidationResult]):
    """Scenes, messages and decisions that are not in the graph yet."""

    name = NAME
    noun = "a consolidation"
    request = ConsolidationRequest
    result = ConsolidationResult

    async def plan(self, book: BookSources, request: ConsolidationRequest) -> WorkPlan:
        texts, piece = await _waiting(book, request)
        cells = await _cells(book, texts, piece)
        stand_in = profile_of((await book.model_for("extraction")).name).is_stand_in
        return WorkPlan(cells=cells, blind_spots=(BY_RULE,) if cells and stand_in else ())

    async def play(self, context: WorkContext[ConsolidationRequest]) -> ConsolidationResult:
        book = context.book
        texts, piece = await _waiting(book, context.request)
        found = await context.ask(await _cells(book, texts, piece))
        answers = Answers({key: one.text for key, one in found.answers.items()}, piece)
        front = consolidation_of(book)
        batch = await front.merge(context.id, texts, answers)
        waiting = (await front.conflicts()).waiting
        return ConsolidationResult(said=said(batch, waiting), batch=batch.id, counts=batch.counts, waiting=waiting)

    def show(self, result: ConsolidationResult) -> str:
        rows = [result.said]
        if refused := _refusals(result.counts):
            rows.append(f"Refused: {refused}.")
        if result.waiting:
            rows.append("See them: dramaturg foreman conflicts")
        return "\n".join(rows) + "\n"


def consolidation_of(book: BookSources) -> Consolidation:
    """The front of a book's consolidation."""
    store = ConsolidationStore(book.resources.database, book.name)
    return Consolidation(store, book.graph, book.knowledge, book.project, book.resources.clock)


async def messages_of(book: BookSources) -> dict[int, str]:
    """What the writer said, by turn, as far as each turn is done."""
    runs, run = book.resources.runs, id_for(FOREMAN, book.name)
    try:
        state = foreman_state((await runs.open(run)).entries)
    except NotFound:
        return {}
    return {number: turn.spoke.text for number, turn in state.turns.items() if turn.ended}


def said(batch: Batch, waiting: int) -> str:
    """What a batch came to, in a sentence or two."""
    held = batch.counts
    parts = [f"Read {counted(held.texts, 'text')} in {counted(held.pieces, 'piece')}"] if held.pieces else []
    parts += [f"{held.added} new {'fact' if held.added == 1 else 'facts'}"] if held.added else ["no new fact"]
    parts += [counted(held.decisions, "decision")] if held.decisions else []
    parts += [f"{counted(held.retired, 'fact')} retired"] if held.retired else []
    lost = held.unreadable + held.surplus
    refused = sum(held.refused.values()) + lost
    parts += [f"{refused} of {counted(held.claims + lost, 'claim')} refused"] if refused else []
    unread = f"{counted(held.unanswered, 'piece')} without an answer, to be read the next time"
    parts += [unread] if held.unanswered else []
    open_ = f" {counted(waiting, 'conflict')} {'waits' if waiting == 1 else 'wait'} for you." if waiting else ""
    first = "; ".join(parts)
    return f"{first[0].upper()}{first[1:]}.{open_}"


def _refusals(held: Counts) -> str:
    """Why claims were refused, each reason with how often."""
    named = {str(name): reason for name, reason in REASONS.items()}
    reasons = {named.get(name, name): count for name, count in sorted(held.refused.items())}
    reasons |= {"a claim cannot be read": held.unreadable, "too many for one answer": held.surplus}
    return "; ".join(f"{reason} ({count})" for reason, count in reasons.items() if count)


async def _waiting(book: BookSources, request: ConsolidationRequest) -> tuple[tuple[StoryText, ...], int]:
    """The texts that were not read yet, and how long the pieces are that the model is given."""
    piece = PIECE[profile_of((await book.model_for("extraction")).name).tier]
    if not request.reads:
        return (), piece
    texts = await consolidation_of(book).waiting(await messages_of(book))
    return tuple(one for one in texts if request.file in ("", one.path)), piece


async def _cells(book: BookSources, texts: tuple[StoryText, ...], piece: int) -> tuple[Cell, ...]:
    graph, prompts = (await book.graph.preview()).graph, PromptFiles(book.project)
    model = profile_of((await book.model_for("extraction")).name)
    return tuple(
        _cell(extraction_request(text, one, graph, prompts, reads_cues=model.reads_cues))
        for text in texts
        for one in pieces_of(text, piece)
    )


def _cell(request: ModelRequest) -> Cell:
    return Cell(
        key=request.key,
        use="extraction",
        system=request.system,
        text=request.messages[0].text,
        max_tokens=request.max_tokens,
        temperature=request.temperature,
        cue=request.cue,
    )


WORK = ConsolidationWork()
