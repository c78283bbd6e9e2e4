"""The messages of an episode's session: send, retry, continue, draft, swipe, edit, delete, branch."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from fastapi.sse import EventSourceResponse
from pydantic import Field

from dramaturg.episodes.branches import BranchTree
from dramaturg.episodes.views import SessionView, ShownMessage
from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.values import Value
from dramaturg.server.http.callers import OwnSession, PaidSession
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.http.sse import EventStream, streamed
from dramaturg.server.http.streams import TURN_STREAM, turn_stream

router = api_router(prefix="/v1/sessions/{run_id}", tags=["sessions"])
MessageId = Annotated[str, Path(max_length=40, description="the id of a message of this session", examples=["m2"])]
ClientId = Annotated[
    str | None,
    Field(
        None,
        max_length=200,
        description="an id chosen by the client: sending the same message again under it starts no second turn and "
        "returns the first; another message is refused",
        examples=["b6f7c2d0"],
    ),
]
CHANGED = declared_errors(404, 409, 413, 422, 429, 503)
STREAMED = {**TURN_STREAM, **declared_errors(404, 409, 413, 422, 429, 502, 503, json=False)}


class NewMessage(Value):
    """A message from the player."""

    text: str = Field(
        description="the text; up to 8,000 characters unless the host sets another limit", examples=["Hello."]
    )
    client_id: ClientId = None
    to: str = Field(
        "", max_length=200, description="in a group: the character to whisper to, by id or name; nobody else hears it"
    )


class NextSpeaker(Value):
    """Who is to go on."""

    speaker: str = Field("", max_length=200, description="in a group: a character's id or name; empty for the last")


class ChoiceSelection(Value):
    """The choice the player picks."""

    choice: str = Field(max_length=64, description="the id of the choice")
    client_id: ClientId = None


class AnswerWish(Value):
    """What the player wants of another answer."""

    wish: str = Field("", description="in the player's own words; empty for just another answer")


class MessageDraft(Value):
    """A message that the player may send, changed or not."""

    text: str


class MessageEdit(Value):
    """The new text of a message."""

    text: str


class BranchRequest(Value):
    """Where to branch off."""

    message_id: str = Field(max_length=40, description="the last message that both branches share")
    new_session: bool = Field(False, description="branch into a new session that shares this one's past")


class MessageList(Value):
    """The current conversation, oldest message first."""

    messages: tuple[ShownMessage, ...]


@router.get("/messages", summary="List the messages", responses=declared_errors(404, 422, 429))
async def list_messages(session: OwnSession, studio: OpenStudio) -> MessageList:
    """The current conversation, each answer with its swipes."""
    return MessageList(messages=(await studio.episodes.view(session)).messages)


async def sent_message(message: NewMessage, session: PaidSession, studio: OpenStudio) -> EventStream:
    client_id = message.client_id or new_id(0)
    mark = await studio.episodes.send(session, message.text, client_id, to=message.to)
    return turn_stream(studio, session, mark, client_id)


@router.post("/messages", summary="Send a message", response_class=EventSourceResponse, responses=STREAMED)
async def send_message(events: Annotated[EventStream, streamed(sent_message)]) -> EventStream:
    """Send the player's message and receive the turn it starts as Server-Sent Events, up to `done`.

    The message is saved before anything else happens. Disconnecting does not cancel the turn: the client resumes with
    `GET /v1/sessions/{run_id}/events`, or sends the same `client_id` again, which starts no second turn.

    In a group, up to three characters answer one after the other; `speaker` and `name` say who. With `to`, the player
    whispers: only that character hears it and answers, and nobody else hears the answer.
    """
    async for event in events:
        yield event


async def picked_choice(choice: ChoiceSelection, session: PaidSession, studio: OpenStudio) -> EventStream:
    client_id = choice.client_id or new_id(0)
    return turn_stream(studio, session, await studio.episodes.pick(session, choice.choice, client_id), client_id)


@router.post("/choices", summary="Pick a choice", response_class=EventSourceResponse, responses=STREAMED)
async def pick_choice(events: Annotated[EventStream, streamed(picked_choice)]) -> EventStream:
    """Pick one of the choices of the last `choice_prompt`. Its text is sent and answered like any message."""
    async for event in events:
        yield event


async def retried_turn(session: PaidSession, studio: OpenStudio) -> EventStream:
    return turn_stream(studio, session, await studio.episodes.retry(session))


@router.post("/retry", summary="Retry a failed answer", response_class=EventSourceResponse, responses=STREAMED)
async def retry_answer(events: Annotated[EventStream, streamed(retried_turn)]) -> EventStream:
    """Ask again for an answer that failed. The player's message was saved."""
    async for event in events:
        yield event


