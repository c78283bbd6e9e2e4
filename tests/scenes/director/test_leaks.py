"""A fact in the mouth of one who cannot know it is noticed, and small talk is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.scenes.director.leaks import PrivateFact, suspect_leaks
from tests.scenes.director.samples import dialogues

PROMPT = (
    "The lamp at Gull Rock went dark for an hour, and the boat Patience never came home. Bob, Alice and Corrin talk."
)
FACTS = {
    "lantern": "I saw a woman on the low rocks with a lantern of her own, and the Patience steered for hers.",
    "safe": "The code of the safe is 7741.",
    "name": "Her real name is Evelyn Marsh and she was never in Lisbon.",
    "contract": "Bob hid the unsigned contract in the piano.",
    "friday": "I'm going to leave him on Friday.",
}
UNKNOWN = [PrivateFact(id=key, text=text, source=f"secret of {key}") for key, text in FACTS.items()]
HEALTHY = dialogues("healthy")


def suspected(line: str, *known: str) -> list[str]:
    return [leak.fact for leak in suspect_leaks(line, [PROMPT, *known], UNKNOWN)]


LEAKS = {
    "There was a woman with a lantern out on the rocks, wasn't there?": "lantern",
    "Try 7741.": "safe",
    "Evelyn? I don't know any Evelyn.": "name",
    "And what was she doing in Lisbon?": "name",
    "The contracts are in the piano, aren't they.": "contract",
    "I hear you're going to leave him on Friday.": "friday",
}


@pytest.mark.parametrize("line", LEAKS)
def test_a_leak_is_noticed(line: str) -> None:
    assert suspected(line) == [LEAKS[line]]


@pytest.mark.parametrize(
    "line",
    [
        "I don't know what you want me to do about it.",
        "The lamp went dark, and the Patience is gone.",
        "I'm going to be late on Friday.",
        "Nice piano.",
        "Is it safe to go out on the rocks?",
        "What is her name?",
        "I was never going to leave.",
        "",
    ],
)
def test_small_talk_and_common_knowledge_are_not(line: str) -> None:
    assert suspected(line) == []


def test_what_was_heard_is_no_leak_any_more() -> None:
    assert suspected("So it's Evelyn.", "Her name is Evelyn Marsh.") == []
    assert suspected("You'll leave him on Friday?", "I am going to leave him on Friday, and that's that.") == []


def test_a_leak_shows_the_words_and_where_the_fact_comes_from() -> None:
    (leak,) = suspect_leaks("Is it the piano where you put the contract?", [PROMPT], UNKNOWN)
    assert leak.source == "secret of contract"
    assert leak.words == ("contract", "piano")
    assert leak.likeness == pytest.approx(0.5, abs=0.01)


def test_the_surest_leak_comes_first() -> None:
    leaks = suspect_leaks("Evelyn knows the code of the safe is 7741.", [PROMPT], UNKNOWN)
    assert [leak.fact for leak in leaks] == ["safe", "name"]


def test_a_capital_at_the_head_of_a_sentence_makes_no_name() -> None:
    fact = PrivateFact(id="1", text="Pumpkins grow by the wall.", source="line 3")
    assert suspect_leaks("I like pumpkins.", [], [fact]) == ()


def test_scripts_without_spaces_can_leak_too() -> None:
    fact = PrivateFact(id="1", text="金庫の番号は誰にも言わない", source="secret of kei")
    assert suspect_leaks("金庫の番号は聞いた", [], [fact])
    assert suspect_leaks("今日はいい天気だ", [], [fact]) == ()


def test_lines_of_other_plays_are_never_suspected() -> None:
    """The rate of false alarms: 143 lines against every line of all the other dialogues."""
    for title, lines in HEALTHY.items():
        names = [line.speaker for line in lines]
        unknown = [
            PrivateFact(id=f"{other} {number}", text=line.text, source=other)
            for other, theirs in HEALTHY.items()
            if other != title
            for number, line in enumerate(theirs)
        ]
        for number, line in enumerate(lines):
            known = [*names, *(earlier.text for earlier in lines[:number])]
            assert suspect_leaks(line.text, known, unknown) == (), line.text


TEXTS = st.text(max_size=60) | st.lists(st.sampled_from([*FACTS.values(), PROMPT]), max_size=3).map(" ".join)


@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_nobody_leaks_what_they_were_told_in_so_many_words(line: str, known: list[str]) -> None:
    assert suspect_leaks(line, [*known, *FACTS.values()], UNKNOWN) == ()


@given(st.sampled_from(sorted(FACTS)), st.sampled_from(["", "Listen. ", "They say that: "]))
def test_a_fact_repeated_word_for_word_always_leaks(key: str, before: str) -> None:
    assert key in [leak.fact for leak in suspect_leaks(before + FACTS[key], [], UNKNOWN)]


@given(TEXTS, st.lists(TEXTS, max_size=3), TEXTS)
def test_a_leak_is_well_formed_whatever_is_said(line: str, known: list[str], fact: str) -> None:
    for leak in suspect_leaks(line, known, [PrivateFact(id="1", text=fact, source="line 1")]):
        assert leak.words
        assert 0 < leak.likeness <= 1


ASIDE = PrivateFact(id="line/1", text="The necklace is glass.", source="line 1")


@pytest.mark.parametrize(
    ("line", "leaks"),
    [
        ("So that necklace is made of glass?", True),
        ("It's only glass, your necklace.", True),
        ("What a lovely necklace.", False),
        ("Another glass of wine?", False),
    ],
)
def test_a_near_paraphrase_of_a_short_aside_is_noticed(line: str, leaks: bool) -> None:
    assert bool(suspect_leaks(line, ["A dinner party. Alice wears a necklace."], [ASIDE])) is leaks
