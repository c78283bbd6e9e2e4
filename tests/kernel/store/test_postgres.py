"""What can go wrong with a server, and what is said then; never the password."""

from __future__ import annotations

import asyncio
import sys

import anyio
import asyncpg
import pytest

from dramaturg.kernel.errors import DramaturgError, InvalidSettings, StoreUnavailable
from dramaturg.kernel.settings import Settings, StoreSettings
from dramaturg.kernel.store import open_store
from dramaturg.kernel.store.database import Database, Statement
from dramaturg.kernel.store.postgres import read_url
from dramaturg.kernel.store.transactions import in_sequence
from tests.contracts.test_store import record, rows
from tests.postgres import Server


async def refusal(url: str) -> DramaturgError:
    with pytest.raises(DramaturgError) as caught:
        await open_store(Settings(store=StoreSettings(url=url)))
    assert "s3cret" not in str(caught.value)
    assert "s3cret" not in str(caught.value.context)
    return caught.value


async def test_a_server_that_is_not_reached_is_named_without_its_password() -> None:
    error = await refusal("postgresql://me:s3cret@127.0.0.1:9/stories")
    assert isinstance(error, StoreUnavailable)
    assert "postgresql://me:***@127.0.0.1:9/stories: it could not be reached" in str(error)


@pytest.mark.parametrize("url", ["u:p@s3cret@127.0.0.1:9/x", "u:p@x/s3cret@127.0.0.1/x", "u:p@x?s3cret@127.0.0.1/x"])
async def test_a_password_with_an_at_sign_is_refused_and_no_part_of_it_is_shown(url: str) -> None:
    error = await refusal(f"postgresql://{url}")
    assert isinstance(error, InvalidSettings)
    assert "as %40" in str(error)


async def test_a_database_that_is_not_there_is_named(postgres: Server) -> None:
    error = await refusal(postgres.url.replace("/postgres?", "/stories?"))
    assert isinstance(error, StoreUnavailable)
    assert "no such database. Create it" in str(error)


async def test_a_user_who_is_refused_is_told_so(postgres: Server) -> None:
    error = await refusal(postgres.url.replace("dramaturg@", "nobody:s3cret@"))
    assert isinstance(error, StoreUnavailable)
    assert "the user or the password was rejected" in str(error)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://me:s3cret@localhost/stories", "'mysql' is not a supported store"),
        ("me:s3cret@localhost", "is not a valid URL; expected postgresql://"),
        ("postgresql://me:s3cret@localhost:port/x", "is not a valid URL; expected postgresql://"),
        ("postgresql://me:s3cret@127.0.0.1:9/x?colour=red", "colour"),
        ("postgresql://me:s3cret@127.0.0.1:9/x?sslmode=red", "sslmode"),
    ],
)
async def test_a_url_that_cannot_be_used_is_a_setting_to_mend(url: str, said: str) -> None:
    error = await refusal(url)
    assert isinstance(error, InvalidSettings)
    assert said in str(error)


async def test_a_missing_driver_is_told_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    error = await refusal("postgresql://me:s3cret@localhost/stories")
    assert isinstance(error, InvalidSettings)
    assert "pip install '.[postgres]' in dramaturg's folder" in str(error)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg"])
def test_every_spelling_of_the_scheme_is_understood(scheme: str) -> None:
    url = read_url(f"{scheme}://me:s3cret@host/stories?sslmode=require")
    assert url.drivername == "postgresql+asyncpg"
    assert url.query == {"ssl": "require"}


async def test_the_schema_of_a_newer_dramaturg_is_refused(postgres_settings: Settings) -> None:
    await (await open_store(postgres_settings)).close()
    await _execute(postgres_settings, "UPDATE dramaturg_version SET version_num = '9999'")
    with pytest.raises(StoreUnavailable, match=r"written by a newer dramaturg \(schema 9999.*Upgrade"):
        await open_store(postgres_settings)


async def test_a_database_that_cannot_be_written_is_told_and_a_lost_connection_is_mended(
    postgres_settings: Settings,
) -> None:
    at_once = postgres_settings.store.model_copy(update={"wait": 0.0})
    store = await open_store(postgres_settings.model_copy(update={"store": at_once}))
    await store.runs.add(record())
    await _execute(
        postgres_settings,
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', "
        "current_database()); END $$",
    )
    await _execute(
        postgres_settings,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    assert await store.runs.get("run") == record()
    with pytest.raises(StoreUnavailable, match="it is read-only, perhaps a standby"):
        await store.journal.append("run", 0, rows(1, 1))
    await store.close()


async def _execute(settings: Settings, sql: str) -> None:
    connection = await asyncpg.connect(settings.store.url)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


@pytest.mark.parametrize("kind", ["read", "write"])
async def test_a_request_that_is_cancelled_costs_no_connection_and_no_word_in_the_log(
    postgres_settings: Settings, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    store, holder = await open_store(postgres_settings), await asyncpg.connect(postgres_settings.store.url)
    database, waits = store.database, Statement("SELECT pg_advisory_xact_lock(17)", {})
    [[before]] = await database.read(Statement("SELECT pg_backend_pid()", {}))
    async with holder.transaction():
        await holder.execute("SELECT pg_advisory_xact_lock(17)")
        async with anyio.create_task_group() as leaving:
            leaving.start_soon(lambda: database.read(waits) if kind == "read" else _written(database, waits))
            while not await holder.fetch("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
                await asyncio.sleep(0)
            leaving.cancel_scope.cancel()
    await asyncio.gather(*database._under_way)  # type: ignore[attr-defined]
    [[after]] = await database.read(Statement("SELECT pg_backend_pid()", {}))
    assert (after, caplog.records) == (before, [])
    await holder.close()
    await store.close()


async def _written(database: Database, statement: Statement) -> None:
    await database.write(in_sequence(statement))
