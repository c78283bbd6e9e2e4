"""Macros of cards, spoken."""

from __future__ import annotations

import pytest

from dramaturg.characters.tavern.macros import MacroContext, card_prompt, expand_macros, has_macros, macros_in

SPEECH = MacroContext("Mara", "Ann", seed="chat", turn=3, original="OURS")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{char}} and {{user}}", "Mara and Ann"),
        ("{{ CHAR }} and {{User}}", "Mara and Ann"),
        ("<BOT> and <user>", "Mara and Ann"),
        ("<user>a tag</user>", "<user>a tag</user>"),
        ("a{{// a note }}b{{comment: c}}c", "abc"),
        ("a{{hidden_key: ferry}}b", "ab"),
        ("{{reverse:abc}}", "cba"),
        ("{{reverse:{{char}}}}", "araM"),
        ("{{original}}, then {{original}}", "OURS, then "),
        ("{{time}} {{", "{{time}} {{"),
        ("}} {{char", "}} {{char"),
        ("{{char:x}} {{}}", "{{char:x}} {{}}"),
        ("{{roll:d0}} {{roll:x}} {{roll:999d6}}", "{{roll:d0}} {{roll:x}} {{roll:999d6}}"),
        ("{{roll:1}} {{roll:d1}} {{roll: 3d1}}", "1 1 3"),
        ("{{roll:2d1+3}} {{roll: d1 - 1}} {{roll:6+1}}", "5 0 {{roll:6+1}}"),
        ("{{random:only}} {{pick:only}}", "only only"),
        ("{{random:a\\,b}}", "a,b"),
        ("{{random}}", "{{random}}"),
        ("no macro", "no macro"),
    ],
)
def test_a_macro_is_spoken_or_stays_as_it_is(text: str, said: str) -> None:
    assert expand_macros(text, SPEECH) == said


def test_a_choice_is_one_of_its_choices_and_the_same_at_the_same_turn() -> None:
    text = "{{random:a,b,c,d,e,f,g,h}} {{random::i,j::k}} {{roll:20}}"
    assert expand_macros(text, SPEECH) == expand_macros(text, SPEECH)
    spoken = {expand_macros(text, MacroContext("Mara", "Ann", "chat", turn)) for turn in range(40)}
    assert len(spoken) > 10
    for one in spoken:
        letter, second, roll = one.split(" ")
        assert letter in "abcdefgh"
        assert second in ("i,j", "k")
        assert 1 <= int(roll) <= 20


def test_a_pick_stays_for_the_whole_chat_and_a_random_choice_does_not() -> None:
    picks = {expand_macros("{{pick:a,b,c,d,e,f}}", MacroContext("Mara", "Ann", "chat", turn)) for turn in range(30)}
    assert len(picks) == 1
    other_chats = {expand_macros("{{pick:a,b,c,d,e,f}}", MacroContext("Mara", "Ann", f"chat {n}")) for n in range(30)}
    assert len(other_chats) > 1


def test_what_a_macro_brings_in_is_not_read_again() -> None:
    smuggler = MacroContext("Mara", "{{original}}, {{char}}", original="secret")
    assert expand_macros("Hello {{user}}", smuggler) == "Hello {{original}}, {{char}}"
    assert expand_macros("{{random:{{user}}}}", smuggler) == "{{original}}, {{char}}"


def test_a_prompt_of_the_card_is_taken_and_ours_where_it_has_none() -> None:
    assert card_prompt("Be {{char}}. {{original}}", SPEECH) == "Be Mara. OURS"
    assert card_prompt(" \n", SPEECH) == "OURS"


def test_hidden_keys_are_for_those_who_look_for_keys() -> None:
    assert expand_macros("a {{hidden_key:ferry}}", MacroContext("Mara", hidden_keys=True)) == "a ferry"


def test_the_macros_of_a_text_are_named() -> None:
    assert macros_in("{{Char}} {{ time }} {{// x}} {{random::a::b}}") == {"char", "time", "//", "random"}
    assert has_macros("<BOT>")
    assert not has_macros("<user>x</user> {{time}}")
