"""Requests that may be repeated: the same key starts one run, even after a restart."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

from fastapi import Request

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs.digest import about
from dramaturg.kernel.runs.ids import id_for
from dramaturg.kernel.store import RunRecord
from dramaturg.kernel.values import WireValue
from dramaturg.server.http.bodies import AnyKind
from dramaturg.server.http.key_locks import key_locks_of
from dramaturg.studio import Studio


async def started_once(
    request: Request,
    studio: Studio,
    kind: AnyKind,
    asked: WireValue,
    key: str | None,
    start: Callable[[str | None, str], Awaitable[RunRecord]],
) -> RunRecord:
    """What `start(run_id, about)` starts, or the run that was started with this key before.

    The run's id is derived from the key. Raises InvalidConfig if the key was used for something else.
    """
    if key is None:
        return await start(None, "{}")
    run_id, wanted = id_for(kind.name, key), _fingerprint(asked)
    async with key_locks_of(request).locked(run_id):
        known = await studio.runs.known(run_id)
        if known is None:
            return await start(run_id, f'{{"asked": "{wanted}"}}')
    if about(known).get("asked") != wanted:
        raise InvalidConfig(
            f"This Idempotency-Key was used for a different request (run {known.id}). Use a new key.", run=known.id
        )
    return known


def _fingerprint(asked: WireValue) -> str:
    return hashlib.sha256(asked.model_dump_json().encode()).hexdigest()
