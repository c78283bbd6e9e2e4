"""The workshop: the state of a book, the Foreman's prompts and consultations, decisions, notebooks."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Query
from fastapi.sse import EventSourceResponse
from pydantic import Field

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.runs import Mark
from dramaturg.kernel.values import WireValue
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.http.sse import EventStream, LastEventId, LastEventIdInQuery, streamed
from dramaturg.server.http.streams import CONSULTATION_STREAM, consultation_stream
from dramaturg.workshop.book.book import ActiveContext
from dramaturg.workshop.book.decisions import Decision, NewDecision
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.front import LONGEST_MESSAGE, Kept, Workshop
from dramaturg.workshop.notebooks import NotebookListing, NotebookPassage
from dramaturg.workshop.receipts import whole_receipts
from dramaturg.workshop.views import consultation_view
from dramaturg.workshop.wire import (
    BookView,
    ConsultationList,
    ConsultationView,
    DecisionList,
    PromptView,
    UndoRow,
    WorkOrder,
)

router = api_router(prefix="/v1/projects", tags=["workshop"])


class ProjectSummary(WireValue):
    """A book on this server."""

    project: str
    title: str
    mode: str


class ProjectList(WireValue):
    """The books on this server; currently one."""

    projects: tuple[ProjectSummary, ...]


class ForemanMessage(WireValue):
    """A message from the writer, and the context it was written in."""

    message: str = Field(min_length=1, max_length=LONGEST_MESSAGE, examples=["She never asks for help."])
    model: str | None = Field(None, max_length=200, description="the model that answers; the configured one if not set")
    file: str = Field("", max_length=400, description="the file in manuscript/ that the writer has open")

    @property
    def active(self) -> ActiveContext:
        return ActiveContext(file=self.file)


class NotebookQuestion(WireValue):
    """A question to a notebook."""

    notebook: str = Field(min_length=1, max_length=200, description="the notebook's id or role")
    question: str = Field(min_length=1, max_length=2000)


class NotebookList(WireValue):
    """The notebooks that can be queried, and their unreadable files."""

    notebooks: tuple[NotebookListing, ...]
    problems: dict[str, tuple[str, ...]] = Field(description="unreadable files, by notebook")


class PassageList(WireValue):
    """The passages of a notebook that answer a question, best first."""

    passages: tuple[NotebookPassage, ...]


class ModeRequest(WireValue):
    """The mode to switch the book to."""

    to: Mode | None = Field(None, description="the next mode if not set; going back is always allowed")
    force: bool = Field(False, description="pass a closed gate; the risk is recorded")


class SettleRequest(WireValue):
    """Which of the two holds where a decision and its field in the story bible differ."""

    keep: Kept


class UndoRequest(WireValue):
    """Which action to undo."""

    act: str | None = Field(None, max_length=80, description="as the list names it; the last one if not set")
    keep_file: bool = Field(False, description="leave its file as it is, and take the action off the list")


class UndoResult(WireValue):
    """What was undone."""

    said: str


class UndoList(WireValue):
    """What can be undone, latest first."""

    actions: tuple[UndoRow, ...]


async def the_foreman(
    project: Annotated[str, Path(max_length=120, description="the book's name; `main` if none is set")],
    studio: OpenStudio,
) -> Workshop:
    known = studio.settings.workshop.book
    if project != known:
        raise NotFound(f"There is no project '{project}' (the project here is '{known}').", project=project)
    return studio.workshop


TheForeman = Annotated[Workshop, Depends(the_foreman)]


async def consultation(said: ForemanMessage, foreman: TheForeman) -> EventStream:
    return await consultation_stream(foreman.consult(said.message, model=said.model, active=said.active))


async def resumed_consultation(
    foreman: TheForeman,
    turn: Annotated[int, Path(ge=1, description="the number of the message")],
    last_event_id: LastEventId = None,
    in_query: LastEventIdInQuery = None,
) -> EventStream:
    last = last_event_id or in_query
    return await consultation_stream(foreman.follow(turn, Mark.read(last) if last else None))


@router.get("", summary="List the books", responses=declared_errors(422))
async def list_projects(studio: OpenStudio) -> ProjectList:
    """A server has one story project, and a project has one book."""
    book = await studio.workshop.view()
    return ProjectList(projects=(ProjectSummary(project=book.book, title=book.title, mode=book.mode),))


@router.get("/{project}", summary="Get a book", responses=declared_errors(404, 422))
async def get_book(foreman: TheForeman) -> BookView:
    """Mode, work order, alerts, notebooks, and the session state that models receive."""
    return await foreman.view()


@router.get("/{project}/work-order", summary="Get the work order", responses=declared_errors(404, 422))
async def get_work_order(foreman: TheForeman) -> WorkOrder:
    """The four templates with what is missing in each, and the gate to the next mode."""
    return (await foreman.view()).work_order


@router.post("/{project}/prompt", summary="Preview a prompt", responses=declared_errors(404, 413, 422))
async def show_prompt(said: ForemanMessage, foreman: TheForeman) -> PromptView:
    """Exactly what would be sent, its tokens and cost by layer, and what is left out. Nothing is sent or saved."""
    return await foreman.prompt(said.message, model=said.model, active=said.active)


@router.post(
    "/{project}/consult",
    summary="Consult the Foreman",
    response_class=EventSourceResponse,
    responses={**CONSULTATION_STREAM, **declared_errors(404, 409, 413, 422, 503, json=False)},
)
async def consult_foreman(events: Annotated[EventStream, streamed(consultation)]) -> EventStream:
    """Send a message to the Foreman. It is saved and answered; the answer streams, and its actions are carried out.

    Disconnecting does not cancel the turn: the client resumes with `consultations/{turn}/events`, and the result is at
    `consultations/{turn}`.
    """
    async for event in events:
        yield event


@router.get(
    "/{project}/consultations/{turn}/events",
    summary="Follow a consultation",
    response_class=EventSourceResponse,
    responses={**CONSULTATION_STREAM, **declared_errors(404, 422, json=False)},
)
async def follow_consultation(events: Annotated[EventStream, streamed(resumed_consultation)]) -> EventStream:
    """The events of a message's turn, from the first or after `Last-Event-ID`, then live until `done`."""
    async for event in events:
        yield event


