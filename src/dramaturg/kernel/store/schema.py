"""The schema of a new database, and its version.

Every package that stores rows declares its tables in a `tables.sql` of its own: the kernel for runs and events, each
capability for the rest. A new database gets all of them; an older one is brought up to date by migrations, and the
tests check that both lead to the same tables. The files are read only when a database is created, and as data: opening
the store imports no capability.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

TABLES_FILE = "tables.sql"
VERSION_TABLE = "dramaturg_version"
KNOWN = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0009", "0010", "0011", "0012", "0013", "0014")
"""Every revision of the schema, oldest first."""
HEAD = KNOWN[-1]
OLDER = ("", *KNOWN[:-1])
"""The versions that can be migrated; the empty one is a version table without a row."""

REVISIONS_OF_A_RELEASE = 100
"""0101 is the first revision of the release after that of 0011; what it adds does not disturb this one."""

READ_VERSION = f"SELECT version_num FROM {VERSION_TABLE}"
TOUCH = f"UPDATE {VERSION_TABLE} SET version_num = version_num"
"""A write that changes nothing and reaches the disk all the same."""
CREATE_VERSION = (
    f"""
    CREATE TABLE {VERSION_TABLE} (
        version_num VARCHAR(32) NOT NULL,
        CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)
    )
    """,
    f"INSERT INTO {VERSION_TABLE} (version_num) VALUES ('{HEAD}')",
)

CASCADE_ON_POSTGRES = (
    "ALTER TABLE events DROP CONSTRAINT fk_events_run_id_runs",
    """
    CREATE FUNCTION delete_events_of_run() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN DELETE FROM events WHERE run_id = OLD.id; RETURN NULL; END'
    """,
    """
    CREATE TRIGGER delete_events AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION delete_events_of_run()
    """,
)
"""A foreign key would be looked up row by row; whoever appends there locks the runs themselves, all of them at once."""


def is_readable(version: str | None) -> bool:
    """Whether a schema can be used as it is: the current one, or a later one up to that of the next release."""
    if version is None or not (version.isdecimal() and version.isascii() and len(version) == len(HEAD)):
        return False
    return version >= HEAD and int(version) // REVISIONS_OF_A_RELEASE <= int(HEAD) // REVISIONS_OF_A_RELEASE + 1


def create_statements(*, on_postgres: bool = False) -> tuple[str, ...]:
    """Every statement that creates a new database, in order: the tables of the capabilities refer to the kernel's."""
    declared = [sql for file in tables_files() for sql in statements_in(file.read_text(encoding="utf-8"))]
    return (*declared, *(CASCADE_ON_POSTGRES if on_postgres else ()), *CREATE_VERSION)


def tables_files() -> Iterator[Traversable]:
    """The `tables.sql` of the kernel, then of each capability and of its parts that have one, by name."""
    yield files(__package__) / TABLES_FILE
    for package in _folders(files("dramaturg")):
        if package.name != "kernel":
            for folder in (package, *_folders(package)):
                file = folder / TABLES_FILE
                if file.is_file():
                    yield file


def _folders(folder: Traversable) -> list[Traversable]:
    return sorted((one for one in folder.iterdir() if one.is_dir()), key=lambda one: one.name)


def statements_in(text: str) -> list[str]:
    """The statements of a `tables.sql`. Comments take a whole line, and a semicolon ends a statement."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    return [sql.strip() for sql in code.split(";") if sql.strip()]
