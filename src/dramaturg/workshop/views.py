"""A book and a prompt as they are shown to people and programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dramaturg.kernel.models.prices import Price
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.text.shortened import shortened
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.snapshot import BookSnapshot
from dramaturg.workshop.foreman.budgets import BUDGETS
from dramaturg.workshop.foreman.prompt_assembly import AssembledPrompt
from dramaturg.workshop.foreman.receipt import ForemanReceipt, untold_of, whole
from dramaturg.workshop.foreman.session_state import session_state
from dramaturg.workshop.state import Consultation, ForemanState
from dramaturg.workshop.wire import (
    BookView,
    ConsultationList,
    ConsultationRow,
    ConsultationView,
    PromptMessage,
    PromptView,
    WorkOrder,
    dollars,
    layer_costs,
)

LONGEST_LISTED = 2000
"""How many characters of a message a list shows."""


def book_view(name: str, state: ForemanState, snapshot: BookSnapshot) -> BookView:
    """The current state of a book."""
    book = snapshot.book
    last = next(iter(state.undoable), None)
    return BookView(
        book=name,
        **book.project.model_dump(),
        mode=book.mode,
        completion=book.completion,
        turns=len(state.turns),
        unanswered=state.open_turns,
        decisions=snapshot.known.decided,
        alerts=book.alerts,
        notebooks=book.notebooks,
        last_undoable=last.outcome.said if last else None,
        offer=state.offer.said if state.offer else None,
        work_order=WorkOrder.of(snapshot.gate, book.pages, book.completion),
        session_state=session_state(book, "full", BUDGETS["full"].session_state).xml,
    )


def prompt_view(model: str, sent: AssembledPrompt, known: Iterable[KnowledgeEntry], price: Price | None) -> PromptView:
    """A prompt as it would be sent to a model, with its cost, and what it leaves out of what is known."""
    receipt = whole(sent.receipt, untold_of(known, sent.told))
    return PromptView(
        model=model,
        tier=receipt.tier,
        assumed=profile_of(model).assumed,
        tokens=receipt.tokens,
        usd=dollars(receipt.tokens, price),
        reserve=sent.max_tokens,
        layers=layer_costs(receipt, price),
        blind_spots=tuple(f"{one.what} ({one.reason})" for one in receipt.blind_spots),
        next_tier=receipt.next_tier,
        system=sent.system,
        messages=tuple(PromptMessage(role=one.role, text=one.text) for one in sent.messages),
    )


def consultation_view(turn: Consultation, receipts: Sequence[ForemanReceipt]) -> ConsultationView:
    """A message and its outcome, with the receipts of its prompts."""
    return ConsultationView(
        turn=turn.spoke.turn,
        said=turn.spoke.text,
        message=turn.message,
        thinking=tuple(one.answer.thinking for one in turn.answers if one.answer.thinking),
        done=tuple(one.outcome.said for one in turn.done),
        refused=tuple(f"{one.action}: {one.reason}" for one in turn.refused),
        offered=tuple(one.said for one in turn.offered),
        doubted=tuple(one.quote for one in turn.doubted),
        failed=turn.failed.error if turn.failed else None,
        ended=turn.ended,
        receipts=tuple(receipts),
    )


def consultation_list(state: ForemanState, page: int, limit: int) -> ConsultationList:
    """A page of the conversation, newest first; an empty one beyond its end."""
    newest = sorted(state.turns.values(), key=lambda turn: -turn.spoke.turn)
    rows = tuple(_row(turn) for turn in newest[(page - 1) * limit : page * limit])
    return ConsultationList(consultations=rows, page=page, limit=limit, total=len(newest))


def _row(turn: Consultation) -> ConsultationRow:
    return ConsultationRow(
        turn=turn.spoke.turn,
        at=turn.at,
        said=shortened(turn.spoke.text, LONGEST_LISTED),
        message=shortened(turn.message, LONGEST_LISTED),
        done=tuple(one.outcome.said for one in turn.done),
        refused=len(turn.refused),
        failed=turn.failed.error if turn.failed else None,
        ended=turn.ended,
    )


def consultation_text(turn: Consultation) -> str:
    """A message and its outcome, as text."""
    view = consultation_view(turn, ())
    rows = [f"> {view.said}", "", view.message or "(no answer)"]
    rows += [f"✓ {done}" for done in view.done]
    rows += [f"? {offered}" for offered in view.offered]
    rows += [f"✗ {wrong}" for wrong in filter(None, (*view.refused, view.failed))]
    return "\n" + "\n".join(rows) + "\n"
