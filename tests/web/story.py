"""A server for the studio's stories: an example in a folder of its own, played by the rehearsal company."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "the-apology"


TOKEN = "the-token-of-the-stories"
"""What the author logs in with, where the server has a token. It opens nothing but the copy of an example."""


def main(port: str, *, token: bool) -> None:
    project = Path(tempfile.mkdtemp(prefix="dramaturg-story-")) / "story"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("data"))
    env = {**os.environ, "DRAMATURG_MODEL": "rehearsal"}
    if token:
        with (project / "dramaturg.toml").open("a", encoding="utf-8") as file:
            file.write('\n[server]\ntoken_env = "STORY_TOKEN"\n')
        env["STORY_TOKEN"] = TOKEN
    program = [sys.executable, "-m", "dramaturg", "serve", "--project", str(project), "--port", port]
    os.execve(sys.executable, program, env)


if __name__ == "__main__":
    main(sys.argv[1], token="--token" in sys.argv)
