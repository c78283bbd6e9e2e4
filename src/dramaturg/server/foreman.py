"""The Foreman over HTTP: where a book stands, what a model would be told, a consultation as it happens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.values import WireValue
from dramaturg.server.deps import OpenStudio
from dramaturg.server.errors import refusals
from dramaturg.workshop.actions.action import Outcome
from dramaturg.workshop.book import ActiveContext, NotebookListing
from dramaturg.workshop.decisions import Decision, NewDecision
from dramaturg.workshop.foreman import LONGEST_MESSAGE, Foreman
from dramaturg.workshop.modes import Mode
from dramaturg.workshop.notebooks import NotebookPassage
from dramaturg.workshop.views import consultation_view
from dramaturg.workshop.wire import (
    BookView,
    ConsultationView,
    ConsultEvent,
    DecisionList,
    PromptView,
    WorkOrder,
)

router = APIRouter(prefix="/v1/projects", tags=["foreman"])

_EVENT = {
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "description": "`<turn>:<number>`"},
        "event": {"type": "string", "description": "the name of the event, which `data` repeats"},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": f"#/components/schemas/{ConsultEvent.__name__}"},
        },
    },
}
STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "model": ConsultEvent,
        "description": "`event` names what happens, `data` is one JSON object in one line; `done` is the last.",
        "content": {EventSourceResponse.media_type: {"itemSchema": _EVENT}},
    }
}


class ProjectName(WireValue):
    """A book that is worked on here."""

    project: str
    title: str
    mode: str


class ProjectList(WireValue):
    """The books of this server: one."""

    projects: tuple[ProjectName, ...]


class ForemanMessage(WireValue):
    """What the writer says, to whom, and what they have before them."""

    message: str = Field(min_length=1, max_length=LONGEST_MESSAGE, examples=["She never asks for help."])
    model: str | None = Field(None, max_length=200, description="who answers; as the settings say if not given")
    file: str = Field("", max_length=400, description="the file of manuscript/ before the writer")

    @property
    def active(self) -> ActiveContext:
        return ActiveContext(file=self.file)


class NotebookQuestion(WireValue):
    """A question to a notebook."""

    notebook: str = Field(min_length=1, max_length=200, description="its id or its role")
    question: str = Field(min_length=1, max_length=2000)


class NotebookList(WireValue):
    """The notebooks that can be asked, and what of them cannot be read."""

    notebooks: tuple[NotebookListing, ...]
    problems: dict[str, tuple[str, ...]] = Field(description="files that cannot be read, by notebook")


class PassageList(WireValue):
    """What a notebook has on a question, the best first."""

    passages: tuple[NotebookPassage, ...]


class ModeRequest(WireValue):
    """Where the book is to go."""

    to: Mode | None = Field(None, description="the next mode if not given; going back is free")
    force: bool = Field(False, description="through a closed gate; the risk is written down")


class Undone(WireValue):
    """What was taken back."""

    said: str


async def the_foreman(
    project: Annotated[str, Path(max_length=120, description="the book's name; `main` if none is set")],
    studio: OpenStudio,
) -> Foreman:
    known = studio.settings.workshop.book
    if project != known:
        raise NotFound(f"There is no project '{project}' here (there is: {known}).", project=project)
    return studio.foreman


TheForeman = Annotated[Foreman, Depends(the_foreman)]


@dataclass(frozen=True, slots=True)
class _Talk:
    """A consultation whose first event has come: what can be refused would have been."""

    first: ConsultEvent
    rest: AsyncIterator[ConsultEvent]


async def consulted(said: ForemanMessage, foreman: TheForeman) -> _Talk:
    """Begun before the stream is, so that what is wrong is said with a status."""
    events = foreman.consult(said.message, model=said.model, active=said.active)
    return _Talk(await anext(events), events)


@router.get("", summary="The books of this server", responses=refusals(422))
async def list_projects(studio: OpenStudio) -> ProjectList:
    """One server has one story project, and a project one book."""
    book = await studio.foreman.view()
    return ProjectList(projects=(ProjectName(project=book.book, title=book.title, mode=book.mode),))


@router.get("/{project}", summary="Where a book stands", responses=refusals(404, 422))
async def get_book(foreman: TheForeman) -> BookView:
    """Mode, work order, alerts, notebooks, and the session state a model is told."""
    return await foreman.view()


@router.get("/{project}/work-order", summary="What a book still needs", responses=refusals(404, 422))
async def get_work_order(foreman: TheForeman) -> WorkOrder:
    """The four templates with what is missing in each, and the gate of the mode."""
    return (await foreman.view()).work_order


@router.post("/{project}/prompt", summary="What a model would be told", responses=refusals(404, 413, 422))
async def show_prompt(said: ForemanMessage, foreman: TheForeman) -> PromptView:
    """Exactly what would be sent, in tokens and money by layer, and what is left out. Nothing is sent or kept."""
    return await foreman.prompt(said.message, model=said.model, active=said.active)


@router.post(
    "/{project}/consult",
    summary="Consult the Foreman",
    response_class=EventSourceResponse,
    responses={**STREAM, **refusals(404, 409, 413, 422, 503, json=False)},
)
async def consult_foreman(talk: Annotated[_Talk, Depends(consulted)]) -> AsyncIterator[ServerSentEvent]:
    """The message is kept, then answered; the answer streams, and what it asks for is done.

    The turn does not belong to this connection: who is cut off reads what came of it at `consultations/{turn}`.
    """
    yield _sent(talk.first, 1)
    number = 1
    async for event in talk.rest:
        number += 1
        yield _sent(event, number)


@router.get("/{project}/consultations/{turn}", summary="What came of a message", responses=refusals(404, 422))
async def get_consultation(
    foreman: TheForeman, turn: Annotated[int, Path(ge=1, description="the number of the message")]
) -> ConsultationView:
    """What was said on both sides, what was done and refused, and the receipt of every prompt."""
    found = (await foreman.conversation()).turns.get(turn)
    if found is None:
        raise NotFound(f"There is no turn {turn} in this book's conversation.", turn=turn)
    return consultation_view(found)


@router.get("/{project}/decisions", summary="What is settled", responses=refusals(404, 422))
async def list_decisions(foreman: TheForeman) -> DecisionList:
    """Every decision that holds, oldest first."""
    return DecisionList(decisions=await foreman.decisions())


@router.post("/{project}/decisions", status_code=201, summary="Settle something", responses=refusals(404, 409, 422))
async def add_decision(decision: NewDecision, foreman: TheForeman) -> Decision:
    """A decision of the writer's own. A key that is known gets the new value and keeps its past."""
    return await foreman.decide(decision)


