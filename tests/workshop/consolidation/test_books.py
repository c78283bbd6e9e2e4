"""Four short books with planted contradictions and innocent look-alikes: the counts are those of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.contradictions import NAMES, READERS, read

PAGE = Path(__file__).parents[3] / "docs" / "continuity.md"


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", NAMES)
async def test_a_book_is_read_as_the_page_says(name: str, reader: str) -> None:
    found = await read(name, reader)
    planted, refused = len(found.caught) + len(found.missed), sum(found.counts.refused.values())
    row = (name, found.words, reader, found.counts.added, refused, planted)
    row = (*row, len(found.caught), found.innocent, len(found.false))
    assert f"| {' | '.join(map(str, row))} |" in PAGE.read_text(encoding="utf-8")
