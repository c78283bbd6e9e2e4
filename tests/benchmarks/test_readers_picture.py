"""The picture of how long readers take: every reader is in it."""

from __future__ import annotations

from benchmarks.readers import SIZES, drawn
from tests.hostile.readers import READERS


def test_every_reader_has_a_line_in_the_picture() -> None:
    picture = drawn({name: [size * 1e-6 for size in SIZES] for name in READERS})
    assert picture.count("<polyline") == len(READERS) > 70
    assert all(f"<title>{name}</title>" in picture for name in READERS)
