"""Runs that come from another store: checked, then added as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, StoreUnavailable
from dramaturg.kernel.runs.damage import read_entries
from dramaturg.kernel.runs.ids import is_id, new_id
from dramaturg.kernel.runs.run import Run
from dramaturg.kernel.store.port import Row, RunRecord, Store

if TYPE_CHECKING:
    from dramaturg.kernel.runs.kind import Kinds

SEEDS = range(-(2**63), 2**63)


def check_seed(seed: int) -> None:
    """Raises InvalidConfig for a seed that no database can hold."""
    if seed not in SEEDS:
        raise InvalidConfig(f"The seed {seed} is too large; use a number below 2^63.", seed=seed)


class RunCopies:
    """Takes copies of runs into one store."""

    def __init__(self, store: Store, clock: Clock, kinds: Kinds) -> None:
        self._store = store
        self._clock = clock
        self._kinds = kinds

    def new_id(self) -> str:
        """An id for a copy that must not be taken for its original."""
        return new_id(self._clock.now())

    def check(self, record: RunRecord, rows: Sequence[Row]) -> Run[Any]:
        """A run that comes from another store, as it will be here; nobody plays it. Raises InvalidConfig."""
        if record.kind not in self._kinds:
            raise InvalidConfig(f"A run of the kind '{record.kind}' cannot be played here. Upgrade dramaturg.")
        kind = self._kinds[record.kind]
        entries, damage = read_entries(record.id, rows, kind.events)
        if damage is not None:
            raise InvalidConfig(f"{damage.message} Nothing was imported.", seq=damage.seq)
        if not entries or not is_id(record.id) or record.seed not in SEEDS:
            raise InvalidConfig("The file holds no run that could be played: its id, its seed or its log is unusable.")
        run = Run(record, entries, self._store.journal, self._clock, kind.events)
        try:
            kind.show(run)
        except Exception as error:  # reason: anything may be wrong with a log that somebody wrote
            raise InvalidConfig(
                "The log in the file does not fit together: its entries refer to what it does not contain. "
                "Nothing was imported."
            ) from error
        here = {"player": "", "adoptions": 0, "status": "stopped" if record.status == "playing" else record.status}
        return Run(record.model_copy(update=here), entries, self._store.journal, self._clock, kind.events)

    async def add(self, run: Run[Any], rows: Sequence[Row]) -> bool:
        """Adds such a run; False if the same one is here already. Raises InvalidConfig if another has its id."""
        if await self._store.runs.get(run.id) is None:
            try:
                await self._store.runs.add(run.record, rows)
                return True
            except StoreUnavailable:  # unless it was imported twice at once
                if await self._store.runs.get(run.id) is None:
                    raise
        await self.is_here(run, rows)
        return False

    async def is_here(self, run: Run[Any], rows: Sequence[Row]) -> bool:
        """Whether the same run is here already. Raises InvalidConfig if another has its id."""
        if await self._store.runs.get(run.id) is None:
            return False
        there = await self._store.journal.read(run.id)
        if there == list(rows):
            return True
        same = next((n for n, (old, new) in enumerate(zip(there, rows, strict=False)) if old != new), None)
        first = min(len(there), len(rows)) if same is None else same
        raise InvalidConfig(
            f"Run {run.id} is here already, and its log differs from entry {first + 1} on ({len(there)} entries here, "
            f"{len(rows)} in the file). Import it under a new id with --as-new.",
            run=run.id,
        )
