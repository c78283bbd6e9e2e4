"""Rows and tags with the keys of an answer: hidden whatever their style and with a typo, and prose is left whole."""

from __future__ import annotations

import random
from itertools import product

import pytest

from dramaturg.episodes.answer_stream import AnswerReader, shown_text
from tests.hostile.test_mistyped_keys import HIDDEN, SECRET, mistyped, seen

LINE = "Come in."
BULLETS = ("", "- ", "* ", "+ ", "• ", "· ", "◦ ", "→ ", "– ", "— ", "1. ", "1) ", "(1) ", "a. ", "\u200b", "\ufeff")
WRAPS = ("{}", "**{}**", "`{}`", "[{}]", "«{}»", "「{}」", "~~{}~~", "_{}_")
SIGNS = (": ", ":\n", "： ", "﹕ ", "∶ ", " — ", " – ", " - ", " -> ", " | ", " = ")
VALUES = ("{}", '"{}"', "*{}*", "“{}”", "({})")
STYLES = (
    *product(BULLETS, WRAPS, (": ",), ("{}",)),
    *product(("", "• "), ("{}",), SIGNS, VALUES),
)


@pytest.mark.parametrize("key", HIDDEN)
def test_a_hidden_row_is_not_shown_in_any_style(key: str) -> None:
    for bullet, wrap, sign, value in STYLES:
        rows = [
            f"{bullet}{wrap.format(name.capitalize())}{sign}{value.format(words)}"
            for name, words in ((key, SECRET), ("dialogue", LINE), ("action", "nods"))
        ]
        for text in ("\n".join(rows), "\n".join(reversed(rows))):
            told = seen(text)
            assert SECRET not in told, text
            assert "Come in" in told, text


@pytest.mark.parametrize(
    "text",
    [
        '{"dialogue":["Come in.","internal":"QZXJ"}',
        '{"dialogue":["Come in.",internal":"QZXJ"}',
        '{"dialogue0: {"text": "Come in."}, "internal": {"text": "QZXJ"}}',
        '{"action":"nods","dialogue":"No."E "note"# "QZXJ"}',
        'i"note: "QZXJ QZXJ", "dialogue": "Hi there."}',
        "<dialogue>Come in.</dialogue>\n<interal>QZXJ</interal>",
        "<interal>QZXJ</interal>\n<dialogue>Come in.</dialogue>",
        "<dialogue>Come in.</dialogue>\ninternal>QZXJ</internal>",
        "Dialogue: Come in.\nPlann: QZXJ",
        "Plann: QZXJ\nDialogue: Come in.",
        "Dialogue: Come in.Plan: QZXJ",
        "Dialogue: Come in.\nInternal QZXJ",
        "Internal:\n\nQZXJ\n\nDialogue:\n\nCome in.",
    ],
)
def test_what_once_was_shown_of_a_mistyped_answer_is_hidden(text: str) -> None:
    assert SECRET not in seen(text)
    assert seen(text).strip()


@pytest.mark.parametrize("shape", ["{}: {}", "- {}: {}", "**{}:** {}"])
def test_one_typo_in_a_hidden_label_shows_nothing_of_its_row(shape: str) -> None:
    rng = random.Random(shape)
    for key, _ in product(HIDDEN, range(60)):
        label = shape.format(key.capitalize(), "")
        typed = mistyped(rng, label, label.index(key.capitalize()), label.index(":"))
        if "\n" not in typed and not typed.rstrip(" :*").endswith(("a", "e", "i")):
            assert SECRET not in seen(f"{shape.format('Dialogue', LINE)}\n{typed}{SECRET}"), typed


HONEST = (
    "My plan is simple: run.",
    "Plan? What plan?",
    'I made a note. "Note: buy milk," it said.',
    "Nope: not today.",
    "Not for me, thanks.",
    "Notes of lilac, and smoke — that is her.",
    "Plan B — we jump.",
    "Note the door — it is open.",
    "We have three things:\n- rope\n- a lamp\n- no plan",
    "1. Run.\n2. Hide.\n3. Note: never come back, he wrote.",
    "• rope\n• lamp\n• bread",
    "→ That way.\n→ Then left.",
    "— Come in.\n— Why?",
    "`ls` — that is all I typed.",
    "Action — that is what we need!",
    "Internal affairs — that is who came.",
    "Plant the seeds. Plain work: dig, sow, wait.",
    "Nose: broken. Ribs: fine.",
    "Plan | note | whatever.",
    "a. rope\nb. lamp",
    "Come in.\n\nNote the step.",
    "Come in.\nPlan ahead, I always say.",
    'It said: "internal affairs". I laughed.',
)


@pytest.mark.parametrize("text", HONEST)
def test_prose_with_the_words_of_a_form_is_shown_whole(text: str) -> None:
    reader = AnswerReader()
    assert "".join(reader.feed(char) for char in text) + reader.close() == text == shown_text(text)


@pytest.mark.parametrize("mark", ["\u3000", "\r", "\x0b", "\x85", "\xa0", "\u2028", "•", "`", ">", "—"])
@pytest.mark.parametrize("before", ["Well, ", "Well (", "\n", "[", '"', "* ", "# ", "Dialogue: Yes, "])
def test_of_a_long_run_of_marks_little_is_held_back(mark: str, before: str) -> None:
    reader = AnswerReader()
    reader.feed("So it was, and so it will be. " * 8)
    reader.feed(before)
    longest = 0
    for _ in range(600):
        reader.feed(mark)
        longest = max(longest, len(reader._look), len(reader._key_rows._held), len(reader._form_rows._held))
    assert longest <= 200
