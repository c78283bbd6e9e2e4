"""What is wrong with a line a small model wrote."""

from __future__ import annotations

import pytest

from dramaturg.scenes.flaws import MOST_WORDS, flaw_in, in_sentences

CAST = ("Alice", "Bob", "Old Tom")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I know.", "I know."),
        ("I know —", "I know."),
        ("One. Two. Three. Four. Five.", "One. Two. Three."),
        ("It costs 3.50. Mr. Haddad pays.", "It costs 3.50. Mr. Haddad pays."),
        ("Where were you? Who saw you? I waited.", "Where were you? I waited."),
        ("どこにいた？誰と？待っていた。", "どこにいた？ 待っていた。"),
        ("", ""),
    ],
)
def test_a_line_is_a_few_sentences_with_one_question(text: str, words: str) -> None:
    assert in_sentences(text) == words


def test_an_answer_that_was_broken_off_loses_its_unfinished_end() -> None:
    assert in_sentences("I know. I was only", broken_off=True) == "I know."
    assert in_sentences("I was only", broken_off=True) == ""
    assert in_sentences("I know.", broken_off=True) == "I know."


def test_a_line_ends_before_it_becomes_a_speech() -> None:
    long = "I have thought about this for a very long time and come to no end of it at all today"
    assert len(in_sentences(f"{long}. {long}. {long}. {long}.").split()) <= MOST_WORDS


@pytest.mark.parametrize(
    ("words", "flaw"),
    [
        ("I know, Bob, and so does Henderson.", ""),
        ("Then come on Monday. God knows I will be here.", ""),
        ("...", "empty"),
        ("[TONE: sad] I know.", "not speech"),
        ("She said nothing.", "not speech"),
        ("The sheriff says nothing.", "not speech"),
        ("Read http://example.com.", "not speech"),
        ("As an AI I have no feelings.", "speaks as a machine"),
        ("Let me know if there is anything else I can assist you with.", "speaks as a machine"),
        ("I know. Bob: What?", "speaks for Bob"),
        ("I know. Old Tom (angry): What?", "speaks for Old Tom"),
        ("You know me, I am Alice.", ""),
        ("I told Emily about it.", ""),
        ("The shadow is a tumour.", ""),
        ("Der Ofen und das Geld sind weg.", ""),
        ("Alice, you must believe me.", "speaks to itself"),
        ("You must believe me, Alice.", "speaks to itself"),
        ("I know. I know.", "repeats itself"),
        ("You never told me that the lamp was broken at all.", "repeats what was said"),
        ("word " * 70, "too long"),
    ],
)
def test_every_flaw_has_a_name(words: str, flaw: str) -> None:
    said = ["You never told me that the lamp was broken."]
    assert flaw_in(words, "Alice", CAST, said) == flaw
