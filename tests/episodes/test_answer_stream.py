"""What is shown of an answer, form by form; fed at once or character by character, it is the same."""

from __future__ import annotations

import json

import pytest

from dramaturg.episodes.answer_stream import AnswerReader, read_answer

PROSE = "Well now, let me tell you this plainly. " * 5
FORMS = {
    "words before the form are not said": ('Here it is: {"dialogue": "Sit."}', '"Sit."'),
    "but long ones are": (PROSE + '{"dialogue": "Sit."}', PROSE + '\n"Sit."'),
    "quotes in a line": (
        '{"dialogue": "He said "no" and left.", "action": "nods"}',
        '"He said "no" and left."\n*nods*',
    ),
    "a name in quotes": ('{"dialogue": "She said "Anna", then left.", "mood": "x"}', '"She said "Anna", then left."'),
    "a fence": ('```json\n{"action": "nods", "dialogue": "Sit."}\n```\nAnd more.', '*nods*\n"Sit."'),
    "prose in a fence": ("```\nprose in a fence\n```", "prose in a fence\n"),
    "a single tick": ("Sit `down` now.", "Sit `down` now."),
    "two ticks": ("*Waits.* Sit ``down`` now.", "*Waits.* Sit ``down`` now."),
    "a hidden label": ("*Nods.* Hello.\nInternal: secret\nstill so\n\nOpen.", "*Nods.* Hello.\nOpen."),
    "a label that says": ("*Nods.*\nThoughts: secret\nDialogue: Aloud.", "*Nods.*\n Aloud."),
    "a label of no matter": ('*Nods.*\nWeather: fine.\nAnna: "Sit."', '*Nods.*\nWeather: fine.\nAnna: "Sit."'),
    "thoughts before the form": ('<think>no {"dialogue": "no"}</think>{"dialogue": "Yes."}', '"Yes."'),
    "thoughts that only end": ('secret</think>{"dialogue": "After."}', '"After."'),
    "thoughts in prose": ("*Nods.* Yes. <thinking>no</thinking>No. <b>b</b>", "*Nods.* Yes. No. b"),
    "a list of lines": ('{"dialogue": ["One.", "Two."], "action": "nods"}', '"One." "Two."\n*nods*'),
    "escapes": (
        r'{"dialogue": "caf\u00e9 \ud83c\udfad \ud83c x\nnext", "action": "a\/b"}',
        '"café 🎭 � x\nnext"\n*a/b*',
    ),
    "half of a pair": (r'{"dialogue": "a \ud83c\u00e9 b \ud83c\ud83c\udfad"}', '"a �é b �🎭"'),
    "no comma": ('{"dialogue": "One." action: "nods"}', '"One."\n*nods*'),
    "braces that are no form": ("{smiles} Hello there.", "{smiles} Hello there."),
    "braces in prose": ("*Nods.* Hello {smiles} there.", "*Nods.* Hello {smiles} there."),
    "half an escape": (r'{"dialogue": "a\u12xy"}', '"a�xy"'),
    "single quotes": ("{'dialogue': 'It is mine.', 'action': 'nods'}", '"It is mine."\n*nods*'),
    "bare keys": ('{dialogue: "Bare.", action: "nods"}', '"Bare."\n*nods*'),
    "other names": ('{"speech": "Said.", "actions": "nods"}', '"Said."\n*nods*'),
    "broken off": ('{"dialogue": "Cut off in the mid', '"Cut off in the mid"'),
    "nothing": ('{"dialogue": "", "action": ""}', ""),
    "a second form": ('{"mood": "dark"} {"dialogue": "Second."}', '"Second."'),
    "a key twice": ('{"dialogue": "First.", "dialogue": "Second."}', '"First."'),
    "no brace": ('"dialogue": "No brace.", "internal": "SECRET"}', '"No brace."'),
    "numbers and nothing": ('{"tension_shift": 0.4, "dialogue": "Yes.", "n": null}', '"Yes."'),
    "marks of its own": ('{"dialogue": "Yes.", "action": "*nods*"}', '"Yes."\n*nods*'),
    "spaces": ('{"dialogue":   "  spaced   out  "  ,  "action":"x"}', '"spaced   out"\n*x*'),
}


@pytest.mark.parametrize("size", [1, 100_000])
@pytest.mark.parametrize("name", FORMS)
def test_what_is_shown(name: str, size: int) -> None:
    text, expected = FORMS[name]
    reader = AnswerReader()
    shown = "".join(reader.feed(text[start : start + size]) for start in range(0, len(text), size)) + reader.close()
    assert shown == expected


def test_no_more_is_shown_than_a_player_could_read() -> None:
    reader = AnswerReader()
    shown = reader.feed('{"dialogue": "' + "x" * 50_000 + '"}') + reader.close()
    assert 20_000 <= len(shown) < 20_010


def test_a_line_given_word_by_word_in_a_list_is_read_whole_and_an_endless_list_is_not() -> None:
    words = [f"w{number}" for number in range(5_000)]
    said = read_answer(f'{{"dialogue": {words[:200]}}}'.replace("'", '"')).dialogue
    endless = read_answer(f'{{"dialogue": {words}}}'.replace("'", '"')).dialogue
    assert said.split() == words[:200]
    assert endless.split() == words[: len(endless.split())]
    assert 200 < len(endless.split()) < 1_000


@pytest.mark.parametrize(
    ("text", "dialogue", "action"),
    [
        ('*She nods.* "Sit down," she says.', '"Sit down," she says.', "She nods."),
        ('"Sit down."', "Sit down.", ""),
        ("*Nods.* “Sit.” *Waits.*", "Sit.", "Nods. Waits."),
        ('{"action": "nods", "dialogue": "Sit."}', "Sit.", "nods"),
        ('{"dialogue": ["One.", "Two."]}', "One. Two.", ""),
    ],
)
def test_the_whole_answer_has_what_was_said_and_what_was_done(text: str, dialogue: str, action: str) -> None:
    answer = read_answer(text)
    assert (answer.dialogue, answer.action) == (dialogue, action)


@pytest.mark.parametrize(
    ("given", "mood"),
    [
        ("wary", "wary"),
        (" *quietly amused*\n", "quietly amused"),
        ("wary, a little proud", "wary, a little proud"),
        ("<think>SECRET hid it</think>wary", ""),
        ("wary (internal: SECRET hid it)", "wary"),
        ("wary; internal: SECRET", "wary"),
        ("Internal: SECRET", "Internal"),
        ("настороженный", "настороженный"),
        ("x" * 4000, "x" * 60),
        ("", ""),
    ],
)
def test_a_mood_is_the_words_before_anything_that_is_added_to_it(given: str, mood: str) -> None:
    answer = read_answer(json.dumps({"dialogue": "Hello there.", "mood": given}))
    assert (answer.mood, answer.dialogue) == (mood, "Hello there.")
