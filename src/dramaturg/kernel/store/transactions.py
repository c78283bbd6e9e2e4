"""What every store needs to write: statements in sequence, another attempt after a conflict, storable texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.store.database import Conflict, Database, Insert, Rows, Statement, Transaction

T = TypeVar("T")

ATTEMPTS = 5


def in_sequence(*statements: Statement | Insert) -> Transaction[Rows]:
    """Executes the statements; returns the rows of the last one."""
    rows: Rows = ()
    for statement in statements:
        rows = yield statement
    return rows


async def write_retrying(
    database: Database, begin: Callable[[], Transaction[T]], what: str, attempts: int = ATTEMPTS
) -> T:
    """Runs a transaction, and again from the start if another process wrote the same rows at the same time.

    Raises StoreUnavailable, with `what` as the subject of its message, if every attempt fails.
    """
    for _ in range(attempts):
        try:
            return await database.write(begin())
        except Conflict:
            continue
    raise StoreUnavailable(
        f"{what} could not be saved, because other processes keep changing the same rows. Try again."
    )


def storable(text: str) -> str:
    """The text without NUL, the one character that Postgres cannot store."""
    return text.replace("\0", "\ufffd")


def storable_row(row: Mapping[str, object]) -> dict[str, object]:
    """The row with every text storable."""
    return {key: storable(value) if isinstance(value, str) else value for key, value in row.items()}
