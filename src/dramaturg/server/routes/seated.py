"""Seats for the person in one: listen, answer, leave. Their token opens this seat and nothing else."""

from __future__ import annotations

from typing import Annotated

from fastapi.sse import EventSourceResponse
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.scenes.person.seats import SentAnswer
from dramaturg.scenes.seats.message import LONGEST_WORDS
from dramaturg.server.http.deps import IdempotencyKey, OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.http.seat_tokens import FollowedSeat, OwnSeat
from dramaturg.server.http.sse import COMPLETE, EventStream, LastEntry, LastEntryByName, LastEntryInQuery, streamed
from dramaturg.server.http.streams import SEAT_STREAM, seat_stream

router = api_router(prefix="/v1/runs/{run_id}/seats/{part}", tags=["seats"])
PERSON = "seat"
MOST_WAITING = 20
"""How many answers of one seat may wait to be spoken."""


class SeatAnswer(WireValue):
    """What the character says or does: plain words, or any form that the models use."""

    text: str = Field(
        min_length=1,
        max_length=LONGEST_WORDS,
        description="plain words; `-- …` cuts in; `[SILENT]` says nothing",
        examples=["I took the money."],
    )


async def seat_events(
    seat: FollowedSeat,
    studio: OpenStudio,
    after: LastEntryInQuery = 0,
    in_query: LastEntryByName = None,
    last_event_id: LastEntry = None,
) -> EventStream:
    number = next((last for last in (last_event_id, in_query) if last is not None), after)
    return await seat_stream(studio, seat.run.record, seat.part, seat.holder, number)


@router.get(
    "/events",
    summary="Follow a scene from a seat",
    response_class=EventSourceResponse,
    responses={**SEAT_STREAM, **COMPLETE, **declared_errors(401, 422, 429, json=False)},
)
async def follow_seat(events: Annotated[EventStream, streamed(seat_events)]) -> EventStream:
    """Who you are, what the character hears, and when it is your turn, as Server-Sent Events.

    The stream ends with the run, or when the seat is given up. A client that loses its connection resumes with
    `Last-Event-ID` and misses nothing. A comment is sent after every 15 idle seconds.
    """
    async for event in events:
        yield event


@router.post(
    "/answers",
    status_code=202,
    summary="Answer from a seat",
    responses=declared_errors(401, 409, 413, 422, 429),
)
async def answer_from_seat(
    seat: OwnSeat, answer: SeatAnswer, studio: OpenStudio, idempotency_key: IdempotencyKey = None
) -> SentAnswer:
    """Say something at the character's turn; before it, the answer waits. One answer is taken for each beat."""
    return await studio.scenes.seats.say(
        seat.run, seat.part, seat.holder, answer.text, author=PERSON, key=idempotency_key or "", most=MOST_WAITING
    )


@router.post("/leave", status_code=204, summary="Leave a seat", responses=declared_errors(401, 422, 429))
async def leave_seat(seat: OwnSeat, studio: OpenStudio) -> None:
    """Play no more. The part is silent, or a model takes over, as the scene says; the token is void."""
    await studio.scenes.seats.leave(seat.run, seat.part, seat.holder, author=PERSON)