@router.get("/{project}/decisions/{key}", summary="The past of a decision", responses=refusals(404, 422))
async def get_history(
    foreman: TheForeman, key: Annotated[str, Path(max_length=120, description="the key of a decision")]
) -> DecisionList:
    """All that was ever decided under a key, oldest first."""
    return DecisionList(decisions=await foreman.history(key))


@router.get("/{project}/notebooks", summary="The writer's notebooks", responses=refusals(404, 422))
async def list_notebooks(foreman: TheForeman) -> NotebookList:
    """What the Foreman can ask."""
    return NotebookList(notebooks=foreman.notebooks(), problems=await foreman.notebook_problems())


@router.post("/{project}/notebooks/ask", summary="Ask a notebook", responses=refusals(404, 413, 422))
async def ask_notebook(asked: NotebookQuestion, foreman: TheForeman) -> PassageList:
    """Passages with the places where they stand."""
    return PassageList(passages=await foreman.ask_notebook(asked.notebook, asked.question))


@router.post("/{project}/mode", summary="Go to another mode", responses=refusals(404, 409, 422))
async def change_mode(wanted: ModeRequest, foreman: TheForeman) -> Outcome:
    """A closed gate refuses and names what is missing; going back is always allowed."""
    return await foreman.change_mode(wanted.to, force=wanted.force)


@router.post("/{project}/undo", summary="Take back the last thing done", responses=refusals(404, 409, 422))
async def undo_action(foreman: TheForeman) -> Undone:
    """The last one; asked again, the one before."""
    return Undone(said=(await foreman.undo()).said)


def _sent(event: ConsultEvent, number: int) -> ServerSentEvent:
    return ServerSentEvent(id=f"{event.turn}:{number}", event=event.event, raw_data=event.payload())
