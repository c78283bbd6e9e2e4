"""Seats for the author of a run: who plays which part, a token for somebody who wants to, a part taken back."""

from __future__ import annotations

from pydantic import Field

from dramaturg.kernel.runs.ids import id_for
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.person.seats import SeatStatus
from dramaturg.server.http.deps import IdempotencyKey, OneScene, OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.http.seat_tokens import AllSeatTokens, PartName

router = api_router(prefix="/v1/runs/{run_id}/seats", tags=["seats"])
AUTHOR = "http"


class WantedSeat(WireValue):
    """The part that somebody will play."""

    part: str = Field(min_length=1, max_length=120, description="a name of the cast", examples=["bob"])


class SeatLinks(WireValue):
    """Where the person who plays listens, answers and leaves."""

    events: str
    answers: str
    leave: str


class IssuedSeat(WireValue):
    """A seat, and the token for whoever sits in it, which is not shown again."""

    part: str = Field(description="the name of the part's card")
    seat_token: str = Field(description="for the person, who sends it as `X-Seat-Token`")
    links: SeatLinks


class SeatList(WireValue):
    """The parts of a run that people play."""

    seats: tuple[SeatStatus, ...]


@router.get("", summary="List the seats of a run", responses=declared_errors(404, 422))
async def list_seats(run: OneScene, studio: OpenStudio) -> SeatList:
    """The parts that people play, and whether each is taken."""
    return SeatList(seats=await studio.scenes.seats.of(run))


@router.post("", status_code=201, summary="Give somebody a seat", responses=declared_errors(404, 409, 413, 422))
async def take_seat(
    run: OneScene, wanted: WantedSeat, studio: OpenStudio, tokens: AllSeatTokens, idempotency_key: IdempotencyKey = None
) -> IssuedSeat:
    """A token for the person who plays a part from now on. The part must be `played_by: person`.

    A seat that is taken is refused with 409. A request repeated under its key gets the same token.
    """
    holder = id_for(f"seat/{run.id}", idempotency_key) if idempotency_key else ""
    part, holder = await studio.scenes.seats.take(run, wanted.part, holder=holder, author=AUTHOR)
    base = f"/v1/runs/{run.id}/seats/{part}"
    links = SeatLinks(events=f"{base}/events", answers=f"{base}/answers", leave=f"{base}/leave")
    return IssuedSeat(part=part, seat_token=tokens.mint(run.id, part, holder), links=links)


@router.delete("/{part}", status_code=204, summary="Take a seat back", responses=declared_errors(404, 422))
async def free_seat(run: OneScene, part: PartName, studio: OpenStudio) -> None:
    """The person who played the part plays no more, and their token is void. Nothing happens if nobody did."""
    await studio.scenes.seats.leave(run, studio.scenes.seats.part_of(run, part), author=AUTHOR)
