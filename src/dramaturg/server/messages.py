"""What is said in a session, over HTTP: sent, answered, swiped, edited, deleted, branched."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field

from dramaturg.episodes.views import SessionView, ShownMessage
from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.values import Value
from dramaturg.server.deps import OpenStudio
from dramaturg.server.errors import refusals
from dramaturg.server.players import OwnSession
from dramaturg.server.talk import TURN, Turn, sent

router = APIRouter(prefix="/v1/sessions/{run_id}", tags=["sessions"])
MessageId = Annotated[str, Path(max_length=40, description="the id of a message of this session", examples=["m2"])]
ClientId = Annotated[
    str | None,
    Field(
        None,
        max_length=200,
        description="an id of the client's own: the same again makes no second turn, it leads to the first",
        examples=["b6f7c2d0"],
    ),
]
CHANGED = refusals(404, 409, 413, 422, 429, 503)
STREAMED = {**TURN, **refusals(404, 409, 413, 422, 429, 502, 503, json=False)}


class NewMessage(Value):
    """What the player says."""

    text: str = Field(
        description="their words; up to 8,000 characters unless the host says otherwise", examples=["Hello."]
    )
    client_id: ClientId = None


class PickedChoice(Value):
    """Which of the choices that are offered."""

    choice: str = Field(max_length=64, description="the id of the choice")
    client_id: ClientId = None


class OtherWords(Value):
    """What a message says instead."""

    text: str


class NewBranch(Value):
    """From where to go on."""

    message_id: str = Field(max_length=40, description="the last message that both ways share")
    new_session: bool = Field(False, description="in a session of its own, which shares this one's past")


class MessageList(Value):
    """The conversation as it stands, in order."""

    messages: tuple[ShownMessage, ...]


@router.get("/messages", summary="What was said", responses=refusals(404, 422, 429))
async def list_messages(session: OwnSession, studio: OpenStudio) -> MessageList:
    """The conversation as it stands; each answer with its swipes."""
    return MessageList(messages=(await studio.episodes.view(session)).messages)


async def said(message: NewMessage, session: OwnSession, studio: OpenStudio) -> Turn:
    """Kept before the stream begins, so that what is wrong is said with a status."""
    client_id = message.client_id or new_id(0)
    return Turn(session, await studio.episodes.send(session, message.text, client_id), client_id)


@router.post("/messages", summary="Say something", response_class=EventSourceResponse, responses=STREAMED)
async def send_message(turn: Annotated[Turn, Depends(said)], studio: OpenStudio) -> AsyncIterator[ServerSentEvent]:
    """The player's words, and the turn they begin as Server-Sent Events, up to `done`.

    The words are kept before anything else happens. The turn does not belong to this connection: who is cut off goes on
    with `GET /v1/sessions/{run_id}/events`, or sends the same `client_id` again, and no second turn is made.
    """
    async for event in sent(turn, studio):
        yield event


async def picked(choice: PickedChoice, session: OwnSession, studio: OpenStudio) -> Turn:
    client_id = choice.client_id or new_id(0)
    return Turn(session, await studio.episodes.pick(session, choice.choice, client_id), client_id)


@router.post("/choices", summary="Pick a choice", response_class=EventSourceResponse, responses=STREAMED)
async def pick_choice(turn: Annotated[Turn, Depends(picked)], studio: OpenStudio) -> AsyncIterator[ServerSentEvent]:
    """One of the choices of the last `choice_prompt`; what it says is said, and answered as any message is."""
    async for event in sent(turn, studio):
        yield event


async def retried(session: OwnSession, studio: OpenStudio) -> Turn:
    return Turn(session, await studio.episodes.retry(session))


@router.post("/retry", summary="Ask again", response_class=EventSourceResponse, responses=STREAMED)
async def retry_answer(turn: Annotated[Turn, Depends(retried)], studio: OpenStudio) -> AsyncIterator[ServerSentEvent]:
    """For an answer that did not come. What the player said was kept."""
    async for event in sent(turn, studio):
        yield event


async def swiped(message_id: MessageId, session: OwnSession, studio: OpenStudio) -> Turn:
    return Turn(session, await studio.episodes.swipe(session, message_id))


@router.post(
    "/messages/{message_id}/swipes", summary="Another answer", response_class=EventSourceResponse, responses=STREAMED
)
async def swipe_message(turn: Annotated[Turn, Depends(swiped)], studio: OpenStudio) -> AsyncIterator[ServerSentEvent]:
    """Another answer at the place of this one. The earlier ones stay; `choose` goes back to them."""
    async for event in sent(turn, studio):
        yield event


@router.post("/messages/{message_id}/choose", summary="Go back to a message", responses=CHANGED)
async def choose_message(message_id: MessageId, session: OwnSession, studio: OpenStudio) -> SessionView:
    """Let the conversation go through this message: an earlier swipe, another branch."""
    return await studio.episodes.choose(session, message_id)


@router.patch("/messages/{message_id}", summary="Change a message", responses=CHANGED)
async def edit_message(
    message_id: MessageId, words: OtherWords, session: OwnSession, studio: OpenStudio
) -> SessionView:
    """Other words for a message of either side. The director looks at them anew."""
    return await studio.episodes.edit(session, message_id, words.text)


@router.delete("/messages/{message_id}", summary="Delete a message", responses=CHANGED)
async def delete_message(
    message_id: MessageId,
    session: OwnSession,
    studio: OpenStudio,
    following: Annotated[bool, Query(description="and all that come after it")] = False,
) -> SessionView:
    """The conversation without it, and the director's state of what remains."""
    return await studio.episodes.delete_message(session, message_id, following=following)


@router.post("/branches", status_code=201, summary="Go on from a message", responses=CHANGED)
async def branch_session(branch: NewBranch, session: OwnSession, studio: OpenStudio) -> SessionView:
    """What followed the message stays on its own branch, or in its own session."""
    return await studio.episodes.branch(session, branch.message_id, new_session=branch.new_session)
