"""docs/glossary.md holds the words of the domain: few, each once, each with a place that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "dramaturg"
GLOSSARY = ROOT / "docs" / "glossary.md"

MOST_ROWS = 150
PLACE = re.compile(r"`([a-z_0-9]+(?:/[a-z_0-9]+)*(?:/|\.py))`")

# Where two sources use one word for two things, or two words for one, this is what we decided to say.
SETTLED = """
beat, story beat, turn, round, director, moderator, voice, narrative voice, voice bundle, run, card, cast, slot, cue,
response, interruption, gesture, world event, note, verdict, evaluation, suggestion, scaffold, variant, work order,
decision, fact
"""


def rows() -> list[list[str]]:
    lines = (line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("| "))
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return [row for row in cells if row[0] not in ("word", "---")]


def words() -> list[str]:
    return [word.strip().lower() for row in rows() for word in row[0].split(",")]


def test_there_are_few_enough_to_read() -> None:
    assert 0 < len(rows()) < MOST_ROWS


def test_every_word_has_one_row() -> None:
    twice = sorted({word for word in words() if words().count(word) > 1})
    assert not twice, f"more than one row in docs/glossary.md for: {', '.join(twice)}"


@pytest.mark.parametrize("word", [word.strip() for word in SETTLED.split(",")])
def test_a_word_whose_meaning_had_to_be_settled_has_a_row(word: str) -> None:
    assert word in words()


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_every_row_says_what_the_word_means_and_where_it_lives(row: list[str]) -> None:
    assert len(row) == 3
    assert all(row)
    places = PLACE.findall(row[2])
    assert places, f"{row[0]}: name a folder or a module below src/dramaturg/"
    for place in places:
        assert (SOURCE / place).exists(), f"there is no {place}"
