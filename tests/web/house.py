"""A server for the players' stories: episodes open to guests, everything else behind the host's token."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
TOKEN = "the-token-of-the-host-in-the-stories"
SETTINGS = """
[server]
token_env = "DRAMATURG_TOKEN"
[players]
open = ["the-flirt-test", "closing-time", "the-ferryman"]
embed_origins = ["http://localhost:{next_port}"]
voice = true
per_player = 10000
per_address = 100000
burst = 1000
[voices]
engine = "hibari"
"""


def project_in(folder: Path, port: str) -> Path:
    """The flirt test and the missing ledger, in one house."""
    project = folder / "house"
    shutil.copytree(EXAMPLES / "the-flirt-test", project, ignore=shutil.ignore_patterns("data"))
    shutil.copytree(
        EXAMPLES / "the-missing-ledger",
        project,
        ignore=shutil.ignore_patterns("data", "dramaturg.toml"),
        dirs_exist_ok=True,
    )
    with (project / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write(SETTINGS.format(next_port=int(port) + 1))
    return project


def main(port: str) -> None:
    project = project_in(Path(tempfile.mkdtemp(prefix="dramaturg-house-")), port)
    program = [sys.executable, "-m", "dramaturg", "serve", "--project", str(project), "--port", port]
    os.execve(sys.executable, program, {**os.environ, "DRAMATURG_MODEL": "rehearsal", "DRAMATURG_TOKEN": TOKEN})


if __name__ == "__main__":
    main(sys.argv[1])
