"""Chat completions: OpenAI's protocol in front of characters, episodes and the ensemble."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import Header, Request, Response
from fastapi.responses import JSONResponse

from dramaturg.episodes.client_talk import ClientTalks, TalkOf, TalkTurn
from dramaturg.episodes.front import checked_words
from dramaturg.server.completions.callers import CompatibleCaller, persona_of
from dramaturg.server.completions.ensemble_reply import TableTalk, table_session, table_text, table_used
from dramaturg.server.completions.episode_reply import TurnText, turn_text
from dramaturg.server.completions.errors import described_error
from dramaturg.server.completions.reply import Reply, ReplyFailedError, one_piece
from dramaturg.server.completions.request import LONGEST_KEY, CompletionRequest
from dramaturg.server.completions.response import ChatCompletion, CompletionUsage
from dramaturg.server.completions.targets import Target, target_of
from dramaturg.server.http.body_limits import MOST_VALUES
from dramaturg.server.http.callers import Caller
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors, error_response
from dramaturg.server.http.key_locks import KeyLocks, key_locks_of
from dramaturg.server.http.router import api_router
from dramaturg.server.http.sse import ClosingResponse
from dramaturg.server.push.websocket import relay_of
from dramaturg.studio import Studio

router = api_router(prefix="/v1", tags=["compatible"], most_values=4 * MOST_VALUES)
SESSION_HEADER, IGNORED_HEADER = "X-Dramaturg-Session", "X-Dramaturg-Ignored"
MOST_NAMED = 20
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "model": ChatCompletion,
        "description": "The answer; with `stream`, its chunks as Server-Sent Events. `X-Dramaturg-Session` is the run, "
        "`X-Dramaturg-Ignored` names the fields that had no effect.",
        "content": {
            "text/event-stream": {
                "schema": {"type": "string"},
                "example": 'data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"Sit down."}}]}\n\n',
            }
        },
    }
}
ConversationId = Annotated[
    str | None,
    Header(
        max_length=LONGEST_KEY,
        description="the client's own name for the conversation; without it, the conversation is known by its words",
    ),
]
OpenWebuiChatId = Annotated[str | None, Header(max_length=LONGEST_KEY, description="the same, as Open WebUI sends it")]
RetryCount = Annotated[
    int | None,
    Header(ge=0, le=1000, description="OpenAI's clients count here how often they repeat a request by themselves"),
]


@router.post(
    "/chat/completions",
    summary="Complete a chat",
    response_model=ChatCompletion,
    responses={**STREAMED, **declared_errors(402, 404, 409, 413, 422, 429, 502, 503)},
)
async def complete_chat(
    wanted: CompletionRequest,
    caller: CompatibleCaller,
    request: Request,
    studio: OpenStudio,
    x_conversation_id: ConversationId = None,
    x_openwebui_chat_id: OpenWebuiChatId = None,
    x_stainless_retry_count: RetryCount = None,
) -> Response:
    """Talk with a character, an episode's cast or the ensemble from any program that speaks OpenAI's protocol.

    The program sends the whole conversation, and the run that has it goes on: with the new message, on a branch if an
    earlier message of the player's was changed, with another answer if the same is asked again. Any other conversation
    begins a run of its own. What was typed is stored before it is answered, and disconnecting does not cancel the
    answer. The hidden director and a model's reasoning are never sent.
    """
    target = await target_of(wanted.model, caller, studio)
    key = wanted.conversation_key(x_conversation_id or x_openwebui_chat_id)
    begin = _ask_ensemble if target.template is None else _talk
    locks = key_locks_of(request)
    reply = await begin(wanted, target, caller, studio, locks, key, repeated=bool(x_stainless_retry_count))
    if target.template is None:
        relay_of(request).follow(reply.session)
    headers = {SESSION_HEADER: reply.session}
    if wanted.ignored:
        names = (name for name in wanted.ignored if name.isascii() and name.isprintable())
        headers[IGNORED_HEADER] = ", ".join(list(names)[:MOST_NAMED])
    if wanted.stream:
        chunks = reply.chunks(lambda body: described_error(500, body), with_usage=wanted.wants_usage)
        return ClosingResponse(chunks, media_type="text/event-stream", headers=headers)
    try:
        return JSONResponse((await reply.whole()).model_dump(mode="json"), headers=headers)
    except ReplyFailedError as error:
        response = error_response(error.status, error.code, error.message)
        response.headers.update(headers)
        return response


async def _talk(
    wanted: CompletionRequest,
    target: Target,
    caller: Caller,
    studio: Studio,
    locks: KeyLocks,
    key: str,
    *,
    repeated: bool,
) -> Reply:
    history = wanted.history()
    if history[-1].role == "player":  # before a session is opened for it
        checked_words(history[-1].text, studio.settings.episodes.longest_message)
    await caller.access.check_spending(caller.player, caller.address, studio)
    persona = await persona_of(caller, wanted.user, studio)
    persona = persona if persona.name else persona.model_copy(update={"name": wanted.player_name})
    assert target.template is not None
    talks = ClientTalks(studio.episodes, studio.resources.clock.now())
    talk = TalkOf(target.template, persona, key, greets=target.greets, is_guest=caller.player is not None)
    with caller.access.room.seat(persona.id):
        async with locks.locked(talk.conversation(history)):  # two equal requests must not both begin the same run
            turn = await talks.answer(talk, history, repeated=repeated)
    caller.access.spending.play(turn.session, caller.address)

    async def used() -> CompletionUsage:
        return CompletionUsage.of(await talks.used(turn))

    return Reply(turn.session, target.name, int(time.time()), _pieces(studio, turn, target), used)


def _pieces(studio: Studio, turn: TalkTurn, target: Target) -> AsyncGenerator[str, None]:
    if turn.answer:
        return one_piece(turn.answer)
    text = TurnText(is_new=turn.is_new, is_played=target.greets)
    return turn_text(studio.episodes.turn(turn.session, turn.after, turn.client_id), text)


async def _ask_ensemble(
    wanted: CompletionRequest,
    target: Target,
    caller: Caller,
    studio: Studio,
    locks: KeyLocks,
    key: str,
    *,
    repeated: bool,
) -> Reply:
    talk, history = TableTalk((await persona_of(caller, wanted.user, studio)).id, key), wanted.history()
    async with locks.locked(talk.session_id(history, 0)):
        session = await table_session(studio, talk, history, repeated=repeated)

    async def used() -> CompletionUsage:
        return CompletionUsage.of(await table_used(studio, session))

    return Reply(session, target.name, int(time.time()), table_text(studio, session), used)
