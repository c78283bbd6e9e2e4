"""A database or a log that came with a project: it does nothing by itself, and what it lacks is said."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dramaturg.cli.edge import STORE
from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import open_store
from dramaturg.workshop.notebooks.text_index import open_index
from tests.cli.story import new_story, rehearsed, typed
from tests.hostile.test_moved_runs import rewritten

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
PROGRAMS: dict[str, str] = {
    "a view for a table": "ALTER TABLE runs RENAME TO others; CREATE VIEW runs AS "
    f"SELECT others.* FROM others, ({ENDLESS}) q WHERE q.x < 0",
    "a trigger without an end": "CREATE TRIGGER t AFTER INSERT ON events BEGIN "
    f"DELETE FROM memories WHERE id IN ({ENDLESS}); END",
    "a trigger that empties the logs": "CREATE TRIGGER t AFTER UPDATE ON runs BEGIN DELETE FROM events; END",
    "a trigger that speaks for the store": "CREATE TRIGGER t BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'x'); END",
}
COMMANDS = (
    ("runs", "list"),
    ("runs", "show", "x"),
    ("scene", "run", "the-second-signature", "--model", "rehearsal", "--quiet"),
    ("store", "backup", "copy"),
)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path)


@pytest.mark.parametrize("program", PROGRAMS)
async def test_a_database_that_acts_by_itself_is_not_opened(program: str, tmp_path: Path) -> None:
    settings = Settings(project=tmp_path)
    await (await open_store(settings)).close()
    with closing(sqlite3.connect(tmp_path / "data" / "dramaturg.db")) as database:
        database.executescript(PROGRAMS[program])
    with pytest.raises(StoreUnavailable, match=r"contains the (view 'runs'|trigger 't'), which dramaturg did not make"):
        await open_store(settings)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_waits_for_a_view_without_an_end(command: tuple[str, ...], story: Path) -> None:
    rehearsed(story)
    with closing(sqlite3.connect(story / "data" / "dramaturg.db")) as database:
        database.executescript(PROGRAMS["a view for a table"])
    assert "the view 'runs', which dramaturg did not make. Remove it" in typed(story, *command, code=STORE)


@pytest.mark.parametrize("command", [("runs", "list"), ("store", "backup", "copy"), ("doctor",)], ids=" ".join)
def test_a_schema_that_is_no_text_is_damage(command: tuple[str, ...], story: Path) -> None:
    rehearsed(story)
    file = story / "data" / "dramaturg.db"
    names = file.read_bytes().replace(b"CREATE INDEX ix_runs_created_at", b"CREATE INDEX \xec\xec_runs_created OO")
    file.write_bytes(names.replace(b"ix_runs_created_at", b"ix_runs_created_a\xec"))
    told = typed(story, *command, code=STORE)
    assert "it is damaged. It was not changed; move it away" in told
    assert "bug" not in told


def test_an_index_of_notes_that_acts_by_itself_is_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    with open_index(file):
        pass
    with closing(sqlite3.connect(file)) as database:
        database.executescript(
            f"DROP TABLE sources; CREATE VIEW sources AS SELECT x AS name, x AS mark FROM ({ENDLESS})"
        )
    with open_index(file) as index:
        assert index.marks() == {}


def _headless(part: str, content: dict) -> list[tuple[str, dict]]:
    if part == "entry":
        return [(part, {**content, "seq": content["seq"] - 1})] if content["seq"] > 1 else []
    return [(part, {**content, "entries": content["entries"] - 1} if part == "end" else content)]


def _newer(part: str, content: dict) -> list[tuple[str, dict]]:
    is_first = part == "entry" and content["seq"] == 1
    return [(part, {**content, "body": {**content["body"], "foo": 1}} if is_first else content)]


UNOPENED = {"without its first entry": _headless, "with a first entry of a version to come": _newer}


@pytest.mark.parametrize("how", UNOPENED)
def test_a_forged_log_that_does_not_fit_together_is_not_imported(how: str, story: Path) -> None:
    run, file = rehearsed(story), story / "run.jsonl"
    typed(story, "runs", "export", run, "--log", str(file))
    rewritten(file, UNOPENED[how])
    said = typed(story, "runs", "import", str(file), "--as-new", code=2)
    assert "does not fit together" in said
    assert "Nothing was imported" in said
    assert len(typed(story, "runs", "list", "--json").splitlines()) == 1


@pytest.mark.parametrize("command", ["show", "resume", "export"])
def test_a_log_without_its_beginning_is_named_and_no_traceback_is_shown(command: str, story: Path) -> None:
    run = rehearsed(story)
    with closing(sqlite3.connect(story / "data" / "dramaturg.db")) as database, database:
        database.execute("UPDATE runs SET status = 'stopped'")
        database.execute("DELETE FROM events WHERE seq = 1")
        database.execute("UPDATE events SET seq = seq - 1")
    options = ("--format", "md") if command == "export" else ()
    said = typed(story, "runs", command, run, *options, code=STORE)
    assert "The log of this scene does not tell what is played" in said
    assert "Traceback" not in said
