"""A server for the studio's stories: an example in a folder of its own, played by the rehearsal company."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "the-apology"


def main(port: str) -> None:
    project = Path(tempfile.mkdtemp(prefix="dramaturg-story-")) / "story"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("data"))
    with (project / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write('\n[voices]\nengine = "hibari"\n')  # the quickest that can be heard
    program = [sys.executable, "-m", "dramaturg", "serve", "--project", str(project), "--port", port]
    os.execve(sys.executable, program, {**os.environ, "DRAMATURG_MODEL": "rehearsal"})


if __name__ == "__main__":
    main(sys.argv[1])
