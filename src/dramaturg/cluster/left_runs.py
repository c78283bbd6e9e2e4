"""The runs that this process took up and cannot play, because it lacks a provider or a key: left to other processes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dramaturg.kernel.errors import DramaturgError, InvalidSettings, KeyRejected, StoreError
from dramaturg.kernel.models.catalogue import key_of, model_ref
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.runs import LocalEngine, Performance, RunLibrary
from dramaturg.kernel.runs.events import RunAdopted
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store.database import Database, Statement

LEFT_SECONDS = 30.0
"""How long a run is left to others before this process takes it up again."""
MOST_TIMES = 20
"""How often a run is left while others play; then it ends with what keeps it from being played here."""
KEPT_SECONDS = 3600.0
LEAVING = (
    "This process cannot play some of the runs that it takes up, and leaves them to others: %s "
    "All processes on one database need the same providers and keys."
)
LACKING = "%s Runs that need it are left to other processes: all of them need the same providers and keys."
_OTHERS_PLAY = "SELECT 1 FROM runs WHERE status = 'playing' AND player <> '' AND player <> :here LIMIT 1"
_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class _Left:
    times: int
    until: float


class LeftRuns:
    """Decides which runs are left, and for how long. A run is in it while this process does not take it up.

    A run that nobody has played by then is left again only while other processes play something: their places may be
    taken. Otherwise it ends, so that its author learns why.
    """

    def __init__(self, library: RunLibrary, database: Database, seconds: float = LEFT_SECONDS) -> None:
        self._library, self._database, self._seconds = library, database, seconds
        self._runs: dict[str, _Left] = {}
        self._told: set[str] = set()

    def __contains__(self, run_id: object) -> bool:
        left = self._runs.get(run_id) if isinstance(run_id, str) else None
        return left is not None and _now() < left.until

    async def leaves(self, performance: Performance[Any, Any], error: Exception) -> bool:
        """Whether a run that raised this is left to others, from now on."""
        if not isinstance(error, DramaturgError) or not lacks_model(error) or _has_progress(performance):
            return False
        left = self._runs.pop(performance.id, _Left(0, 0.0))
        if left.times >= MOST_TIMES or (left.times and not await self._others_play()):
            return False
        self._forget_old()
        self._runs[performance.id] = _Left(left.times + 1, _now() + self._seconds)
        if error.message not in self._told:
            self._told.add(error.message)
            _LOG.warning(LEAVING, error.message)
        return True

    async def _others_play(self) -> bool:
        try:
            return bool(await self._database.read(Statement(_OTHERS_PLAY, {"here": str(self._library.holder)})))
        except StoreError:
            return True

    def _forget_old(self) -> None:
        before = _now() - KEPT_SECONDS
        self._runs = {run_id: left for run_id, left in self._runs.items() if left.until > before}


def leave_unplayable(engine: LocalEngine, left: LeftRuns) -> None:
    """Has an engine leave what it takes up by itself and cannot play."""
    engine.avoided, engine.leaves = left, left.leaves


def lacks_model(error: DramaturgError) -> bool:
    """Whether a model cannot be had in this process, and perhaps in another."""
    return isinstance(error, KeyRejected) or (isinstance(error, InvalidSettings) and "model" in error.context)


def warn_of_missing_models(settings: Settings) -> None:
    """Says which models of the settings cannot be asked from here, for want of a provider or a key."""
    for message in dict.fromkeys(missing_models(settings)):
        _LOG.warning(LACKING, message)


def missing_models(settings: Settings) -> Iterator[str]:
    """Why each of the models that the settings name cannot be asked from here."""
    models, workshop = settings.models, settings.workshop
    named = (models.default, models.director, *models.characters.values(), workshop.model, *workshop.models.values())
    for name in dict.fromkeys(name for name in named if name and not is_stand_in(name)):
        try:
            key_of(model_ref(name, settings).provider, settings)
        except (InvalidSettings, KeyRejected) as error:
            yield error.message


def _has_progress(performance: Performance[Any, Any]) -> bool:
    """Whether anything was answered since the run was last taken up."""
    for entry in reversed(performance.run.entries):
        if isinstance(entry.event, RunAdopted):
            return False
        if entry.event.is_progress:
            return True
    return False


def _now() -> float:
    return asyncio.get_running_loop().time()
