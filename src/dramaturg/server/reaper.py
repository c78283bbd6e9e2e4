"""The runs that nobody plays any more, taken up by this server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from dramaturg.cluster.left_runs import warn_of_missing_models
from dramaturg.kernel.errors import StoreBlocked, StoreError
from dramaturg.kernel.runs import Entry, Run, RunAdopted
from dramaturg.server.http.player_tokens import digest_of, is_from_elsewhere, secret_of
from dramaturg.server.push.websocket import EventRelay
from dramaturg.studio import Studio

REAP_SECONDS = 1.0
"""How often a server looks for runs that nobody plays any more."""
OTHER_KEY = (
    "This server signs the tokens of players with another key than the last one that was started on this database. "
    "If both run, each refuses the players of the other: give all of them the same secret, in the variable that "
    "`secret_env` under [players] names. If the key was replaced, earlier tokens are void."
)
FOREIGN_KEY = (
    "data/players.key, which signs the tokens of players, was not made here by this version. If you do not know where "
    "it is from, delete it and start anew: whoever made it can sign a token for any player. This is said once."
)
WAITING = "%s This server waits for it: /healthz answers 503 until it can write there."
FAILED = "The look for runs that nobody plays any more has failed; this server looks again."
_LOG = logging.getLogger("uvicorn.error")


class Reaper:
    """Plays on the runs that nobody holds: their process died, or was told to end."""

    def __init__(self, studio: Studio, relay: EventRelay, seconds: float = REAP_SECONDS) -> None:
        self._studio, self._relay, self._seconds = studio, relay, seconds
        self._has_signed = False

    async def begin(self) -> None:
        """The first look. A store that is blocked is no reason not to start: a later look finds it."""
        if self._studio.settings.store.url:  # others may play what this server cannot
            warn_of_missing_models(self._studio.settings)
        try:
            await self._look()
        except StoreBlocked as error:
            _LOG.warning(WAITING, error.message)

    async def go_on(self) -> None:
        """Takes up the runs of other processes as soon as they are handed back, or their lease is over."""
        while True:
            await asyncio.sleep(self._seconds)
            try:
                await self._look()
            except StoreError:
                # Once the store is back, those who live renew their leases first.
                await asyncio.sleep(self._studio.runs.leases.seconds)
            except Exception:  # noqa: BLE001  # reason: one run must not leave all later ones unplayed
                _LOG.exception(FAILED)

    async def _look(self) -> None:
        if not self._has_signed:
            await self._sign()
        for performance in await self._studio.resume_unfinished():
            if performance.kind is self._studio.ensemble.kind:
                self._relay.follow(performance.id, _before_taken_up(performance.run))

    async def _sign(self) -> None:
        """Notes the key that signs the tokens of players here, and warns if the last server had another."""
        digest = digest_of(secret_of(self._studio.settings))
        if await self._studio.episodes.players.sign_with(digest):
            _LOG.warning(OTHER_KEY)
        if is_from_elsewhere(self._studio.settings):
            _LOG.warning(FOREIGN_KEY)
        self._has_signed = True


def _before_taken_up(run: Run[Any]) -> Sequence[Entry[Any]]:
    """What another process wrote. The run is played already, so its log may have gone on since."""
    taken = max((place for place, entry in enumerate(run.entries) if isinstance(entry.event, RunAdopted)), default=0)
    return run.entries[:taken]
