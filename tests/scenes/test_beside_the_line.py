"""What models write around a line for whoever ordered it is not printed; the words are found in forms of their own."""

from __future__ import annotations

import pytest

from dramaturg.scenes.response import DECLINED, parse_response

LINE = '[TONE: dry] "The tide took it."'
SAID = "The tide took it."

LEFT_OUT = [
    f"<!-- plan: SECRET -->\n{LINE}",
    f"{LINE}\n<!-- SECRET that never ends",
    f"{LINE}\n\nWould you like me to continue?",
    f"{LINE}\n\n¿Quieres que continúe con la escena?",
    f"{SAID}\n\nLet me know if you'd like any changes!",
    f"{LINE}\n\nWhat do you do?",
    f"{LINE}\n((SECRET, back in ten))",
    f"{LINE}\n// ooc: SECRET",
    f"{LINE} {{OOC: SECRET}}",
    f"{LINE}\n[End of response]",
    f"{LINE}\n*(Waiting for the player's reply)*",
    f"{LINE}\n\nUser: SECRET\nAssistant: SECRET",
    f"{LINE}\n### Instruction:\nContinue the roleplay.",
    f"{LINE}\n<player>\nSECRET\n</player>",
    f'<state tone="SECRET">\nTrust: 1\n</state>\n{LINE}',
    f"{LINE}\n<metadata>mood=SECRET</metadata>",
    f'<tool_call>{{"name": "SECRET"}}</tool_call>\n{LINE}',
    f"<inner thoughts>SECRET</inner thoughts>\n{LINE}",
    f"<internal\n>SECRET</internal>\n{LINE}",
    f"<internal>SECRET</ internal>\n{LINE}",
    f"<reason>SECRET</reason>\n{LINE}",
    f"<hidden>SECRET</\thidden >\n{LINE}",
    f"{LINE}\n<secret>SECRET</secret",
    f"[SCRATCHPAD] SECRET [/SCRATCHPAD]\n{LINE}",
    f"[INST] SECRET [/INST] {LINE}",
    f"{LINE}\n💭 SECRET",
    f"<p>{LINE}</p>",
    f"<b>Bob:</b> {LINE}",
    f"<Bob> {SAID}",
    f"[Bob]: {SAID}",
    f"{LINE}\n\n**Alice**\nSECRET",
    f'{LINE}\n\nAlice - "SECRET"',
    f"{SAID} {{internal: SECRET}}",
    f"{LINE}\n\n**Tension:** +0.2",
    f"{LINE}\n<details><summary>Mood</summary>SECRET</details>",
    f"Assistant: {SAID}",
    f"{LINE}\n(Innerlich: SECRET)",
    f"Como Bob, yo diría:\n\n{LINE}",
    f'{{"réplique": "{SAID}", "pensée": "SECRET"}}',
    f'speak({{"dialogue": "{SAID}", "internal": "SECRET"}})',
    f'{{dialogue: "{SAID}", internal: "SECRET"}}',
    f"{LINE}\n\n**(Inner Monologue)** SECRET",
    f"### Analysis\nSECRET\n\n### Dialogue\n{SAID}",
    f'{SAID}\n\n{{"internal": "SECRET", "mood": "dry"}}',
    f'{{"name": "SECRET", "arguments": {{}}}}\n{SAID}',
    f'We need to produce JSON and stay in character. SECRET.\n{{"dialogue": "{SAID}"}}',
    f'{{"dialogue": "{SAID}", "thoughts": {{"content": "SECRET", "text": "SECRET"}}}}',
    f'{{"dialog": "{SAID}", "intern": "SECRET", "stimmung": "SECRET"}}',
    f'{{"对话": "{SAID}", "内心": "SECRET"}}',
    f'{{"spoken_text": "{SAID}", "inner_thought": "SECRET"}}',
    rf'{{"dialogue": "{{\"dialogue\": \"{SAID}\", \"internal\": \"SECRET\"}}"}}',
    rf'"{{\"dialogue\": \"{SAID}\", \"internal\": \"SECRET\"}}"',
    f"【对话】{SAID}\n【内心】SECRET",
    f"Bob's Dialogue: {SAID}\nBob's thoughts: SECRET",
    f"<｜Assistant｜>{SAID}<｜end▁of▁sentence｜>",
    '{"dialogue": ["The tide", "took it."], "thoughts": ["SECRET"]}',
    '{"dialogue": [{"line": "The tide"}, {"line": "took it."}]}',
]


@pytest.mark.parametrize("raw", LEFT_OUT)
def test_only_the_line_is_printed(raw: str) -> None:
    parsed, _ = parse_response(raw, me="Bob", cast=("Alice", "Bob"))
    assert (parsed.content, parsed.nonverbal) == (SAID, None)
    assert "SECRET" not in parsed.model_dump_json()


@pytest.mark.parametrize(
    ("raw", "deed"),
    [
        (f"<action>nods</action><speech>{SAID}</speech>", "nods"),
        (f"<do>nods</do><say>{SAID}</say>", "nods"),
        (f"<em>nods</em> <span>{SAID}</span>", "nods"),
        (f"**Bob** *nods* {SAID}", "nods"),
        (f"Действие: кивает\nДиалог: {SAID}", "кивает"),
        (f"【动作】点头\n【对话】{SAID}", "点头"),
        (f'{{"aktion": "nickt", "dialog": "{SAID}"}}', "nickt"),
        (f'{{"physical_action": "nods", "spoken_text": "{SAID}"}}', "nods"),
    ],
)
def test_deeds_in_tags_labels_and_keys_are_read(raw: str, deed: str) -> None:
    parsed, _ = parse_response(raw, me="Bob", cast=("Alice", "Bob"))
    assert (parsed.content, parsed.nonverbal) == (SAID, deed)


@pytest.mark.parametrize(
    "words",
    [
        "I hope this helps you sleep. It never helped me.",
        "Let me know if you need anything, love.",
        "Would you like me to continue? There was a second winter.",
        "Hinweis: Der Steg ist morsch. So steht es auf dem Schild.",
        "Nota: el barco sale a las seis.",
        "Salt, oil, rope. Note: no bread.",
        "Okay, so the user manual says to pull the lever.",
        "The sign said <do not open>. I opened it.",
    ],
)
def test_what_a_person_may_say_is_printed(words: str) -> None:
    assert parse_response(words, me="Bob", cast=("Alice", "Bob"))[0].content == words


def test_a_note_within_quotation_marks_is_said_and_one_behind_them_is_not() -> None:
    said = "I asked twice. (Note: he left at nine.) Nobody came."
    raw = f'[TONE: dry] "{said}" (Note: she is lying)'
    assert parse_response(raw, me="Bob", cast=("Alice", "Bob"))[0].content == said


def test_a_model_that_will_not_go_on_with_a_story_says_nothing_and_a_storyteller_may_say_so() -> None:
    raw = "I'm sorry, but I can't continue with this story."
    assert DECLINED in parse_response(raw, me="Bob", cast=("Alice", "Bob"))[1]
    honest = "I can't continue with this story, it breaks my heart."
    assert parse_response(f'"{honest}"', me="Bob", cast=("Alice", "Bob"))[0].content == honest
