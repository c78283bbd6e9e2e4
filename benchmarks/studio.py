"""What a scene of 1,000 lines costs the studio: folding it, scrolling through it, one more line.

`python -m benchmarks studio` builds the studio and measures in a real browser (`web/bench/`), with Node. Where
CPU is measured, other work on the machine does not count.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.figures import BenchRun, Figure, machine, table

TOOLCHAIN = Path(__file__).resolve().parent.parent / "web" / "toolchain.py"


def figures_in(lines: str) -> tuple[Figure, ...]:
    """The figures that the browser's bench wrote, one on each line."""
    told = (json.loads(line) for line in lines.splitlines())
    return tuple(Figure(one["name"], one["unit"], tuple(one["samples"]), one["wanted"]) for one in told)


def measure() -> tuple[Figure, ...]:
    """Raises SystemExit if nothing could be measured; the toolchain has said why."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures.jsonl"
        env = {**os.environ, "BENCH_FIGURES": str(path)}
        subprocess.run([sys.executable, TOOLCHAIN, "bench"], env=env, check=False, stdout=sys.stderr)
        if not path.is_file():
            raise SystemExit("The studio was not measured.")
        return figures_in(path.read_text(encoding="utf-8"))


def main() -> None:
    before = machine()
    print(table(BenchRun(before, measure())))
