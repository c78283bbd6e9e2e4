"""Numbers of things in sentences."""

from __future__ import annotations

import pytest

from dramaturg.kernel.text.counts import counted


@pytest.mark.parametrize(
    ("count", "plural", "said"), [(0, "", "0 scenes"), (1, "", "1 scene"), (1200, "", "1,200 scenes"), (2, "x", "2 x")]
)
def test_one_thing_is_no_plural(count: int, plural: str, said: str) -> None:
    assert counted(count, "scene", plural) == said
