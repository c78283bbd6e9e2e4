"""The prose that a prompt shows, and what it leaves to be asked for."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.workshop.foreman.scene_passage import paragraphs_from, paragraphs_of, scene_passage

LONG = [f"Paragraph {n}. The rain went on over the harbour and nobody spoke for a while." for n in range(1, 61)]
LONG[29] = "Marcus put the photograph on the bench & turned it <over>, so that the boy looked at the planks."


def test_a_scene_that_fits_is_shown_whole_and_as_it_stands() -> None:
    prose = "“No,” she said.\n\nHe left; the tide & the <dark> came in."
    told = scene_passage("manuscript/ch01-sc01.md", prose, "What did she say?", 200)
    assert told is not None
    assert told.is_whole
    assert (ET.fromstring(told.xml()).text or "").strip() == prose


def test_of_a_long_scene_the_passage_that_was_spoken_of_is_shown_with_its_neighbours_in_brief() -> None:
    told = scene_passage("manuscript/ch01-sc01.md", "\n\n".join(LONG), "Cut the photograph from that moment.", 400)
    assert told is not None
    assert LONG[29] in told.paragraphs
    assert told.first <= 30 <= told.last
    assert told.of == 60
    assert "words)" in told.before
    assert LONG[told.last].partition(".")[0] in told.after
    assert estimate_tokens(told.xml()) <= 440


def test_without_a_word_about_it_the_end_is_shown_where_the_writing_goes_on() -> None:
    told = scene_passage("f.md", "\n\n".join(LONG), "", 300)
    assert told is not None
    assert told.last == 60


def test_a_paragraph_of_sixty_thousand_words_is_shown_from_the_sentence_that_was_meant() -> None:
    sentences = [f"Sentence number {n} of the monologue went by." for n in range(8000)]
    sentences[5000] = "Then the photograph fell."
    told = scene_passage("f.md", " ".join(sentences), "the photograph", 300)
    assert told is not None
    assert "Then the photograph fell." in told.paragraphs[0]
    assert estimate_tokens(told.xml()) <= 340


@given(st.lists(st.text(max_size=300), max_size=30), st.text(max_size=60), st.integers(60, 600))
def test_any_scene_keeps_its_budget_and_its_words(parts: list[str], about: str, budget: int) -> None:
    prose = "\n\n".join(parts)
    told = scene_passage("f.md", prose, about, budget)
    if told is None:
        assert not paragraphs_of(prose)
        return
    assert sum(map(estimate_tokens, told.paragraphs)) <= budget
    assert 1 <= told.first <= told.last <= told.of == len(paragraphs_of(prose))
    assert all(
        one.removeprefix("… ").removesuffix("…").strip() in " ".join(prose.split()) or one in prose
        for one in told.paragraphs
    )


def test_paragraphs_are_read_by_number_until_the_budget_is_spent() -> None:
    assert paragraphs_from(LONG, 3, 5, 1000) == LONG[2:5]
    assert 0 < len(paragraphs_from(LONG, 1, None, 100)) < 10
