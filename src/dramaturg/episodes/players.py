"""What is stored about players (memories, relationships), and its deletion."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from dramaturg.episodes.events import Persona
from dramaturg.episodes.memory import BondShift, RecalledNote, Relationship
from dramaturg.episodes.store import EpisodeStore


class Players:
    """The players of a project."""

    def __init__(self, store: EpisodeStore, delete_session: Callable[[str], Awaitable[None]]) -> None:
        self._store = store
        self._delete_session = delete_session

    async def memories(self, player: str) -> tuple[tuple[str, RecalledNote], ...]:
        """The memories and hooks that characters have of a player, each with the character's name."""
        return await self._store.kept_of(player)

    async def forget(self, player: str, memory: str) -> None:
        await self._store.forget(player, memory)

    async def relationship(self, character: str, player: str) -> tuple[Relationship, tuple[BondShift, ...]]:
        """A character's relationship to a player, and every change that led to it."""
        history = await self._store.bond_history(character, player)
        return await self._store.relationship(character, player), history

    async def get(self, player: str) -> Persona | None:
        return await self._store.player(player)

    async def delete(self, player: str) -> int:
        """Deletes a player and all their sessions; returns the number of sessions."""
        count = 0
        while found := await self._store.sessions(player, limit=100):
            for one in found:
                await self._delete_session(one.id)
                count += 1
        await self._store.dismiss(player)
        return count