async def continued_turn(session: PaidSession, studio: OpenStudio, wanted: NextSpeaker | None = None) -> EventStream:
    speaker = wanted.speaker if wanted is not None else ""
    return turn_stream(studio, session, await studio.episodes.go_on(session, speaker))


@router.post("/continue", summary="Let the character go on", response_class=EventSourceResponse, responses=STREAMED)
async def continue_answer(events: Annotated[EventStream, streamed(continued_turn)]) -> EventStream:
    """Ask the character, who spoke last, for more. It becomes a message of its own.

    In a group, `speaker` lets another character speak next.
    """
    async for event in events:
        yield event


@router.post(
    "/draft", summary="Draft the player's next message", responses=declared_errors(404, 409, 422, 429, 502, 503)
)
async def draft_message(session: PaidSession, studio: OpenStudio) -> MessageDraft:
    """Let the character's model write what the player might say next. Nothing is said by it until it is sent."""
    return MessageDraft(text=await studio.episodes.draft(session))


async def swiped_turn(
    message_id: MessageId, session: PaidSession, studio: OpenStudio, wanted: AnswerWish | None = None
) -> EventStream:
    wish = wanted.wish if wanted is not None else ""
    return turn_stream(studio, session, await studio.episodes.swipe(session, message_id, wish))


@router.post(
    "/messages/{message_id}/swipes",
    summary="Generate another answer",
    response_class=EventSourceResponse,
    responses=STREAMED,
)
async def swipe_message(events: Annotated[EventStream, streamed(swiped_turn)]) -> EventStream:
    """Generate another answer in place of this one. The earlier ones are kept; `choose` returns to them.

    With a `wish`, the character is told what the player would like; it remains the character's answer.
    """
    async for event in events:
        yield event


@router.post("/messages/{message_id}/choose", summary="Choose a message", responses=CHANGED)
async def choose_message(message_id: MessageId, session: OwnSession, studio: OpenStudio) -> SessionView:
    """Route the conversation through this message: an earlier swipe, or another branch."""
    return await studio.episodes.choose(session, message_id)


@router.patch("/messages/{message_id}", summary="Edit a message", responses=CHANGED)
async def edit_message(
    message_id: MessageId, edit: MessageEdit, session: OwnSession, studio: OpenStudio
) -> SessionView:
    """Change the text of a message of either side. The director evaluates it again."""
    return await studio.episodes.edit(session, message_id, edit.text)


@router.delete("/messages/{message_id}", summary="Delete a message", responses=CHANGED)
async def delete_message(
    message_id: MessageId,
    session: OwnSession,
    studio: OpenStudio,
    following: Annotated[bool, Query(description="also delete every message after it")] = False,
) -> SessionView:
    """Remove a message; the director's state is recomputed from what remains."""
    return await studio.episodes.delete_message(session, message_id, following=following)


@router.get("/branches", summary="List the branches", responses=declared_errors(404, 422, 429))
async def list_branches(session: OwnSession, studio: OpenStudio) -> BranchTree:
    """Every message of every branch, with the one it follows; `choose` leads the conversation through any of them."""
    return await studio.episodes.branches(session)


@router.post("/branches", status_code=201, summary="Branch from a message", responses=CHANGED)
async def branch_session(branch: BranchRequest, session: OwnSession, studio: OpenStudio) -> SessionView:
    """Continue from a message. What followed it is kept on its own branch, or in the original session."""
    return await studio.episodes.branch(session, branch.message_id, new_session=branch.new_session)
