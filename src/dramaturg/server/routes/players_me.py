"""The player's own data: sessions, memories, relationships, deletion."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import Field

from dramaturg.episodes.memory import BondShift, RecalledNote, Relationship, Scope
from dramaturg.episodes.views import SessionRecord, SessionStatus
from dramaturg.kernel.values import Value
from dramaturg.server.http.callers import CountedCaller
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1/players/me", tags=["players"])
MemoryId = Annotated[str, Path(max_length=64, description="the id of a memory or a hook", examples=["3f2a9c01d4e5"])]
CharacterName = Annotated[str, Path(max_length=64, description="the name of a character's card", examples=["iris"])]


class OwnSessionSummary(Value):
    """A session in brief. Times are seconds since 1970."""

    id: str
    template: str
    character: str
    series: str | None = None
    status: SessionStatus
    turn_count: int
    completion_trigger: str | None = None
    created_at: float
    updated_at: float

    @classmethod
    def of(cls, record: SessionRecord) -> OwnSessionSummary:
        return cls.model_validate(record.model_dump(include=set(cls.model_fields)))


class OwnSessionList(Value):
    """Sessions, newest first."""

    sessions: tuple[OwnSessionSummary, ...]


class OwnMemory(Value):
    """Something a character remembers about the player, and the quote it comes from."""

    id: str
    kind: Literal["memory", "hook"]
    character: str
    text: str
    quote: str = ""
    importance: float
    scope: Scope
    session: str = Field(description="the session it comes from")

    @classmethod
    def of(cls, character: str, kept: RecalledNote) -> OwnMemory:
        return cls.model_validate({**kept.model_dump(include=set(cls.model_fields)), "character": character})


class OwnMemoryList(Value):
    """Everything that characters remember about the player."""

    memories: tuple[OwnMemory, ...]


class RelationshipView(Value):
    """A character's relationship with the player, and every change that led to it."""

    relationship: Relationship
    history: tuple[BondShift, ...]


class RenewedToken(Value):
    """A new token, which is not shown again."""

    player_token: str = Field(description="send it as `X-Player-Token` from now on")
    expires_at: float = Field(description="seconds since 1970")


class PlayerDeleted(Value):
    """What was deleted with the player."""

    sessions: int = Field(description="how many sessions were deleted")


@router.get("/sessions", summary="List my sessions", responses=declared_errors(422, 429))
async def list_own_sessions(
    caller: CountedCaller,
    studio: OpenStudio,
    limit: Annotated[int, Query(ge=1, le=1000, description="the maximum number of sessions")] = 50,
) -> OwnSessionList:
    """The sessions of the player this token belongs to."""
    found = await studio.episodes.sessions(caller.known_player(), limit)
    return OwnSessionList(sessions=tuple(OwnSessionSummary.of(one) for one in found))


@router.get("/memories", summary="List memories about me", responses=declared_errors(422, 429))
async def list_my_memories(caller: CountedCaller, studio: OpenStudio) -> OwnMemoryList:
    """Memories and open threads about this player that characters carry from session to session."""
    found = await studio.episodes.players.memories(caller.known_player())
    return OwnMemoryList(memories=tuple(OwnMemory.of(character, kept) for character, kept in found))


@router.delete(
    "/memories/{memory_id}",
    status_code=204,
    summary="Delete a memory about me",
    responses=declared_errors(404, 422, 429),
)
async def forget_my_memory(memory_id: MemoryId, caller: CountedCaller, studio: OpenStudio) -> None:
    """Delete one memory and its text permanently; it is not learned again from the same session."""
    await studio.episodes.players.forget(caller.known_player(), memory_id)


@router.get(
    "/relationships/{character}", summary="Get my relationship with a character", responses=declared_errors(422, 429)
)
async def get_relationship(character: CharacterName, caller: CountedCaller, studio: OpenStudio) -> RelationshipView:
    """Tone, tension and trust, with their history. A character the player has not met yet has an empty history."""
    relationship, history = await studio.episodes.players.relationship(character, caller.known_player())
    return RelationshipView(relationship=relationship, history=history)


@router.post("/token", status_code=201, summary="Renew my token", responses=declared_errors(422, 429))
async def renew_token(caller: CountedCaller, studio: OpenStudio) -> RenewedToken:
    """A new token for the same player, valid from now on. The one sent is revoked."""
    claim = caller.known_claim()
    token, stored = await caller.access.issue(claim.player, studio)
    await caller.access.revoke(claim, studio)
    return RenewedToken(player_token=token, expires_at=stored.expires_at)


@router.delete("/token", status_code=204, summary="Log out", responses=declared_errors(422, 429))
async def log_out(caller: CountedCaller, studio: OpenStudio) -> None:
    """Revoke the token that is sent. Other tokens of the player stay valid."""
    claim = caller.known_claim()
    await caller.access.revoke(claim, studio)
    caller.access.room.leave(claim.player)


@router.delete("", summary="Delete my data", responses=declared_errors(409, 422, 429))
async def delete_player(caller: CountedCaller, studio: OpenStudio) -> PlayerDeleted:
    """Delete this player and everything about them: sessions, messages, results, shares, memories, relationships."""
    player = caller.known_player()
    count = await studio.episodes.players.delete(player)
    caller.access.room.leave(player)
    return PlayerDeleted(sessions=count)
