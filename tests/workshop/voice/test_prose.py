"""Prose as it is read: paragraphs, speech in the marks of several languages, and who says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.voice.prose import read_prose, words_of


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("“I know,” said Ruth. “Always.”", ["“I know,”", "“Always.”"]),
        ('She said: "No." He left.', ['"No."']),
        ("‘Don’t be silly,’ he said.", ["‘Don’t be silly,’"]),
        ("»Nein«, sagte Karl.", ["»Nein«"]),
        ("„Ja“, sagte er.", ["„Ja“"]),
        ("«Non», dit-elle.", ["«Non»"]),
        ("— Bonjour, dit-il.", ["Bonjour,"]),
        ("—Falta una —dijo Bastián—. La tuya.", ["Falta una", "La tuya."]),
        ("“A speech that goes on", ["“A speech that goes on"]),
        ("The dogs’ dinner was cold.", []),
    ],
)
def test_words_between_the_marks_of_a_language_are_spoken(text: str, spoken: list[str]) -> None:
    (paragraph,) = read_prose(text).paragraphs
    assert [stretch.text for stretch in paragraph.stretches if stretch.is_spoken] == spoken


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("“I know,” said Ruth. “Always.”", ["Ruth", "Ruth"]),
        ("“I know,” Ruth said.", ["Ruth"]),
        ("Ruth said: “No.”", ["Ruth"]),
        ("“I know,” she said.", [""]),
        ("“I know.” The door closed. “Good.”", ["", ""]),
        ("»Nein«, sagte Karl.", ["Karl"]),
        ("“Facts,” said Mr. Bounderby. “Facts!”", ["Bounderby", "Bounderby"]),
        ("“No,” Miss Bates answered.", ["Bates"]),
        ("»Nein«, sagte Frau Dörr.", ["Dörr"]),
        ("“Yes,” said the mate.", [""]),
        ("“Yes.” So said everyone.", [""]),
    ],
)
def test_a_speaker_is_known_where_a_tag_names_them_and_a_pronoun_names_nobody(text: str, speakers: list[str]) -> None:
    (paragraph,) = read_prose(text).paragraphs
    assert [stretch.speaker for stretch in paragraph.stretches if stretch.is_spoken] == speakers


def test_headings_and_scene_breaks_are_no_prose() -> None:
    text = "# One\nIt began.\n\n* * *\n\nIt went on.\n\n---\n\n## Two\n\nIt ended."
    assert [paragraph.text for paragraph in read_prose(text).paragraphs] == ["It began.", "It went on.", "It ended."]


def test_wrapped_lines_are_one_paragraph_and_long_lines_are_paragraphs_of_their_own() -> None:
    assert len(read_prose("one\ntwo\nthree").paragraphs) == 1
    assert len(read_prose(f"{'word ' * 40}\n{'more ' * 40}").paragraphs) == 2


@given(st.text(alphabet="ab .!?\n\"“”‘’'«»—-#*", max_size=300))
def test_no_word_is_lost_or_counted_twice_in_stretches_and_sentences(text: str) -> None:
    prose = read_prose(text)
    for paragraph in prose.paragraphs:
        told = [word for stretch in paragraph.stretches for word in words_of(stretch.text)]
        assert told == words_of(paragraph.text)
        assert [word for one in paragraph.sentences for word in words_of(one)] == words_of(paragraph.text)
