"""Runs the tests beside each other; what failed there is tried once more, alone, and named if it passes.

`python -m tests.suite` takes the options of pytest. A test that passes only alone is unsteady: the run succeeds and
says which one it was, since the defect may as well be in what it tests.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

MOST_AGAIN = 5
"""More failures than that are no accident, and nothing is tried again."""
FAILED = 1
"""Pytest's exit code for tests that failed."""
BESIDE_EACH_OTHER = ("-n", "3", "--dist", "worksteal")
ALONE = ("-n", "0", "--last-failed", "--last-failed-no-failures", "none", "--no-cov")


def main(options: Sequence[str], root: Path, pytest: Callable[..., int]) -> int:
    """The exit code of the last run; `pytest` runs it with the options that it is given."""
    remembered = root / ".pytest_cache" / "v" / "cache" / "lastfailed"
    remembered.unlink(missing_ok=True)
    code = pytest(*BESIDE_EACH_OTHER, *options)
    if code != FAILED or not remembered.exists():
        return code
    failed = list(json.loads(remembered.read_text(encoding="utf-8")))
    if len(failed) > MOST_AGAIN:
        return code
    print(f"\nTried once more, alone: {len(failed)} of the tests failed beside the others.", flush=True)
    code = pytest(*ALONE)
    if code == 0:
        print("\nUnsteady (failed beside the others, passed alone; mend the test or what it tests):")
        print("\n".join(f"  {name}" for name in failed), flush=True)
    return code


def _pytest(root: Path, *options: str) -> int:
    return subprocess.call([sys.executable, "-m", "pytest", *options], cwd=root)


if __name__ == "__main__":
    here = Path(__file__).parents[1]
    sys.exit(main(sys.argv[1:], here, partial(_pytest, here)))
