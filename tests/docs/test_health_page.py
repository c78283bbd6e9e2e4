"""What the page on health shows is read by the checks, and its table names every check."""

from __future__ import annotations

import re
from pathlib import Path

from dramaturg.workshop.health.beat_progress import BANDS
from dramaturg.workshop.health.checks import CHECKS
from dramaturg.workshop.health.waivers import read_waivers
from tests.workshop.graph.stories import write
from tests.workshop.health.shelf import read_book

PAGE = (Path(__file__).parents[2] / "docs" / "health.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_table_has_every_check_and_the_bands() -> None:
    rows = re.findall(r"^\| ([A-Z]\d) ", PAGE, re.MULTILINE)
    assert rows == [one.code for one in CHECKS]
    for band in BANDS:
        assert f"({band.beat}) {band.low * 100:.0f} to {band.high * 100:.0f}%" in PAGE


def test_the_front_matter_of_the_page_is_read_in_every_field(tmp_path: Path) -> None:
    write(tmp_path, "manuscript/ch04-sc01.md", f"---\n{BLOCKS[0]}---\nThe rope came up light.\n")
    record = read_book(tmp_path).records[0]
    assert record.tension is not None
    assert record.beat is not None
    assert record.time is not None
    assert record.challenge is not None
    assert record.resonance is not None
    assert (record.tension.value, record.beat.value, record.time.value) == (8.0, "Midpoint", "1871-09-08")
    assert (record.challenge.value, record.resonance.value, record.kind) == (True, 7.0, "flashback")
    assert [len(held) for held in (record.cast, record.places, record.symbols, record.objects)] == [2, 1, 1, 1]


def test_the_waivers_of_the_page_are_read(tmp_path: Path) -> None:
    write(tmp_path, "story-bible/waivers.yaml", BLOCKS[1])
    waivers, problems = read_waivers(tmp_path)
    assert (problems, [one.check for one in waivers]) == ((), ["A1_pacing_plateau", "A3_timeline"])
