"""What is stored about players (memories, relationships, tokens, spending), and its deletion."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple

from dramaturg.episodes.deleted_players import PlayerDeleted
from dramaturg.episodes.events import Persona
from dramaturg.episodes.memory import BondShift, RecalledNote, Relationship
from dramaturg.episodes.new_session import checked_player
from dramaturg.episodes.player_token import PlayerToken
from dramaturg.episodes.spent_day import Spent, SpentDay
from dramaturg.episodes.store import EpisodeStore, PlayerStore
from dramaturg.episodes.views import ConcernRecord
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import BudgetExceeded, NotFound, StoreError
from dramaturg.kernel.models.port import ModelAnswer

SpendingListener = Callable[[str, Spent], None]
"""Called with the id of a session and what one answer in it used."""
Gate = Callable[[str, str], Awaitable[str]]
"""Says of a session and its player why a turn may not begin now; empty if it may."""


class HeldBack(NamedTuple):
    """Why a turn does not begin, and the code of the error."""

    why: str
    code: str


SHUT_OUT = HeldBack("No token of this player is valid any more.", "PLAYER_TOKEN_REVOKED")


class Players:
    """The players of a project."""

    def __init__(
        self, store: EpisodeStore, own: PlayerStore, clock: Clock, delete_session: Callable[[str], Awaitable[None]]
    ) -> None:
        self._store = store
        self._own = own
        self._clock = clock
        self._delete_session = delete_session
        self._listeners: list[SpendingListener] = []
        self._gate: Gate | None = None

    async def memories(self, player: str) -> tuple[tuple[str, RecalledNote], ...]:
        """The memories and hooks that characters have of a player, each with the character's name."""
        return await self._store.kept_of(player)

    async def forget(self, player: str, memory: str) -> None:
        await self._store.forget(player, memory)

    async def relationship(self, character: str, player: str) -> tuple[Relationship, tuple[BondShift, ...]]:
        """A character's relationship to a player, and every change that led to it."""
        history = await self._store.bond_history(character, player)
        return await self._store.relationship(character, player), history

    async def concerns(self, limit: int = 100) -> tuple[ConcernRecord, ...]:
        """The messages that spoke of self-harm or abuse, newest first, for the host."""
        return await self._store.concerns(limit)

    async def get(self, player: str) -> Persona | None:
        return await self._store.player(player)

    async def save(self, player: Persona) -> None:
        """Saves what a player says of themselves, for the sessions they open. Raises InvalidConfig."""
        await self._store.welcome(checked_player(player), self._clock.now())

    async def delete(self, player: str) -> int:
        """Deletes a player for good, and all their sessions; returns the number of sessions.

        A session or a token that is begun at the same moment, in whatever process, is deleted too, or refused with
        PlayerDeleted. If this fails halfway, it can be repeated.
        """
        await self._own.mark_deleted(player, self._clock.now())
        return await self.clear(player)

    async def clear(self, player: str) -> int:
        """Deletes everything of a player who may come back, and returns the number of their sessions."""
        count = 0
        while found := await self._store.sessions(player, limit=100):
            for one in found:
                count += await self._deleted(one.id)
        await self._store.dismiss(player)
        await self._own.dismiss(player)
        return count

    async def is_deleted(self, player: str) -> bool:
        """Whether a player was deleted for good."""
        return await self._own.is_deleted(player)

    async def _deleted(self, session: str) -> bool:
        """Deletes a session; False if somebody else did meanwhile."""
        try:
            await self._delete_session(session)
        except NotFound:
            if await self._store.session(session) is not None:
                raise
            return False
        return True

    # Tokens.

    async def issue_token(self, player: str, token_id: str, days: float) -> PlayerToken:
        """Records a token that a player is given now, valid for so many days. Raises PlayerDeleted."""
        now = float(int(self._clock.now()))
        token = PlayerToken(id=token_id, player_id=player, issued_at=now, expires_at=now + int(days * 86_400))
        if not await self._own.issue(token):
            raise PlayerDeleted
        return token

    async def token(self, token_id: str) -> PlayerToken | None:
        return await self._own.token(token_id)

    async def tokens(self, player: str | None = None, limit: int = 100) -> tuple[PlayerToken, ...]:
        """The tokens of a player, or of all, newest first."""
        return await self._own.tokens(player, limit)

    async def revoke_token(self, token_id: str) -> None:
        """Makes one token invalid, at once and for good. Raises NotFound."""
        if not await self._own.revoke(token_id):
            raise NotFound(f"There is no player token '{token_id[:40]}'.", token=token_id[:40])

    async def sign_with(self, key_digest: str) -> bool:
        """Notes the key that signs tokens from now on, by its digest. Returns whether another one did before."""
        return await self._own.sign_with(key_digest, self._clock.now()) not in ("", key_digest)

    def is_over(self, token: PlayerToken) -> bool:
        """Whether a token has expired."""
        return token.expires_at <= self._clock.now()

    # Spending.

    def listen(self, listener: SpendingListener) -> None:
        """Have a listener called with everything that sessions use from now on."""
        self._listeners.append(listener)

    def admit_by(self, gate: Gate) -> None:
        """Have a gate asked before each turn of a message that has waited for others to be answered."""
        self._gate = gate

    async def held_back(self, session: str, player: str) -> HeldBack | None:
        """Why a message that has waited is not answered now; None if it is."""
        given = await self.tokens(player)
        if given and all(one.revoked or self.is_over(one) for one in given):
            return SHUT_OUT
        why = await self._gate(session, player) if self._gate is not None else ""
        return HeldBack(why, BudgetExceeded.code) if why else None

    async def spend(self, session: str, player: str, answer: ModelAnswer) -> None:
        """Counts one answer of a session, whether or not anything is limited: hosts see it, or limit it later."""
        spent = Spent(tokens=answer.usage.total_tokens, usd=answer.cost_usd or 0.0)
        if spent == Spent():
            return
        for listener in self._listeners:
            listener(session, spent)
        with suppress(StoreError):  # the answer is paid for, and must still reach its log
            await self._own.spend(player, spent, self._clock.now())

    async def spent(self, player: str | None = None) -> Spent:
        """What a player, or all, used in the last 24 hours."""
        return (await self.day(player)).total

    async def day(self, player: str | None = None) -> SpentDay:
        """The same by the hour."""
        return await self._own.day(player, self._clock.now())
