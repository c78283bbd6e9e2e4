"""A server for the stories of a book: a short novel with its plan, its promises and nine scenes, played by nobody."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

NOVEL = Path(__file__).parents[2] / "examples" / "the-harbour-books" / "the-weighing-house"
UNWRITTEN = "manuscript/ch03-sc03.md"
"""The last scene is planned only, so that a draft of it can become the scene."""


def project_in(folder: Path) -> Path:
    """The first of the harbour books, without its series and its last scene."""
    project = folder / NOVEL.name
    shutil.copytree(NOVEL, project, ignore=shutil.ignore_patterns("data"))
    (project / UNWRITTEN).unlink()
    settings = project / "dramaturg.toml"
    kept = [line for line in settings.read_text("utf-8").splitlines() if not line.startswith("series")]
    settings.write_text("\n".join(kept) + "\n", encoding="utf-8")
    return project


def main(port: str) -> None:
    project = project_in(Path(tempfile.mkdtemp(prefix="dramaturg-novel-")))
    program = [sys.executable, "-m", "dramaturg", "serve", "--project", str(project), "--port", port]
    os.execve(sys.executable, program, {**os.environ, "DRAMATURG_MODEL": "rehearsal"})


if __name__ == "__main__":
    main(sys.argv[1])
