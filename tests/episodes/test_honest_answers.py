"""Words that stand beside a form, in a list or a bracket, and only look like something hidden: they are shown."""

from __future__ import annotations

import pytest

from dramaturg.episodes.answer_stream import AnswerReader, shown_text
from dramaturg.kernel.reasoning import without_reasoning

LISTED = {
    "a colon after a word": (
        '{"dialogue": ["Attends : il vient.", "Cours !"], "mood": "x"}',
        '"Attends : il vient." "Cours !"',
    ),
    "an action among hidden items": ('{"dialogue": "Hi", "plan": ["Action: poison his tea", "leave"]}', '"Hi"'),
    "a list that is never closed": ('{"plan": ["lie", "dialogue": "Hi"}', '"Hi"'),
    "a bare key after such a list": ('{"plan": ["lie", dialogue: "Hi"}', '"Hi"'),
    "an item that was cut off": ('{"dialogue": ["Hello there.", "Bye', '"Hello there." "Bye"'),
    "the first item cut off": ('{"dialogue": ["Hel', '"Hel"'),
    "a hidden item that was cut off": ('{"dialogue": "Hi", "plan": ["poi', '"Hi"'),
}

SPOKEN = {
    "a plan in German": (
        "Dialogue: Ich sage es dir.\nMein Plan: wir gehen.",
        '"Ich sage es dir.\nMein Plan: wir gehen."',
    ),
    "a plan in the first row": ("Dialogue: Mein Plan: wir gehen.", '"Mein Plan: wir gehen."'),
    "a request to note something": ("Dialogue: Look.\nNote how quiet they are.", '"Look.\nNote how quiet they are."'),
    "the first plan": ("Dialogue: Listen.\nPlan A is off.", '"Listen.\nPlan A is off."'),
    "a hidden row below": ("Dialogue: Listen.\nPlan: SECRET", '"Listen."'),
    "a hidden row below a heading": ("Dialogue: Listen.\nPlan\nSECRET", '"Listen."'),
}

NAMED = (
    '[meal_plan] Soup today. "Eat."',
    'She points at the [floor_plan] on the wall. "There."',
    '<internal-memo> for all: "Come at nine."',
    '<Plan of the house> hangs there. "Look."',
    '[inner_city] "We met there."',
    '[Internal_Affairs] "They came."',
)

THOUGHTS = (
    '[inner_thoughts]SECRET[/inner_thoughts]"Hello."',
    '<internal_note>SECRET</internal_note>"Hello."',
    '<my_plan>SECRET</my_plan>"Hello."',
    '<secret-plan>SECRET</secret-plan>"Hello."',
    '<plan step="1">SECRET</plan>"Hello."',
    '<inner thoughts>SECRET</inner thoughts>"Hello."',
    '**Here\'s my thinking process:**\n\n1. SECRET\n\n"Hello."',
    '**Here’s my thinking process:**\n\n1. SECRET\n\n"Hello."',
    '**My thought process:**\n\n1. SECRET\n\n"Hello."',
    '## The reasoning process\n\n1. SECRET\n\n"Hello."',
)


@pytest.mark.parametrize("name", LISTED)
def test_an_item_of_a_list_is_shown_if_it_is_no_key_and_not_hidden(name: str) -> None:
    answer, shown = LISTED[name]
    assert shown_text(answer) == shown


@pytest.mark.parametrize("name", SPOKEN)
def test_of_rows_below_a_label_only_those_with_a_hidden_one_are_left_out(name: str) -> None:
    answer, shown = SPOKEN[name]
    assert shown_text(answer) == shown


@pytest.mark.parametrize("text", NAMED)
def test_a_bracket_or_a_tag_with_the_name_of_a_thing_hides_nothing(text: str) -> None:
    assert shown_text(text) == text
    assert without_reasoning(text) == text


@pytest.mark.parametrize("text", THOUGHTS)
@pytest.mark.parametrize("size", [1, 1_000])
def test_a_bracket_a_tag_or_a_heading_of_thoughts_hides_them(text: str, size: int) -> None:
    reader = AnswerReader()
    shown = "".join(reader.feed(text[at : at + size]) for at in range(0, len(text), size)) + reader.close()
    assert shown.strip() == '"Hello."'
    assert without_reasoning(text).strip() == '"Hello."'
