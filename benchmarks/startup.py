"""How long a command takes before the story begins, beside an interpreter that does nothing.

CPU seconds of the whole process, the least of several tries; the ratio is to `python -c pass`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TRIES = 7


def cpu(*words: str, cwd: str | None = None) -> float:
    """User and system seconds of one process."""
    before = os.times()
    subprocess.run([sys.executable, *words], check=True, cwd=cwd, capture_output=True)
    after = os.times()
    return (after.children_user - before.children_user) + (after.children_system - before.children_system)


def least(*words: str, cwd: str | None = None) -> float:
    return min(cpu(*words, cwd=cwd) for _ in range(TRIES))


def main() -> None:
    floor = least("-c", "pass")
    with tempfile.TemporaryDirectory() as folder:
        story = str(Path(folder) / "story")
        subprocess.run([sys.executable, "-m", "dramaturg", "new", story], check=True, capture_output=True)
        scene = ("-m", "dramaturg", "scene", "run", "the-second-signature", "--model", "rehearsal", "--quiet")
        first = cpu(*scene, cwd=story)
        rows = [
            ("python -c pass", floor),
            ("dramaturg --help", least("-m", "dramaturg", "--help")),
            ("dramaturg runs list", least("-m", "dramaturg", "runs", "list", cwd=story)),
            ("a whole scene by the company, first run", first),
            ("a whole scene by the company, later runs", least(*scene, cwd=story)),
        ]
    print("| what | CPU s | × floor |\n|---|--:|--:|")
    for what, seconds in rows:
        print(f"| {what} | {seconds:.2f} | {seconds / floor:.1f} |")
