"""Which failures of a store pass by themselves: a run waits for those, and ends for the others."""

from __future__ import annotations

import asyncpg
import pytest
from sqlalchemy import QueuePool, create_engine
from sqlalchemy.exc import InterfaceError, SQLAlchemyError

from dramaturg.kernel.errors import StoreBlocked
from dramaturg.kernel.store.failures import unavailable

PASSING = [
    ConnectionResetError("reset by peer"),
    TimeoutError(),
    asyncpg.InternalClientError("cannot switch to state 12; another operation (2) is in progress"),
    asyncpg.InterfaceError("connection is closed"),
    asyncpg.TooManyConnectionsError("too many clients already"),
    asyncpg.CannotConnectNowError("the database system is starting up"),
    asyncpg.ReadOnlySQLTransactionError("cannot execute INSERT in a read-only transaction"),
]
LASTING = [
    asyncpg.UndefinedTableError("there is no such table"),
    asyncpg.InvalidPasswordError("no"),
    asyncpg.DataError("invalid input for query argument $1: value out of int32 range"),
    ValueError("nothing of a store"),
]


def wrapped(error: Exception) -> list[Exception]:
    """As the driver raises it, as its adapter turns it into a lost connection, and as SQLAlchemy wraps it."""
    lost = ConnectionError(str(error))
    lost.__cause__ = error
    return [error, lost, InterfaceError("INSERT", None, error)]


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
def test_a_run_waits_for_what_passes_however_the_driver_says_it(error: Exception) -> None:
    for one in wrapped(error):
        assert isinstance(unavailable(one, "here"), StoreBlocked)


@pytest.mark.parametrize("error", LASTING, ids=lambda error: type(error).__name__)
def test_a_run_does_not_wait_for_what_stays_wrong(error: Exception) -> None:
    bare, _, wrapped_error = wrapped(error)
    for one in (bare, wrapped_error):
        assert not isinstance(unavailable(one, "here"), StoreBlocked)


def test_a_run_waits_for_a_connection_where_all_of_its_process_are_in_use() -> None:
    engine = create_engine("sqlite://", poolclass=QueuePool, pool_size=1, max_overflow=0, pool_timeout=0.01)
    with engine.connect(), pytest.raises(SQLAlchemyError) as refused:
        engine.connect()
    error = unavailable(refused.value, "here")
    assert isinstance(error, StoreBlocked)
    assert error.message == (
        "The store here: all connections of this process are in use. Try again in a moment, or run more processes."
    )
