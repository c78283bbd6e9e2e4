"""How much of the hostile material is tried: a sample in `.ci/run`, most of it in `make test-hostile`.

`make test` leaves out the suites of `tests/thorough.py`, which are most of those that take a sample.

`DRAMATURG_HOSTILE=all` tries every pair of reader and text at every size, which takes hours.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

EVERYTHING = os.environ.get("DRAMATURG_HOSTILE") == "all"
LONG = EVERYTHING or os.environ.get("DRAMATURG_HOSTILE") == "long"


def sample(items: Iterable[T], share: int) -> list[T]:
    """One in `share` of the items, or all of them."""
    return list(items)[:: 1 if LONG else share]
