"""Plays every kind of run in a new project and keeps the project, so that later releases can be held to it.

Run it with the code of the release that is to be kept, and name the folder for it:

    PYTHONPATH=<checkout of the release>/src python tests/compat/record.py tests/compat/<release>

It uses the command line only. The result is `story/` (the project with its database, checkpointed into one file),
`expected.json` (what the release said about its own runs) and `events.jsonl` (one stored body per kind and type).
`rare_events.jsonl`, which it leaves alone, has the types that such a project does not hold: failures, cuts, choices.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCENE, EPISODE = "the-second-signature", "tea-with-walter"
HOST = "stage"
"""Stands for the host that played; a test puts its own name there."""

SETTINGS = '[models]\ndefault = "rehearsal"\n\n[voices]\nengine = "silent"\n\n[scenes]\npace = {pace}\n'
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
ENVIRONMENT["COLUMNS"] = "400"
PREMISE = "Two sisters inherit a lighthouse that nobody lights."


class Recorder:
    """One project while it is being played."""

    def __init__(self, folder: Path) -> None:
        self.story = folder / "story"
        self.expected: dict[str, object] = {}

    def pace(self, pace: float) -> None:
        (self.story / "dramaturg.toml").write_text(SETTINGS.format(pace=pace), encoding="utf-8")

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "dramaturg", *words, "--project", str(self.story)]

    def typed(self, *words: str, keys: str = "") -> str:
        done = subprocess.run(
            self.command(*words), input=keys, capture_output=True, text=True, env=ENVIRONMENT, timeout=300, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def rows(self, *words: str, keys: str = "") -> list[dict[str, object]]:
        return [json.loads(line) for line in self.typed(*words, "--json", keys=keys).splitlines()]

    def killed(self, *words: str, until: str, times: int = 1, keys: str = "") -> None:
        """Starts a command and kills it with SIGKILL when `until` has been printed so many times."""
        with subprocess.Popen(
            self.command(*words, "--json"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(keys)
            process.stdin.flush()
            for line in process.stdout:
                times -= until in line
                if not times:
                    break
            else:
                raise SystemExit(f"{' '.join(words)} ended before {until!r} was seen")
            time.sleep(0.3)  # so that it is in the middle of what comes next
            process.kill()

    def newest(self) -> str:
        return str(self.rows("runs", "list")[0]["id"])

    def record(self) -> None:
        subprocess.run(
            [sys.executable, "-m", "dramaturg", "new", str(self.story)],
            check=True,
            env=ENVIRONMENT,
            capture_output=True,
        )
        (self.story / ".gitignore").unlink()
        self.pace(0)
        self.scenes()
        self.ensembles()
        self.episodes()
        self.foreman()
        self.expected["runs"] = {
            row["id"]: {"kind": row["kind"], "name": row["name"], "status": row["status"]}
            for row in self.rows("runs", "list")
        }

    def scenes(self) -> None:
        finished = str(self.rows("scene", "run", SCENE, "--seed", "3")[-1]["run"])
        forked = str(self.rows("runs", "fork", finished, "--beat", "3", "--note", "Iris has little time.")[-1]["run"])
        before = {row["id"] for row in self.rows("runs", "list")}
        self.typed("runs", "why", finished, "2", "--test", "--yes", "--json")
        why = next(row["id"] for row in self.rows("runs", "list") if row["id"] not in before)
        self.pace(1.0)
        self.killed("scene", "run", SCENE, "--seed", "4", until='"beat.played"', times=3)
        killed = self.newest()
        self.pace(0)
        for name, run in (("finished", finished), ("forked", forked), ("why", why), ("killed", killed)):
            self.expected[name] = run
        self.expected["shown"] = {run: self.typed("runs", "show", run) for run in (finished, forked, why)}
        self.expected["debug"] = self.typed("runs", "show", finished, "--debug")
        self.expected["replayed"] = self.typed("runs", "replay", finished, "--speed", "0")
        self.expected["cost"] = {run: self.typed("runs", "cost", run, "--json") for run in (finished, forked)}

    def ensembles(self) -> None:
        self.typed("ensemble", "ask", "What is courage?", "--slots", "4", "--no-audio", "--json")
        self.expected["session"] = session = self.newest()
        self.expected["session_shown"] = self.typed("runs", "show", session)
        self.pace(1.0)
        self.killed("ensemble", "ask", "And what is fear?", "--slots", "4", "--no-audio", until='"slot.done"', times=5)
        self.expected["killed_session"] = self.newest()
        self.pace(0)

    def episodes(self) -> None:
        whole = "\n".join(
            ("Good evening, Walter.", "Which picture do you never talk about?", "Tell me about the museum.", "Why?",
             "Did you sign it twice?", "Who knows of it?", "And Iris?", "Thank you for the tea.")
        )  # fmt: skip
        self.typed("episode", "play", EPISODE, "--persona", "Anna: a journalist", "--json", keys=whole + "\n")
        self.expected["completed_episode"] = self.newest()
        talk = "Good evening.\nWho painted it?\n/swipe\n/back\n/edit Who painted the small one?\nHow was the museum?\n"
        self.typed("episode", "play", EPISODE, "--json", keys=talk)
        self.expected["episode"] = episode = self.newest()
        self.pace(8.0)
        self.killed(
            "episode", "play", "--session", episode, until='"chunk"', keys="And what did you never tell Iris?\n"
        )
        self.pace(0)

    def foreman(self) -> None:
        self.typed("foreman", "chat", PREMISE, "--json")
        self.typed("foreman", "chat", "Ruth Abara", "--json")
        self.typed("foreman", "chat", "She cannot ask anybody for help, since she was ten.", "--json")
        self.typed("foreman", "decide", "spelling", "British", "--category", "preference", "--kind", "preference")
        self.typed("foreman", "decide", "ending", "The lamp is lit.", "--json")
        self.expected["foreman"] = self.newest()
        self.expected["decisions"] = self.rows("foreman", "decisions")
        self.expected["state"] = json.loads(self.typed("foreman", "state", "--json"))


def neutralised(database: Path) -> None:
    """No host's name in it, one file, as small as it goes."""
    connection = sqlite3.connect(database)
    here = socket.gethostname().replace("/", "-")
    with connection:
        connection.execute("UPDATE runs SET player = ? || substr(player, ?) WHERE player LIKE ?",
                           (HOST, len(here) + 1, f"{here}/%"))  # fmt: skip
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("VACUUM")
    connection.close()


def stored_events(database: Path) -> list[str]:
    """For each kind of run, the longest stored body of each type of event."""
    connection = sqlite3.connect(database)
    rows = connection.execute(
        "SELECT kind, type, hidden, body FROM events JOIN runs ON runs.id = run_id ORDER BY kind, type, length(body)"
    ).fetchall()
    connection.close()
    longest = {(kind, type_): (hidden, body) for kind, type_, hidden, body in rows}
    return [
        json.dumps({"kind": kind, "type": type_, "hidden": bool(hidden), "body": body}, ensure_ascii=False)
        for (kind, type_), (hidden, body) in sorted(longest.items())
    ]


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder))
        recorder.record()
        database = recorder.story / "data" / "dramaturg.db"
        neutralised(database)
        for leftover in [*recorder.story.rglob("*.wav"), *recorder.story.rglob("*.db-*")]:
            leftover.unlink()
        shutil.rmtree(target / "story", ignore_errors=True)
        shutil.copytree(recorder.story, target / "story")
        text = json.dumps(recorder.expected, ensure_ascii=False, indent=1).replace(folder, "")
        (target / "expected.json").write_text(text + "\n", encoding="utf-8")
        (target / "events.jsonl").write_text("\n".join(stored_events(database)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
