"""Where a batch stands: what was played, what failed, and what it cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from dramaturg.kernel.errors import DramaturgError
from dramaturg.scenes.batch.results import RowResult


@dataclass(slots=True)
class BatchProgress:
    """Where a batch stands. `skipped` rows were finished by an earlier call; `offset` is in bytes of the file."""

    skipped: int = 0
    ended: int = 0
    reached: int = 0
    under_way: int = 0
    tokens: int = 0
    usd: float = 0.0
    prices_known: bool = True
    offset: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    stopped_by: DramaturgError | None = None
    first_failure: DramaturgError | None = None

    @property
    def failed(self) -> int:
        return self.failures.total()

    @property
    def finished(self) -> int:
        return self.ended + self.skipped

    def count(self, result: RowResult, error: DramaturgError | None) -> None:
        """Takes in one more result."""
        self.tokens += result.tokens
        self.usd += result.usd or 0.0
        self.prices_known = self.prices_known and result.usd is not None
        if error is None:
            self.ended += 1
            self.reached += result.goal_achieved
        else:
            self.failures[error.code] += 1
            self.first_failure = self.first_failure or error