@router.get("/{project}/consultations", summary="List the consultations", responses=declared_errors(404, 422))
async def list_consultations(
    foreman: TheForeman,
    page: Annotated[int, Query(ge=1, le=1_000_000, description="1 for the newest")] = 1,
    limit: Annotated[int, Query(ge=1, le=100, description="the maximum number of consultations on a page")] = 20,
) -> ConsultationList:
    """The conversation page by page, newest first. Long texts are cut; `consultations/{turn}` has them whole."""
    return await foreman.consultations(page, limit)


@router.get("/{project}/consultations/{turn}", summary="Get a consultation", responses=declared_errors(404, 422))
async def get_consultation(
    foreman: TheForeman, turn: Annotated[int, Path(ge=1, description="the number of the message")]
) -> ConsultationView:
    """Both sides of the conversation, the actions carried out and refused, and the receipt of every prompt."""
    state = await foreman.conversation()
    if turn not in state.turns:
        raise NotFound(f"There is no turn {turn} in this book's conversation.", turn=turn)
    return consultation_view(state.turns[turn], whole_receipts(state, [turn])[turn])


@router.get("/{project}/decisions", summary="List the decisions", responses=declared_errors(404, 422))
async def list_decisions(foreman: TheForeman) -> DecisionList:
    """Every decision in force, oldest first."""
    return DecisionList(decisions=await foreman.decisions())


@router.post(
    "/{project}/decisions", status_code=201, summary="Add a decision", responses=declared_errors(404, 409, 422)
)
async def add_decision(decision: NewDecision, foreman: TheForeman) -> Decision:
    """Record a decision of the writer. An existing key gets the new value and keeps its history."""
    return await foreman.decide(decision)


@router.get("/{project}/decisions/{key}", summary="Get the history of a decision", responses=declared_errors(404, 422))
async def get_history(
    foreman: TheForeman, key: Annotated[str, Path(max_length=120, description="the key of a decision")]
) -> DecisionList:
    """Every decision ever made under a key, oldest first."""
    return DecisionList(decisions=await foreman.history(key))


@router.post(
    "/{project}/decisions/{key}/settle", summary="Settle a difference", responses=declared_errors(404, 409, 422)
)
async def settle_decision(
    wanted: SettleRequest,
    foreman: TheForeman,
    key: Annotated[str, Path(max_length=120, description="the key of a decision")],
) -> Outcome:
    """The decision follows the story bible, or the page is rewritten as decided; either can be undone."""
    return await foreman.settle(key, wanted.keep)


@router.get("/{project}/notebooks", summary="List the notebooks", responses=declared_errors(404, 422))
async def list_notebooks(foreman: TheForeman) -> NotebookList:
    """The notebooks that the Foreman can query."""
    return NotebookList(notebooks=foreman.notebooks(), problems=await foreman.notebook_problems())


@router.post("/{project}/notebooks/ask", summary="Ask a notebook", responses=declared_errors(404, 413, 422))
async def ask_notebook(asked: NotebookQuestion, foreman: TheForeman) -> PassageList:
    """Matching passages, each with its location."""
    return PassageList(passages=await foreman.ask_notebook(asked.notebook, asked.question))


@router.post("/{project}/mode", summary="Change the mode", responses=declared_errors(404, 409, 422))
async def change_mode(wanted: ModeRequest, foreman: TheForeman) -> Outcome:
    """A closed gate refuses the change and lists what is missing; going back is always allowed."""
    return await foreman.change_mode(wanted.to, force=wanted.force)


@router.post("/{project}/confirm", summary="Confirm an offer", responses=declared_errors(404, 409, 422))
async def confirm_offer(foreman: TheForeman) -> Outcome:
    """Do what the Foreman offered in its last answer. An offer lapses with the writer's next message."""
    return await foreman.confirm()


@router.get("/{project}/undo", summary="List what can be undone", responses=declared_errors(404, 422))
async def list_undoable(foreman: TheForeman) -> UndoList:
    """The actions that can be undone, latest first, each with what stands in its way."""
    return UndoList(actions=await foreman.undoable())


@router.post("/{project}/undo", summary="Undo an action", responses=declared_errors(404, 409, 422))
async def undo_action(foreman: TheForeman, wanted: UndoRequest | None = None) -> UndoResult:
    """Undo the last action, or the one named; repeat to undo the one before."""
    wanted = wanted or UndoRequest()
    return UndoResult(said=(await foreman.undo(wanted.act, keep_file=wanted.keep_file)).said)
