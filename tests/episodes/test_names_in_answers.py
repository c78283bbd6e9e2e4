"""Names in an answer: rows that belong to somebody else, the own name in front, macros that models write."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.episodes.answer_names import AnswerNames
from dramaturg.episodes.answer_stream import AnswerReader
from dramaturg.kernel.runs import Mark
from tests.episodes.staging import ANNA, FLIRT, house, say, studio_of

TABLE = AnswerNames(own="Runa", player="Anna Berg", others=("Old Tove", "Dialogue"))
SAID = '*nods* "The tide took it."'

OTHERS = {
    "the player by name": f'{SAID}\n\nAnna Berg: "Which tide?"\n\nRuna: "The last one."',
    "the player by the first name": f"{SAID}\nAnna: which tide?",
    "the player in bold": f'{SAID}\n\n**Anna:** "Which tide?"',
    "the player between asterisks": f'{SAID}\n\n*Anna:* "Which tide?"',
    "the player in capitals": f"{SAID}\n\nANNA: Which tide?",
    "the player as you": f"{SAID}\n\nYou: Which tide?",
    "the player as the prompt says": f"{SAID}\n\nThe other person: Which tide?",
    "the player as a macro": f'{SAID}\n\n{{{{user}}}}: "Which tide?"',
    "the player with a manner": f'{SAID}\n\nAnna (softly): "Which tide?"',
    "the player in Chinese brackets": f"{SAID}\n\nAnna（轻声）：“哪一次？”",
    "somebody else of the group": f'{SAID}\n\nOld Tove: "She lies."',
    "somebody else by the last name": f'{SAID}\n\nTove: "She lies."',
    "the player as a heading": f"{SAID}\n\n### Anna\nWhich tide?",
    "the player in bold on a row": f"{SAID}\n\n**Anna Berg**\nWhich tide?",
    "the player in bold before speech": f'{SAID}\n\n**Anna** "Which tide?"',
    "the player in capitals on a row": f"{SAID}\n\nANNA\nWhich tide?",
    "the player in brackets": f"{SAID}\n\n[Anna] Which tide?",
    "the player in angles": f"{SAID}\n\n<Anna> Which tide?",
    "the player before a dash": f'{SAID}\n\nAnna — "Which tide?"',
}

SHOWN = {
    "the own name in front": (f"Runa: {SAID}", SAID),
    "the own name in bold": (f"**Runa**: {SAID}", SAID),
    "the own name in bold with its colon": (f"**Runa:** {SAID}", SAID),
    "the own name before every row": ('Runa: "Sit."\nRuna: "Drink."', '"Sit."\n"Drink."'),
    "the own name as a macro": (f"{{{{char}}}}: {SAID}", SAID),
    "the own name with a manner": ('Runa (dry): "Sit."', '"Sit."'),
    "the own name as a heading": (f"## Runa\n\n{SAID}", SAID),
    "the own name in capitals on a row": (f"RUNA\n{SAID}", SAID),
    "the own name in brackets": (f"[Runa] {SAID}", SAID),
    "the own name in brackets with a colon": (f"[Runa]: {SAID}", SAID),
    "the own name in angles": (f"<Runa> {SAID}", SAID),
    "the own name before a dash": ('Runa - "Sit."', '"Sit."'),
    "the own name in bold before a gesture": (f"**Runa** {SAID}", SAID),
    "the own name in the bold of a page": (f"<b>Runa:</b> {SAID}", SAID),
    "an announcement by the own name": (f"Runa would respond: {SAID}", SAID),
    "an announcement in German": ("Runa würde sagen: „Geh.“", "„Geh.“"),
    "an announcement in Russian": ("Runa говорит: «Иди.»", "«Иди.»"),
    "a thought of the character": (f"Runa (thinking): I lie.\nRuna: {SAID}", SAID),
    "a thought behind a comma": (f"Runa, thinking: I lie.\n\nRuna: {SAID}", SAID),
    "a thought in German": (f"Runa (denkt): Ich lüge.\n\n{SAID}", SAID),
    "a thought with a verb": (f"Runa thinks: I lie.\n\n{SAID}", SAID),
    "the thoughts of the character": (f"**Runa’s inner thoughts:** I lie.\n\n{SAID}", SAID),
    "a thought amid the answer": ('"Sit."\nRuna (thinking): I lie.\n"Drink."', '"Sit."\n"Drink."'),
    "a thought under the name as a key": ('{"Runa (thoughts)": "I lie", "Runa (aloud)": "Sit."}', '"Sit."'),
    "a manner that is like a thought": ('Runa (drinking): "Sit."', '"Sit."'),
    "others who are spoken to with the character": ("Runa, Tove and I: we go.", "Runa, Tove and I: we go."),
    "the player's turn as a heading first": (f"## Anna\n\nWhich tide?\n\n## Runa\n\n{SAID}", SAID),
    "a name in a dash that nobody speaks behind": ("Anna — the tide took it.", "Anna — the tide took it."),
    "a nickname in quotation marks": ('Anna "the Gull" Berg is late.', 'Anna "the Gull" Berg is late.'),
    "a shout": ("ANNA!\nThe tide!", "ANNA!\nThe tide!"),
    "macros in speech": ('"Welcome, {{user}}. I am {{char}}."', '"Welcome, Anna Berg. I am Runa."'),
    "a macro first": ("{{User}} may sit, says {{CHAR}}.", "Anna Berg may sit, says Runa."),
    "a macro in a form": ('{"dialogue": "Sit, {{user}}."}', '"Sit, Anna Berg."'),
    "a transcript in a form": (
        '{"action": "nods", "dialogue": "Runa: Sit.\\nAnna: I will.\\nRuna: Good."}',
        '*nods*\n"Sit."',
    ),
    "the player first in a form": ('{"dialogue": "Anna: May I?\\n\\nRuna: Sit."}', '"Sit."'),
    "a thought before the own name": ('Anna asks.</think>Runa: "Sit."', '"Sit."'),
    "another macro": ('"It is {{time}}, {{user}}."', '"It is {{time}}, Anna Berg."'),
    "another macro first": ("{{time}} o'clock, and nobody here.", "{{time}} o'clock, and nobody here."),
    "a hidden key in two braces": ('{{internal: "QZXJ"}}{"dialogue": "Sit."}', '"Sit."'),
    "other braces": ("*nods* {smiles} Sit.", "*nods* {smiles} Sit."),
    "a name that is a part of the form": (
        "action: nods\ndialogue: The tide took it.",
        '*nods*\n"The tide took it."',
    ),
    "a name amid a line": ('"The tide took it, Anna: all of it."', '"The tide took it, Anna: all of it."'),
    "a letter": ("She reads: Anna: come home.", "She reads: Anna: come home."),
    "a name that is only told": ("She wrote to Anna: nothing came.", "She wrote to Anna: nothing came."),
    "a row of another name": ('*reads*\nWeather: fine.\nIvo: "Sit."', '*reads*\nWeather: fine.\nIvo: "Sit."'),
    "a word for a turn that somebody says": ("Instructions: two drops in tea.", "Instructions: two drops in tea."),
    "the player first": ('Anna: "Who is there?"\n\nRuna: "I am."', '"I am."'),
    "only the player first": ('Anna: "Who is there?"\n\n*looks up* "I am."', '*looks up* "I am."'),
}


def shown(text: str, size: int, names: AnswerNames = TABLE) -> str:
    reader = AnswerReader(names)
    seen = "".join(reader.feed(text[at : at + size]) for at in range(0, len(text), size)) + reader.close()
    assert reader.content == seen
    return seen


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize("name", OTHERS)
def test_an_answer_ends_where_it_speaks_for_somebody_else(name: str, size: int) -> None:
    assert shown(OTHERS[name], size).rstrip() == SAID


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize("name", SHOWN)
def test_the_own_name_is_left_out_and_macros_are_names(name: str, size: int) -> None:
    text, expected = SHOWN[name]
    assert shown(text, size) == expected


def test_a_player_with_the_name_of_the_character_silences_nobody() -> None:
    assert shown(f"Runa: {SAID}", 7, AnswerNames(own="Runa", player="Runa")) == SAID


def test_a_player_without_a_name_is_the_other_person() -> None:
    assert shown('"Sit, {{user}}."', 7, AnswerNames(own="Runa")) == '"Sit, the other person."'


async def test_a_players_words_by_a_model_are_in_no_message(tmp_path: Path) -> None:
    model = house('Mina: "Sit, {{user}}."\n\nAnna: "I would love to."\n\nMina: "Good."')
    async with studio_of(tmp_path, model, FLIRT) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Good evening.")
        messages = (await studio.episodes.view(view.id)).messages
    async with studio_of(tmp_path, model, FLIRT) as studio:
        again = [event async for event in studio.episodes.turn(view.id, Mark.read(view.mark))]
    for told in (events, again):  # who follows it later sees the same
        assert "".join(event.content for event in told if event.type == "chunk").strip() == '"Sit, Anna."'
    assert messages[-1].content.strip() == '"Sit, Anna."'
