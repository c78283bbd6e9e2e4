"""Two releases side by side: this one uses a store that the next one has migrated, and keeps what it does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.runs import LocalEngine, RunLibrary
from dramaturg.kernel.runs.damage import UnknownEvent
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Row, Store, migrations, open_store
from dramaturg.kernel.store.database import Statement
from dramaturg.kernel.store.schema import HEAD, is_readable
from dramaturg.kernel.store.transactions import in_sequence
from tests.said import KINDS, Said

WITHOUT_RULES = "0010"
"""The last revision that was made before older processes had to live with newer ones."""


async def migrate(store: Store, version: str) -> None:
    """What the next release would do: add a table and a column, and write down its version."""
    for sql in (
        "ALTER TABLE runs ADD COLUMN mood TEXT DEFAULT 'bright' NOT NULL",
        "CREATE TABLE next_release (id INTEGER NOT NULL PRIMARY KEY)",
        f"UPDATE dramaturg_version SET version_num = '{version}'",
    ):
        await store.database.write(in_sequence(Statement(sql, {})))


@pytest.mark.parametrize("version", [f"{int(HEAD) + 1:04}", "0099", "0101", "0199"])
async def test_a_store_of_the_next_release_is_played_in_and_left_as_it_is(
    store_settings: Settings, store: Store, version: str
) -> None:
    await migrate(store, version)
    older = await open_store(store_settings)
    try:
        library = RunLibrary(older, StillClock(), KINDS)
        run = await library.create("said", "hello")
        await LocalEngine(library).start(library.perform(run))
        assert (await library.get(run.id)).status == "ended"
        [[kept]] = await older.database.read(Statement("SELECT version_num FROM dramaturg_version", {}))
        assert kept == version
    finally:
        await older.close()


@pytest.mark.parametrize("version", ["0200", "9999", "0008", "01o1", "banana", "１１１１"])
async def test_a_store_beyond_the_next_release_or_of_no_release_is_refused(
    store_settings: Settings, store: Store, version: str
) -> None:
    await migrate(store, version)
    with pytest.raises(StoreUnavailable, match=r"written by a newer dramaturg .*Upgrade"):
        await open_store(store_settings)


def test_the_current_schema_is_readable_and_an_older_one_is_migrated_instead() -> None:
    assert is_readable(HEAD)
    assert not any(map(is_readable, ("0001", WITHOUT_RULES, "", None)))


ADDS = re.compile(
    r"CREATE (?:UNIQUE )?(?:TABLE|INDEX|FUNCTION|TRIGGER) |ALTER TABLE \w+ (?:ADD COLUMN |DROP CONSTRAINT fk_)"
)
"""What takes nothing from a process of the release before: a key that is gone refuses less than it did."""


def executed(dialect: str) -> Iterator[tuple[str, str]]:
    """Every statement that the revisions with rules execute, with its revision."""
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    for script in scripts.walk_revisions():
        if script.revision > WITHOUT_RULES:
            told = StringIO()
            options = {"as_sql": True, "output_buffer": told}
            with Operations.context(MigrationContext.configure(dialect_name=dialect, opts=options)):
                script.module.upgrade()
            yield from ((script.revision, " ".join(sql.split())) for sql in told.getvalue().split(";\n\n") if sql)


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_revisions_only_add_so_that_the_release_before_can_go_on_writing(dialect: str) -> None:
    statements = list(executed(dialect))
    assert {revision for revision, _ in statements} >= {"0011", "0012", "0013"}
    for revision, sql in statements:
        assert ADDS.match(sql), (revision, sql)
        if " ADD COLUMN " in sql and " NOT NULL" in sql:
            assert " DEFAULT " in sql, (revision, sql)


async def newer_run(library: RunLibrary, store: Store) -> str:
    """A run in which a newer version wrote an entry of its own, a hidden one, and a field that is new."""
    run = await library.create("said", "hello")
    await run.append(Said(text="0"))
    rows = [
        Row(2, 2.0, "sung", False, b'{"type":"sung","notes":["a","b"]}'),
        Row(3, 2.0, "hummed", True, b'{"type":"hummed"}'),
        Row(4, 2.0, "said", False, b'{"type":"said","text":"1","pitch":"low"}'),
    ]
    await store.journal.append(run.id, 1, rows)
    await library.mark(run, "stopped")
    return run.id


async def test_entries_of_a_newer_version_are_kept_and_shown_as_such(store: Store) -> None:
    library = RunLibrary(store, StillClock(), KINDS)
    run_id = await newer_run(library, store)
    run = await library.open(run_id)
    assert run.damage is None
    assert [type(entry.event) is Said for entry in run.entries] == [True, False, False, False]
    shown = run.entries[1].event.model_dump(mode="json")
    assert shown == {"type": "sung", "unknown": True, "body": {"type": "sung", "notes": ["a", "b"]}}
    assert '"sung"' in library.kind_of(run.record).debug(run)
    seen = [entry.event.type async for entry in library.tail(run_id)]
    assert seen == ["said", "sung", "said"]
    rows = await store.journal.read(run_id)
    assert (rows[1].body, len(rows)) == (b'{"type":"sung","notes":["a","b"]}', 4)


async def test_a_run_with_entries_of_a_newer_version_is_not_played_here(store: Store) -> None:
    library = RunLibrary(store, StillClock(), KINDS)
    engine = LocalEngine(library)
    run_id = await newer_run(library, store)
    with pytest.raises(StoreUnavailable, match=r"Entry 2 of run .* \('sung'\) was written by a newer dramaturg"):
        await engine.adopt(run_id)
    with pytest.raises(StoreUnavailable, match="newer dramaturg"):
        await library.fork(run_id, 3)
    assert (await library.fork(run_id, 1)).seq == 2
    await store.runs.mark(run_id, "playing", 1.0)
    assert await engine.resume_unfinished() == []
    assert len(await store.journal.read(run_id)) == 4


async def test_what_is_damaged_is_not_taken_for_something_new(store: Store) -> None:
    library = RunLibrary(store, StillClock(), KINDS)
    for body in (b'{"type":"sung"}', b'{"type":"said"}', b'{"text":"x"}', b"[1]", b"sung", b'{"type":"said","text":1}'):
        run = await library.create("said", "hello")
        await run.append(Said(text="0"))
        await store.journal.append(run.id, 1, [Row(2, 2.0, "said", False, body)])
        opened = await library.open(run.id)
        assert opened.damage is not None, body
        assert not any(isinstance(entry.event, UnknownEvent) for entry in opened.entries)
