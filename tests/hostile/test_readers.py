"""Every reader of a model's text: its work grows in proportion to the text, and it raises nothing of its own."""

from __future__ import annotations

import zlib
from itertools import pairwise

import pytest

from tests.hostile.meter import metered
from tests.hostile.readers import READERS
from tests.hostile.scale import EVERYTHING, LONG
from tests.hostile.texts import SIZES, TEXTS, composed

SHARES = (1, 1) if EVERYTHING else (1, 8) if LONG else (100, 800)
"""Of the pairs of reader and text, one in so many is tried: up to 20 kB, and at 200 kB. Trying all takes hours."""
GROWTH, SLACK = 13, 3_000
"""Ten times the text may cost ten times the work, and a little more for what is done once."""
CEILING = 400
"""The most steps for one character."""


def work(reader: str, text: str) -> int:
    with metered(CEILING * len(text) + 100_000) as meter:
        READERS[reader](text)
    return meter.work


def tried(reader: str, text: str, size: int) -> bool:
    share = SHARES[size == SIZES[-1]]
    return zlib.crc32(f"{reader}/{text}".encode()) % share == 0


@pytest.mark.parametrize("reader", READERS)
def test_ten_times_the_text_is_ten_times_the_work(reader: str) -> None:
    READERS[reader]("warm up")
    for name, text in TEXTS.items():
        for small, large in pairwise(SIZES):
            if tried(reader, name, large):
                before, after = work(reader, text(small)), work(reader, text(large))
                assert after <= GROWTH * before + SLACK, f"{reader}: {name}, {small}: {before}, {large}: {after}"


@pytest.mark.parametrize("reader", READERS)
def test_no_text_makes_a_reader_raise(reader: str) -> None:
    for name, text in TEXTS.items():
        if tried(reader, name, SIZES[0]):
            READERS[reader](text(SIZES[0]))
    for seed in range(1000 if LONG else 5):
        READERS[reader](composed(seed, SIZES[0]))


SEEN = {
    "a fence and newlines": "```" + "\n" * 1600,
    "a brace and spaces": "{" + " " * 4000,
    "quotes": '"' * 4000,
    "dashes": "- " * 2000,
    "an angle and spaces": "<" + " " * 4000,
    "tags": "<key>" * 800,
    "objects": '{"a":' * 3000,
    "brackets": "[" * 5000,
}


@pytest.mark.parametrize("text", SEEN)
def test_what_once_stopped_the_house_is_read_in_proportion(text: str) -> None:
    for reader in READERS:
        READERS[reader]("warm up")
        assert work(reader, SEEN[text]) <= CEILING * len(SEEN[text]) + 100_000, reader
