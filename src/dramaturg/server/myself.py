"""A player about themselves: their sessions, what characters remember of them, and leaving for good."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from dramaturg.episodes.memory import BondShift, Recalled, Relationship, Scope
from dramaturg.episodes.views import SessionRecord, SessionStatus
from dramaturg.kernel.values import Value
from dramaturg.server.deps import OpenStudio
from dramaturg.server.errors import refusals
from dramaturg.server.players import KnownGuest

router = APIRouter(prefix="/v1/players/me", tags=["players"])
MemoryId = Annotated[str, Path(max_length=64, description="the id of a memory or a hook", examples=["3f2a9c01d4e5"])]
CharacterName = Annotated[str, Path(max_length=64, description="the name of a character's card", examples=["iris"])]


class OwnSessionSummary(Value):
    """A session, in short. Times are seconds since 1970."""

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
    """Newest first."""

    sessions: tuple[OwnSessionSummary, ...]


class OwnMemory(Value):
    """Something a character keeps of the player, and the words it comes from."""

    id: str
    kind: Literal["memory", "hook"]
    character: str
    text: str
    quote: str = ""
    importance: float
    scope: Scope
    session: str = Field(description="where it comes from")

    @classmethod
    def of(cls, character: str, kept: Recalled) -> OwnMemory:
        return cls.model_validate({**kept.model_dump(include=set(cls.model_fields)), "character": character})


class OwnMemoryList(Value):
    """All that any character keeps of the player."""

    memories: tuple[OwnMemory, ...]


class Standing(Value):
    """How a character stands to the player, and every change that brought it there."""

    relationship: Relationship
    history: tuple[BondShift, ...]


class Farewell(Value):
    """How much was removed."""

    sessions: int


@router.get("/sessions", summary="My sessions", responses=refusals(422, 429))
async def list_own_sessions(
    who: KnownGuest,
    studio: OpenStudio,
    limit: Annotated[int, Query(ge=1, le=1000, description="how many at most")] = 50,
) -> OwnSessionList:
    """The sessions of the player whose token this is."""
    found = await studio.episodes.sessions(who.known(), limit)
    return OwnSessionList(sessions=tuple(OwnSessionSummary.of(one) for one in found))


@router.get("/memories", summary="What is remembered of me", responses=refusals(422, 429))
async def list_my_memories(who: KnownGuest, studio: OpenStudio) -> OwnMemoryList:
    """Memories and open threads that characters keep of this player, from session to session."""
    found = await studio.episodes.memories(who.known())
    return OwnMemoryList(memories=tuple(OwnMemory.of(character, kept) for character, kept in found))


@router.delete(
    "/memories/{memory_id}", status_code=204, summary="Be forgotten in this", responses=refusals(404, 422, 429)
)
async def forget_my_memory(memory_id: MemoryId, who: KnownGuest, studio: OpenStudio) -> None:
    """Forget one memory for good: its words are deleted, and it does not come back."""
    await studio.episodes.forget(who.known(), memory_id)


@router.get("/relationships/{character}", summary="How a character stands to me", responses=refusals(422, 429))
async def get_relationship(character: CharacterName, who: KnownGuest, studio: OpenStudio) -> Standing:
    """Tone, tension and trust, with their history. Two who have not met are new to each other."""
    relationship, history = await studio.episodes.relationship(character, who.known())
    return Standing(relationship=relationship, history=history)


@router.delete("", summary="Leave for good", responses=refusals(409, 422, 429))
async def delete_player(who: KnownGuest, studio: OpenStudio) -> Farewell:
    """Remove this player: sessions, messages, results, shares, memories, relationships. Nothing stays."""
    return Farewell(sessions=await studio.episodes.delete_player(who.known()))
