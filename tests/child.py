"""What a process that a test starts may know of ours."""

from __future__ import annotations

import os
from pathlib import Path

MEASURED = ("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG", "COV_CORE_SOURCE", "COV_CORE_CONFIG")
KEPT = ("PATH", "PYTHONPATH", *MEASURED)


def clean_environment(home: Path | None = None, **more: str) -> dict[str, str]:
    """The environment of a machine without keys or settings of ours; the code under test and coverage stay the same."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    if "PYTHONPATH" in more and "PYTHONPATH" in kept:
        more["PYTHONPATH"] += os.pathsep + kept["PYTHONPATH"]
    return kept | ({"HOME": str(home)} if home else {}) | more


def uncounted(environment: dict[str, str]) -> dict[str, str]:
    """The same for a process whose lines coverage does not count: one that forks, or has much to do."""
    return {name: value for name, value in environment.items() if name not in MEASURED}
