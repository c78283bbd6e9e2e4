"""What models really send, cut into pieces in four ways: shown as it should be, and kept as it was shown."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable

import pytest

from dramaturg.episodes.answer_stream import AnswerReader
from tests.episodes.nasty_streams import SECRET, STREAMS


def at_random(text: str) -> list[str]:
    rng, pieces = random.Random(zlib.crc32(text.encode())), []
    while text:
        size = rng.choice((1, 2, 3, 5, 8, 40))
        pieces.append(text[:size])
        text = text[size:]
    return pieces


CUTS: dict[str, Callable[[str], list[str]]] = {
    "whole": lambda text: [text],
    "by character": list,
    "at random": at_random,
    "by token": lambda text: re.findall(r"\s?\w{1,6}|\s|[^\w\s]{1,3}", text),
}


def test_there_are_at_least_150_streams() -> None:
    assert len(STREAMS) >= 150


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", STREAMS)
def test_what_is_shown_is_what_is_kept_and_nothing_else(name: str, cut: str) -> None:
    text, expected = STREAMS[name]
    pieces = CUTS[cut](text)
    assert "".join(pieces) == text
    reader = AnswerReader()
    shown = "".join(reader.feed(piece) for piece in pieces) + reader.close()
    assert shown == expected
    assert reader.content == shown
    kept = reader.answer
    assert SECRET not in f"{shown} {kept.dialogue} {kept.action}"
    assert kept.is_empty == (not shown.strip())
