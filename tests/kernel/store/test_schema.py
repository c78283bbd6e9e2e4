"""A new database and a migrated one are the same."""

from __future__ import annotations

import ast
import re
import sqlite3
import subprocess
import sys
import textwrap
from itertools import chain
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import create_async_engine

import dramaturg
from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import migrations, open_store
from dramaturg.kernel.store.postgres import read_url
from dramaturg.kernel.store.schema import HEAD, KNOWN, VERSION_TABLE, create_statements, tables_files
from dramaturg.kernel.store.sqlite import bring_up_to_date, connect
from tests.contracts.test_store import record


def described(connection: Connection) -> dict[str, object]:
    """Everything a database says of its tables."""
    database = inspect(connection)
    return {
        table: {
            "columns": [
                (column["name"], str(column["type"]), column["nullable"], column["default"])
                for column in database.get_columns(table)
            ],
            "key": database.get_pk_constraint(table),
            "foreign": database.get_foreign_keys(table),
            "indexes": [
                {
                    **index,
                    "dialect_options": {key: str(value) for key, value in index.get("dialect_options", {}).items()},
                }
                for index in database.get_indexes(table)
            ],
        }
        for table in sorted(database.get_table_names())
    }


SOURCE = Path(dramaturg.__file__).parent
MIGRATIONS = Path(migrations.__file__).parent


def declared() -> dict[Path, list[str]]:
    """The tables that each package declares, by its folder."""
    return {
        Path(str(file)).parent: re.findall(r"CREATE TABLE (\w+)", file.read_text(encoding="utf-8"))
        for file in tables_files()
    }


def test_the_kernel_declares_no_table_of_a_capability() -> None:
    tables = declared()
    assert tables.pop(SOURCE / "kernel" / "store") == ["runs", "events", "run_messages"]
    parts = {"scenes", "episodes", "workshop", "graph", "consolidation", "ensemble", "shares"}
    assert {folder.name for folder in tables} == parts
    assert len(set(chain(*tables.values()))) == len(list(chain(*tables.values())))


def test_a_capabilitys_tables_refer_to_its_own_and_the_kernels_only() -> None:
    for file in tables_files():
        own = declared()[Path(str(file)).parent]
        assert set(re.findall(r"REFERENCES (\w+)", file.read_text(encoding="utf-8"))) <= {*own, "runs", "events"}


def test_a_capabilitys_tables_are_used_in_its_store_only() -> None:
    """Migrations are the history of the whole database; the kernel's tables may be read by everybody."""
    tables = declared()
    del tables[SOURCE / "kernel" / "store"]
    for folder, own in tables.items():
        used = re.compile(rf"\b(?:FROM|INTO|UPDATE|JOIN|TABLE)\s+(?:{'|'.join(own)})\b")
        users = {path for path in SOURCE.rglob("*.py") if used.search(path.read_text(encoding="utf-8"))}
        assert {path for path in users if MIGRATIONS not in path.parents} == {folder / "store.py"}


def test_the_newest_revision_is_the_one_the_code_expects() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [HEAD]
    assert tuple(reversed([script.revision for script in scripts.walk_revisions()])) == KNOWN


def test_on_sqlite_migrating_from_nothing_and_making_anew_give_the_same_tables(tmp_path: Path) -> None:
    made, migrated = connect(tmp_path / "made.db"), connect(tmp_path / "migrated.db")
    bring_up_to_date(made, "made.db")
    migrations.upgrade_sqlite(migrated)
    descriptions = []
    for connection in (made, migrated):
        assert connection.execute("SELECT version_num FROM dramaturg_version").fetchall() == [(HEAD,)]
        connection.close()
    for name in ("made.db", "migrated.db"):
        engine = create_engine(f"sqlite:///{tmp_path / name}")
        with engine.connect() as connection:
            descriptions.append(described(connection))
        engine.dispose()
    assert descriptions[0] == descriptions[1]
    scenes = {
        "dramaturg_version",
        "events",
        "runs",
        "memories",
        "moods",
        "bonds",
        "kiosks",
        "decisions",
        "run_messages",
        "graph_entities",
        "graph_facts",
        "graph_sources",
        "graph_batches",
        "graph_conflicts",
        "consolidated_texts",
    }
    episodes = {"players", "episode_templates", "series", "sessions", "messages", "session_evaluations", "shares"}
    players = {"episode_memories", "hooks", "relationships", "player_tokens", "player_spending"}
    shared = {"limit_levels", "limit_shares", "spent_days"}
    assert set(descriptions[0]) == scenes | episodes | players | shared


