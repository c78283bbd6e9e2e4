"""Rows of a form in other shapes than `Dialogue: …`, read by the character and in whole answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.episodes.answer_names import AnswerNames
from dramaturg.episodes.answer_stream import AnswerReader, shown_text
from dramaturg.model_notes.form_rows import FormRows, with_labels
from dramaturg.scenes.response import parse_response
from tests.model_notes.forms import CAST, FORMS, HONEST_ROWS

NAMES = AnswerNames(CAST[0], CAST[1], CAST[2:])
ROWS = st.sampled_from(
    [
        *HONEST_ROWS,
        "1. Dialogue: Sit.",
        "[internal] x",
        "| a | b |",
        "|---|",
        "| dialogue | x |",
        "Trust: 4/10",
        "🗣️ Sit.",
        "Alternatively:",
        "",
        "---",
    ]
)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_player_is_shown_the_words_of_a_form_and_no_more(name: str, size: int) -> None:
    answer, shown = FORMS[name]
    reader = AnswerReader(NAMES)
    said = "".join(reader.feed(answer[at : at + size]) for at in range(0, len(answer), size)) + reader.close()
    assert said.strip() == shown


@pytest.mark.parametrize("name", FORMS)
def test_a_scene_has_the_words_of_a_form_and_no_more(name: str) -> None:
    answer, shown = FORMS[name]
    line, _ = parse_response(answer, me=CAST[0], cast=CAST)
    assert line.content == "Sit down."
    assert (line.nonverbal or "") == ("nods" if "nods" in shown else "")


@pytest.mark.parametrize("words", HONEST_ROWS)
def test_words_that_look_like_a_form_stay_as_they_are(words: str) -> None:
    assert shown_text(words, NAMES) == words
    assert with_labels(words) == words


@given(st.lists(ROWS, max_size=6))
def test_a_whole_text_is_changed_as_it_is_by_the_character_but_for_breaks_at_its_end(rows: list[str]) -> None:
    text, kept = "\n".join(rows), []
    by_character = FormRows(kept.append)
    for char in text:
        by_character.hear(char)
    by_character.end()
    assert with_labels(text).rstrip("\n") == "".join(kept).rstrip("\n")


def test_a_table_that_is_cut_off_is_shown_as_far_as_it_came() -> None:
    assert with_labels("Look:\n| Ship | Crew |\n|---|") == "Look:\n| Ship | Crew |\n|---|"


def test_rows_above_another_version_are_kept_whether_the_text_comes_whole_or_in_parts() -> None:
    rows = "Nobody talks.\n| a | b |\nAlternatively:\nSECRET"
    assert with_labels(rows).rstrip("\n") == shown_text(rows).rstrip("\n") == "Nobody talks.\n| a | b |"
