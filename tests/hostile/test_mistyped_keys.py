"""Hidden keys stay hidden with up to three characters mistyped; visible ones are still shown with one or two."""

from __future__ import annotations

import json
import os
import random
from itertools import product

import pytest

from dramaturg.episodes.answer_keys import distance, visible_key
from dramaturg.episodes.answer_stream import AnswerReader

SECRET = "QZXJ"
HIDDEN = ("internal", "plan", "note")
TYPED = "abcdefghijklmnopqrstuvwxyz_"
MARKS = "\"{}:,\n'\\ aei"
MANY = 60_000 if os.environ.get("DRAMATURG_HOSTILE") else 400


def typos(word: str, letters: str) -> set[str]:
    """Every way to mistype one character: left out, exchanged, replaced, added."""
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    left_out = {head + tail[1:] for head, tail in parts if tail}
    exchanged = {head + tail[1] + tail[0] + tail[2:] for head, tail in parts if len(tail) > 1}
    replaced = {head + letter + tail[1:] for (head, tail), letter in product(parts, letters) if tail}
    added = {head + letter + tail for (head, tail), letter in product(parts, letters)}
    return left_out | exchanged | replaced | added


def seen(text: str) -> str:
    reader = AnswerReader()
    streamed = "".join(reader.feed(char) for char in text) + reader.close()
    return "\n".join((streamed, reader.content, reader.answer.dialogue, reader.answer.action))


@pytest.mark.parametrize("key", HIDDEN)
def test_a_hidden_key_is_no_visible_one_with_one_or_two_typos(key: str) -> None:
    for once in typos(key, TYPED):
        assert visible_key(once) is None
        assert not [twice for twice in typos(once, "aeinotc_") if visible_key(twice)]


@pytest.mark.parametrize("key", HIDDEN)
def test_nor_with_three(key: str) -> None:
    rng = random.Random(key)
    for _ in range(MANY):
        typed = key
        for _ in range(3):
            typed = rng.choice(sorted(typos(typed, "aeinotcdlg")))
        assert visible_key(typed) is None, typed


@pytest.mark.parametrize("key", ["dialogue", "action", "speech"])
def test_a_visible_key_with_one_typo_is_shown(key: str) -> None:
    for typed in typos(key, TYPED):
        assert visible_key(typed), typed
        assert "Sit." in seen(json.dumps({typed: "Sit."}))


def test_and_with_two_unless_it_could_be_a_hidden_one() -> None:
    rng = random.Random(1)
    for _ in range(MANY):
        key = rng.choice(["dialogue", "action"])
        typed = rng.choice(sorted(typos(rng.choice(sorted(typos(key, TYPED))), TYPED)))
        if all(distance(typed, hidden) > 3 for hidden in (*HIDDEN, "tension", "reason")):
            assert visible_key(typed), typed


def mistyped(rng: random.Random, text: str, low: int, high: int) -> str:
    at, letter = rng.randrange(low, high), rng.choice(MARKS)
    return rng.choice(
        (
            text[:at] + text[at + 1 :],
            text[:at] + letter + text[at + 1 :],
            text[:at] + letter + text[at:],
            text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :],
        )
    )


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("indent", [None, 1])
def test_no_typo_in_a_key_and_its_marks_shows_what_stands_under_it(number: int, indent: int | None) -> None:
    rng = random.Random(number)
    for _ in range(MANY):
        key = rng.choice(HIDDEN)
        line = rng.choice(["Hi there, friend.", 'You said: "no". Fine.', "Well: yes", "Go."])
        values = {"action": "She nods, once", "dialogue": line, key: f"{SECRET} {SECRET}", "mood": "dry"}
        text = json.dumps({one: values[one] for one in rng.sample(sorted(values), len(values))}, indent=indent)
        start = text.index(f'"{key}"')
        for _ in range(number):
            text = mistyped(rng, text, start, start + len(key) + 3)
        assert SECRET not in seen(text), text


@pytest.mark.parametrize("number", [1, 2])
def test_nor_any_two_typos_anywhere(number: int) -> None:
    rng = random.Random(number)
    for _ in range(MANY):
        key = rng.choice(HIDDEN)
        values = {"action": "She nods, once", "dialogue": "Hi there, friend.", key: f"{SECRET} {SECRET}", "mood": "dry"}
        text = json.dumps({one: values[one] for one in rng.sample(sorted(values), len(values))})
        for _ in range(number):
            text = mistyped(rng, text, 0, len(text))
        assert SECRET not in seen(text), text


@pytest.mark.parametrize("key", HIDDEN)
def test_nothing_nested_under_a_mistyped_hidden_key_is_shown(key: str) -> None:
    for typed in typos(key, TYPED):
        text = json.dumps({typed: {"dialogue": SECRET, "more": [{"action": SECRET}]}, "dialogue": "Sit."})
        assert SECRET not in seen(text), typed
