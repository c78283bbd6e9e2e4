"""How much of the hostile material is tried: a sample in `make test`, all of it in `make test-hostile`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

LONG = os.environ.get("DRAMATURG_HOSTILE") == "long"


def sample(items: Iterable[T], share: int) -> list[T]:
    """One in `share` of the items, or all of them."""
    return list(items)[:: 1 if LONG else share]
