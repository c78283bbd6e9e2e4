"""Results that players share: frozen snapshots under an id nobody can guess, for some days or until revoked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from dramaturg.episodes.new_session import LONGEST_ID
from dramaturg.episodes.share import DEFAULT, Share, SharedPart, Snapshot, new_share_id, snapshot_of
from dramaturg.episodes.state import EpisodeState
from dramaturg.episodes.store import EpisodeStore
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, NotFound


class Shares:
    """The shares of a project."""

    def __init__(self, clock: Clock, store: EpisodeStore, state: Callable[[str], Awaitable[EpisodeState]]) -> None:
        self._clock = clock
        self._store = store
        self._state = state

    async def preview(self, session: str, parts: Sequence[SharedPart] = DEFAULT) -> Snapshot:
        """What sharing these parts of a result would show."""
        return snapshot_of(await self._state(session), parts)

    async def create(
        self, session: str, parts: Sequence[SharedPart] = DEFAULT, *, days: float | None = None, seen: str | None = None
    ) -> Share:
        """Share a frozen snapshot of a result, for some days or until it is revoked.

        With `seen`, the digest of a preview, only exactly what was previewed is shared.
        """
        now = self._clock.now()
        snapshot = await self.preview(session, parts)
        if seen is not None and snapshot.digest != seen:
            raise InvalidConfig("The result has changed since you previewed it. Please preview it again.")
        if days is not None and not 0 < days <= 3650:
            raise InvalidConfig("A share can last for up to 3650 days.")
        share = Share(
            id=new_share_id(),
            session_id=session,
            snapshot=snapshot,
            created_at=now,
            expires_at=now + days * 86_400 if days is not None else None,
        )
        await self._store.share(share)
        return share

    async def get(self, share_id: str) -> Share:
        """An open share. Unknown, revoked and expired shares raise the same NotFound."""
        found = await self._store.shared(share_id) if len(share_id) <= LONGEST_ID else None
        if found is None or not found.is_open(self._clock.now()):
            raise NotFound("There is nothing here.")
        return found

    async def of(self, session: str) -> tuple[Share, ...]:
        return await self._store.shares(session)

    async def revoke(self, share_id: str) -> None:
        if not await self._store.revoke(share_id):
            raise NotFound("There is nothing here.")

    async def count_view(self, share_id: str) -> None:
        await self.get(share_id)
        await self._store.count_view(share_id)
