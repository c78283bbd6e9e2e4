"""What the writer is shown of a consultation as it happens, and views of a book. Names on the wire are camelCase."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Literal

from pydantic import Field

from dramaturg.kernel.models.prices import Price
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.book.bible import TEMPLATES, BiblePage
from dramaturg.workshop.book.book import HealthAlert
from dramaturg.workshop.book.decisions import Decision
from dramaturg.workshop.book.modes import Gate
from dramaturg.workshop.events import (
    ActionDone,
    ActionOffered,
    ActionRefused,
    ForemanAnswered,
    ForemanAnswerFailed,
    ForemanTurnEnded,
    ModeChanged,
    PromptAssembled,
    QuoteDoubted,
    WorkReported,
)
from dramaturg.workshop.foreman.receipt import ForemanReceipt
from dramaturg.workshop.notebooks import NotebookListing

MILLION = 1_000_000
NOTHING_SAID = "(The model gave no message.)"


class ConsultEvent(WireValue):
    """One thing the writer is shown. `id` is its place in the stream, sent alongside the JSON, not inside it."""

    event: str
    turn: int
    id: str = Field("", exclude=True)

    def payload(self) -> str:
        return self.model_dump_json(by_alias=True, exclude_none=True)


class PromptSent(ConsultEvent):
    """A model is asked: which one, and how long the prompt is."""

    event: Literal["prompt.sent"] = "prompt.sent"
    model: str
    tier: str
    tokens: int
    blind_spots: int


class MessageDelta(ConsultEvent):
    """The next words of the message."""

    event: Literal["message.delta"] = "message.delta"
    text: str


class MessageDone(ConsultEvent):
    """The complete message, which replaces the pieces. Show `thinking` collapsed."""

    event: Literal["message.done"] = "message.done"
    text: str
    thinking: str = ""
    odd: tuple[str, ...] = Field((), description="how the answer left the protocol")


class ActionShown(ConsultEvent):
    """An action was carried out."""

    event: Literal["action.done"] = "action.done"
    action: str
    said: str
    brought: str = ""
    undoable: bool = False
    run: str | None = Field(None, description="the long work that it started")


class RefusalShown(ConsultEvent):
    """An action was refused."""

    event: Literal["action.refused"] = "action.refused"
    action: str
    reason: str
    quote: str = ""


class OfferShown(ConsultEvent):
    """The Foreman asks for something that is done only when the writer confirms it, before their next message."""

    event: Literal["action.offered"] = "action.offered"
    action: str
    said: str


class ModeShown(ConsultEvent):
    """The book is in another mode."""

    event: Literal["mode.changed"] = "mode.changed"
    before: str
    after: str
    risks: tuple[str, ...] = ()


class DoubtShown(ConsultEvent):
    """A quotation that is in none of the passages found."""

    event: Literal["quote.doubted"] = "quote.doubted"
    quote: str
    cited: str


class WorkShown(ConsultEvent):
    """A long work of the book is over."""

    event: Literal["work.ended"] = "work.ended"
    run: str
    work: str
    status: str
    said: str


class FailureShown(ConsultEvent):
    """There is no answer; the message is kept."""

    event: Literal["failed"] = "failed"
    error: str
    code: str


class ConsultDone(ConsultEvent):
    """The turn is over."""

    event: Literal["done"] = "done"
    answered: bool


ConsultStreamEvent = (
    PromptSent
    | MessageDelta
    | MessageDone
    | ActionShown
    | RefusalShown
    | OfferShown
    | ModeShown
    | DoubtShown
    | WorkShown
    | FailureShown
    | ConsultDone
)
"""Each of them: `event` tells which one it is, to a type checker too."""


@singledispatch
def shown(event: Event) -> ConsultStreamEvent | None:
    """What the writer sees of an event; for most events, nothing."""
    return None


@shown.register
def _(event: PromptAssembled) -> ConsultStreamEvent | None:
    receipt = event.receipt
    return PromptSent(
        turn=event.turn,
        model=event.model,
        tier=receipt.tier,
        tokens=receipt.tokens,
        blind_spots=len(receipt.blind_spots) + (event.known.untold if event.known else 0),
    )


@shown.register
def _(event: ForemanAnswered) -> ConsultStreamEvent | None:
    answer = event.answer
    odd = tuple(one.what for one in answer.oddities)
    text = answer.message or (NOTHING_SAID if not answer.actions and not answer.updates else "")
    return MessageDone(turn=event.turn, text=text, thinking=answer.thinking, odd=odd)


@shown.register
def _(event: ActionDone) -> ConsultStreamEvent | None:
    outcome = event.outcome
    return ActionShown(
        turn=event.turn,
        action=event.action,
        said=outcome.said,
        brought=outcome.brought,
        undoable=outcome.is_undoable,
        run=outcome.run,
    )


@shown.register
def _(event: ActionRefused) -> ConsultStreamEvent | None:
    return RefusalShown(turn=event.turn, action=event.action, reason=event.reason, quote=event.quote)


@shown.register
def _(event: ActionOffered) -> ConsultStreamEvent | None:
    return OfferShown(turn=event.turn, action=event.action, said=event.said)


@shown.register
def _(event: ModeChanged) -> ConsultStreamEvent | None:
    turn = event.act.partition(".")[0]
    number = int(turn) if turn.isdecimal() else 0
    return ModeShown(turn=number, before=event.before, after=event.after, risks=event.risks)


@shown.register
def _(event: QuoteDoubted) -> ConsultStreamEvent | None:
    return DoubtShown(turn=event.turn, quote=event.quote, cited=event.cited)


@shown.register
def _(event: WorkReported) -> ConsultStreamEvent | None:
    return WorkShown(turn=event.turn, run=event.run, work=event.work, status=event.status, said=event.said)


@shown.register
def _(event: ForemanAnswerFailed) -> ConsultStreamEvent | None:
    return FailureShown(turn=event.turn, error=event.error, code=event.code)


@shown.register
def _(event: ForemanTurnEnded) -> ConsultStreamEvent | None:
    return ConsultDone(turn=event.turn, answered=event.answered)


class WorkOrderRow(WireValue):
    """The status of one template."""

    template: str
    title: str
    file: str
    status: str
    completed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    problem: str | None = None

    @classmethod
    def of(cls, page: BiblePage) -> WorkOrderRow:
        template = TEMPLATES[page.template]
        return cls(
            template=page.template,
            title=template.title,
            file=f"story-bible/{template.file}",
            status=page.status,
            completed=tuple(name for name in template.fields if name not in page.missing),
            missing=page.missing,
            problem=page.problem,
        )


class WorkOrder(WireValue):
    """What the book still needs before its next mode opens."""

    mode: str
    next_mode: str | None
    completion: int = Field(description="of the story bible, in percent of its fields")
    gate_open: bool
    gate_missing: tuple[str, ...]
    templates: tuple[WorkOrderRow, ...]

    @classmethod
    def of(cls, gate: Gate, pages: Iterable[BiblePage], completion: int) -> WorkOrder:
        return cls(
            mode=gate.mode,
            next_mode=gate.mode.next,
            completion=completion,
            gate_open=gate.is_open,
            gate_missing=gate.missing,
            templates=tuple(WorkOrderRow.of(page) for page in pages),
        )


class BookView(WireValue):
    """The current state of a book."""

    book: str
    title: str
    protagonist: str
    genre: str
    tone: str
    mode: str
    completion: int
    turns: int
    unanswered: tuple[int, ...] = Field((), description="messages whose answer was interrupted")
    decisions: int
    alerts: tuple[HealthAlert, ...] = ()
    notebooks: tuple[NotebookListing, ...] = ()
    last_undoable: str | None = None
    offer: str | None = Field(
        None,
        description="what waits for the writer's yes; their next message lets it lapse",
        exclude_if=lambda offer: offer is None,
    )
    work_order: WorkOrder
    session_state: str = Field(description="the XML for a model of the full tier")


class LayerCost(WireValue):
    """A layer of a prompt in tokens and, where the price is known, in dollars."""

    name: str
    tokens: int
    budget: int | None = None
    usd: float | None = None
    note: str = ""


class PromptMessage(WireValue):
    """One message of a prompt."""

    role: str
    text: str


class PromptView(WireValue):
    """Exactly what would be sent to a model, and what would be left out."""

    model: str
    tier: str
    assumed: bool = Field(description="whether the model's abilities are a guess")
    tokens: int
    usd: float | None = Field(None, description="of the input alone; None if the price is unknown")
    reserve: int
    layers: tuple[LayerCost, ...]
    blind_spots: tuple[str, ...]
    next_tier: tuple[str, ...]
    system: str
    messages: tuple[PromptMessage, ...]


def layer_costs(receipt: ForemanReceipt, price: Price | None) -> tuple[LayerCost, ...]:
    return tuple(
        LayerCost(
            name=layer.name,
            tokens=layer.tokens,
            budget=layer.budget,
            usd=dollars(layer.tokens, price),
            note=layer.note,
        )
        for layer in receipt.layers
    )


def dollars(tokens: int, price: Price | None) -> float | None:
    return None if price is None or price.input_usd is None else tokens * price.input_usd / MILLION


class UndoRow(WireValue):
    """An action that can be undone; `blocked` says what stands in the way, if anything does."""

    act: str
    turn: int = Field(description="the message it followed from; 0 for the writer's own")
    by: str
    action: str
    said: str
    blocked: str = ""


class DecisionList(WireValue):
    """The current decisions, or the history of one key."""

    decisions: tuple[Decision, ...]


class ConsultationView(WireValue):
    """A message of the writer's, and everything that followed from it."""

    turn: int
    said: str
    message: str
    thinking: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    offered: tuple[str, ...] = Field((), exclude_if=lambda offered: not offered)
    doubted: tuple[str, ...] = ()
    failed: str | None = None
    ended: bool
    receipts: tuple[ForemanReceipt, ...] = Field((), description="what each model was told, and what was left out")


class ConsultationRow(WireValue):
    """A message of the writer's and its answer as they are listed; long texts are cut, and end with `…`."""

    turn: int
    at: float = Field(description="when it was said, in seconds since 1970")
    said: str
    message: str
    done: tuple[str, ...] = Field((), description="what was carried out")
    refused: int = Field(0, description="how many actions were refused")
    failed: str | None = None
    ended: bool


class ConsultationList(WireValue):
    """One page of the conversation, newest first."""

    consultations: tuple[ConsultationRow, ...]
    page: int
    limit: int
    total: int = Field(description="how many messages the conversation has")
