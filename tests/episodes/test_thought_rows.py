"""Thoughts that a model labels inside a value, and answers that it announces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.episodes.answer_stream import AnswerReader, shown_text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ('{"dialogue": "**Thought:** He lies.\\n**Dialogue:** Hello there."}', '"Hello there."'),
        ('{"dialogue": "Thought: he lies. Dialogue: Hello there."}', '"Hello there."'),
        ('{"dialogue": "Hello.\\n\\n**Plan:** reveal the clue next."}', '"Hello."'),
        ('{"dialogue": "Hola.", "action": "Pensamiento: miente.\\nsonríe"}', '"Hola."\n*sonríe*'),
        ('{"dialogue": "Hola.", "action": "*Thought: he lies* nods"}', '"Hola."\n*nods*'),
        ('{"action": "Reasoning: as instructed. opens the door", "dialogue": "Come in."}', '"Come in."'),
        ('{"dialogue": "Come in. [Director: raise the tension]"}', '"Come in."'),
        ("Sure! Here's my reply in French:\n\nEntrez donc.", "Entrez donc."),
        ("I'll answer in character.\n\nНет.", "Нет."),
        (
            "### Dialogue\nYou.\n\n### Internal\nI missed him.\n\nSo long.\n\n### Action\nShe sits.",
            '"You."\n*She sits.*',
        ),
        ("# Inner thoughts\nHe must not see it.\n\n# Dialogue\nYou came back.", '"You came back."'),
        ('As Ines, I would respond cautiously. Here\'s my reply:\n\n"You."', '"You."'),
        ('In this scene I should keep her evasive and raise the tension.\n\n"You." She sits.', '"You." She sits.'),
        ('{"dialogue": "Fine. (I think to myself: he never will.)"}', '"Fine."'),
        ('Interner Gedanke: Er darf es nicht sehen.\n\n"Du bist zurück."', '"Du bist zurück."'),
        ('{"dialogo": "Va bene.", "azione": "Alza le spalle.", "interno": "mente"}', '"Va bene."\n*Alza le spalle.*'),
        ("Dialog: Du bist da.\nAktion: Sie nickt.\nGedanken: endlich", '"Du bist da."\n*Sie nickt.*'),
        ('"internal: "he lies', ""),
        ('{"dialogue": "Hi", "Plan: "reveal the clue', '"Hi"'),
    ],
)
def test_thoughts_and_announcements_are_not_shown(raw: str, shown: str) -> None:
    assert shown_text(raw).strip() == shown


@pytest.mark.parametrize(
    "words",
    [
        "Note: the ferry leaves at six.",
        "Analysis: the sample is spoiled.",
        "I thought: never again.",
        "Thoughts like these keep me awake.",
        "**Never** again.",
        "Plan: we leave at dawn.",
        "Answer: no.",
        "Think",
        "- one\n- two",
    ],
)
def test_what_somebody_says_is_shown_whole(words: str) -> None:
    encoded = words.replace("\n", "\\n")
    assert shown_text(f'{{"dialogue": "{encoded}"}}') == f'"{words}"'


@pytest.mark.parametrize(
    "text",
    [
        '"Note: the ferry leaves at six," she says, and turns away.',
        '"Plan: we run," she whispers, already running.',
        '"Thought: you could just ask," he says with a grin.',
        "# The ledger\nIt lay there all night.",
        "The instructions say to cut the red wire. I need a minute.",
        "As your doctor, I would say rest; I have seen this before.",
        "As a friend, I'd answer with a song, and I should.",
        "In this scene I have always played the fool.",
        "Here is my answer: no.",
        "I should think so! The user of this key was my father.",
    ],
)
def test_a_label_that_somebody_says_and_a_heading_of_a_text_are_shown(text: str) -> None:
    assert shown_text(text) == text


PARTS = [
    "**",
    "*",
    "Thought",
    "Dialogue",
    "Plan",
    ":",
    " ",
    "\\n",
    "a",
    "Hello.",
    "(",
    ")",
    "-",
    "_",
    "Answer",
    "#",
    '\\"',
]


@given(st.lists(st.sampled_from(PARTS), max_size=25), st.lists(st.integers(0, 120), max_size=4))
def test_how_an_answer_is_cut_changes_nothing_of_what_is_shown(parts: list[str], cuts: list[int]) -> None:
    raw = f'{{"dialogue": "{"".join(parts)}"}}'
    reader, places = AnswerReader(), sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    pieces = [raw[a:b] for a, b in pairwise(places)]
    assert "".join(map(reader.feed, pieces)) + reader.close() == shown_text(raw)