async def test_on_postgres_migrating_from_nothing_and_making_anew_give_the_same_tables(
    postgres_settings: Settings,
) -> None:
    engine = create_async_engine(read_url(str(postgres_settings.store.url)))
    try:
        async with engine.connect() as connection:
            for sql in create_statements(on_postgres=True):
                await connection.execute(text(sql))
            made = await connection.run_sync(described)
            await connection.rollback()
            await connection.run_sync(migrations.upgrade)
            assert await connection.run_sync(described) == made
            await connection.rollback()
    finally:
        await engine.dispose()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    connection = connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE events (mine TEXT)")
    with pytest.raises(OperationalError, match="already exists"):
        migrations.upgrade_sqlite(connection)
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    connection.close()
    assert tables == [("events",)]


def test_tables_that_do_not_fit_the_version_of_their_file_are_named_as_such(tmp_path: Path) -> None:
    connection = connect(tmp_path / "x.db")
    bring_up_to_date(connection, "x.db")
    connection.execute(f"DELETE FROM {VERSION_TABLE}")
    with pytest.raises(StoreUnavailable, match=r"x\.db, while it was brought up to date: SQLite says: table .* exists"):
        bring_up_to_date(connection, "x.db")
    connection.close()


async def test_an_older_schema_is_migrated_when_it_is_opened(store_settings: Settings) -> None:
    """The oldest there can be: nothing but a table for the version, with nothing in it."""
    version_table = next(sql for sql in create_statements() if VERSION_TABLE in sql)
    if store_settings.store.url:
        engine = create_async_engine(read_url(store_settings.store.url))
        async with engine.begin() as server:
            await server.execute(text(version_table))
        await engine.dispose()
    else:
        store_settings.data.mkdir()
        file = connect(store_settings.data / "dramaturg.db")
        file.execute(version_table)
        file.close()
    stores = [await open_store(store_settings) for _ in range(2)]
    await stores[0].runs.add(record())
    assert await stores[1].runs.get("run") == record()
    for store in stores:
        await store.close()


@pytest.mark.parametrize("revision", KNOWN[:-1])
async def test_a_project_of_an_earlier_revision_keeps_its_runs(revision: str, tmp_path: Path) -> None:
    settings = Settings(project=tmp_path)
    settings.data.mkdir()
    engine = create_engine(f"sqlite:///{settings.data / 'dramaturg.db'}")
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        fields = record().model_dump()
        values = ", ".join(f":{name}" for name in fields)
        connection.execute(text(f"INSERT INTO runs ({', '.join(fields)}) VALUES ({values})"), fields)
    engine.dispose()
    store = await open_store(settings)
    assert await store.runs.get("run") == record()
    await store.close()


def test_playing_on_sqlite_imports_no_other_database_and_no_capability(tmp_path: Path) -> None:
    program = """
        import asyncio, sys
        from pathlib import Path
        import dramaturg.kernel.runs
        assert not {"sqlalchemy", "alembic", "asyncpg"} & set(sys.modules)
        from dramaturg.kernel.settings import Settings
        from dramaturg.kernel.store import open_store
        async def main():
            store = await open_store(Settings(project=Path(sys.argv[1])))
            await store.runs.find()
            await store.close()
        asyncio.run(main())
        capabilities = {f"dramaturg.{name}" for name in ("scenes", "episodes", "workshop", "ensemble")}
        print(sorted(({"sqlalchemy", "alembic", "asyncpg"} | capabilities) & set(sys.modules)))
    """
    command = [sys.executable, "-c", textwrap.dedent(program), tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == []
    assert (tmp_path / "data" / "dramaturg.db").exists()
    assert sqlite3.sqlite_version_info >= (3, 35), "RETURNING needs it"
