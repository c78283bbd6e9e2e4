"""The parts of a message that are spoken: who says them, and that an answer on its way is cut as the whole is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.episodes.spoken_lines import MessageCutter, spoken_parts

SAID = [
    (
        '*She wipes a glass*\n"You took your time, my friend. Sit down."',
        ["You took your time, my friend.", "Sit down."],
    ),
    ("*She smiles.* Hello there, friend. I *really* mean it.", ["Hello there, friend. I really mean it."]),
    ("Well, *sighs* fine. Have it your way, then.", ["Well, fine. Have it your way, then."]),
    ('"Come in," she said, "and sit down with us." He sat.', ["Come in, and sit down with us."]),
    ('I heard the "truth" is out. Come here, my friend.', ['I heard the "truth" is out.', "Come here, my friend."]),
    ('"He said "no" to me, and that was it."', ['He said "no" to me, and that was it.']),
    ("„Komm herein“, sagte sie. „Setz dich zu mir.“", ["Komm herein. Setz dich zu mir."]),
    ("»Komm herein«, sagte sie.", ["Komm herein"]),
    ("« Entrez », dit-elle.", ["Entrez"]),
    ("Mr. Hale came at 3.5 miles an hour. He was late.", ["Mr. Hale came at 3.5 miles an hour.", "He was late."]),
    ("*nods*", []),
    ("(OOC: I am typing) ...", []),
    ("**Never** do that again, do you hear?", ["Never do that again, do you hear?"]),
    ("* one\n* two", ["one. two"]),
    ("*She never closes this", []),
    ('"First paragraph of many words.\n\nSecond paragraph, still hers."', None),
    ("", []),
]


@pytest.mark.parametrize(("text", "parts"), SAID)
def test_only_what_the_character_says_is_spoken(text: str, parts: list[str] | None) -> None:
    found = spoken_parts(text)
    assert all(part.manner == "speech" for part in found)
    expected = parts if parts is not None else ["First paragraph of many words.", "Second paragraph, still hers."]
    assert [part.text for part in found] == expected


def test_narration_is_spoken_apart_if_somebody_narrates() -> None:
    found = spoken_parts('*She wipes a glass.* "Sit down." She points at a chair.', narrates=True)
    assert [(part.manner, part.text) for part in found] == [
        ("narration", "She wipes a glass."),
        ("speech", "Sit down."),
        ("narration", "She points at a chair."),
    ]


def test_in_prose_words_before_the_first_quotation_are_told() -> None:
    text = 'The rain fell on the roof all night. "Come in," she said.'
    assert [part.text for part in spoken_parts(text, prose=True)] == ["Come in,"]


def test_a_whole_message_is_one_part() -> None:
    text = '*waits* "One sentence of a fair length. Another one of that length."\n"And a third on its own line."'
    assert [part.text for part in spoken_parts(text, whole=True)] == [
        "One sentence of a fair length. Another one of that length. And a third on its own line."
    ]


LETTERS = st.lists(
    st.sampled_from(
        [*"*\"“”„«»\n 。'—()ß", ". ", "Hello", "he waits", "I", "! ", "Dr.", "...", "sighs", "\n\n", "**", "? ", "3.5"]
    ),
    max_size=40,
).map("".join)


@given(LETTERS, st.lists(st.integers(1, 6), max_size=80), st.booleans(), st.booleans())
def test_an_answer_on_its_way_is_cut_as_the_whole_is(text: str, chunks: list[int], prose: bool, narrates: bool) -> None:
    cutter, found, start = MessageCutter(prose=prose, narrates=narrates), [], 0
    for size in chunks:
        found += cutter.feed(text[start : start + size])
        start += size
    found += [*cutter.feed(text[start:]), *cutter.close()]
    assert found == spoken_parts(text, prose=prose, narrates=narrates)


def test_a_sentence_is_ready_when_the_next_one_begins() -> None:
    cutter = MessageCutter()
    assert cutter.feed('*She looks up.*\n"You took your time, my friend.') == []
    assert [part.text for part in cutter.feed(" S")] == ["You took your time, my friend."]
