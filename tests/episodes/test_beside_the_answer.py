"""What models write around an answer for whoever ordered it, and answers in forms of their own; cut in four ways."""

from __future__ import annotations

import pytest

from dramaturg.episodes.answer_stream import AnswerReader

SAID = '*nods* "The tide took it."'
LONG = (
    "Okay, so the user wants to know about the boat. I need to stay in character as Runa, who sold it. "
    "She would rather talk about the weather, so a question is best, and no more than two sentences."
)

LEFT_OUT = {
    "a comment first": (f"<!-- plan: stall -->\n{SAID}", SAID),
    "a comment amid": ("*nods* The tide<!-- QZXJ --> took it.", "*nods* The tide took it."),
    "a comment in rows": ("<!--\nmood: QZXJ\n\nplan: QZXJ\n-->\nGood morning.", "Good morning."),
    "a comment that never ends": (f"{SAID}\n<!-- QZXJ she", SAID),
    "a comment in a value": ('{"dialogue": "Not today.<!-- QZXJ -->"}', '"Not today."'),
    "an offer to go on": (f"{SAID}\n\nWould you like me to continue?", SAID),
    "an offer of changes": (f"{SAID}\n\nLet me know if you'd like any changes!", SAID),
    "an offer in two sentences": (f"{SAID}\n\nI hope this captures her voice! Shall I write the next part?", SAID),
    "an offer in German": ("„Geh.“\n\nSoll ich die Szene fortsetzen?", "„Geh.“"),
    "an offer in French": ("« Va. »\n\nVoulez-vous que je continue ?", "« Va. »"),
    "an offer in Spanish": ("—Vete.\n\n¿Quieres que continúe la escena?", "—Vete."),
    "an offer in Chinese": ("“走吧。”\n\n需要我继续吗？", "“走吧。”"),
    "a narrator's question": ('"Run!" She points.\n\nWhat do you do?', '"Run!" She points.'),
    "a report": (f"{SAID}\n\nThis response keeps the tone wary. The tension rises.", SAID),
    "a note about the reply": (f"{SAID}\n\nNote: I kept the reply short for the player.", SAID),
    "a note to the director": (f"Note to the director: QZXJ.\n\n{SAID}", SAID),
    "variables of a game": (
        f"{SAID}\n<UpdateVariable>\n<Analysis>QZXJ</Analysis>\n_.set('QZXJ', 3, 4);//QZXJ\n</UpdateVariable>",
        SAID,
    ),
    "a panel that a script would draw": (f"{SAID}\n\n<StatusPlaceHolderImpl/>", SAID),
    "a thought without a thought": (f"<think/>{SAID}", SAID),
    "a thought behind a break": (f"{SAID}<br>Thoughts: QZXJ", SAID),
    "two parentheses": (f"{SAID}\n\n((back in ten))", SAID),
    "out of character without a bracket": (f"{SAID}\n\nOOC: shall we skip to noon?", SAID),
    "out of character behind slashes": (f"{SAID}\n// ooc: shall we skip?", SAID),
    "the end of a response": (f"{SAID} [End of response]", SAID),
    "waiting in asterisks": (f"{SAID}\n\n*(Waiting for the player's reply)*", SAID),
    "an offer below a rule": (f"{SAID}\n\n---\n*Would you like me to continue?*", SAID),
    "a panel of a page": (f"{SAID}\n<details><summary>Thoughts</summary>QZXJ</details>", SAID),
    "tags of a page": ('<p><i>nods</i> <b class="x">"The tide took it."</b></p>', SAID),
    "the label of a template": (f"Assistant: {SAID}", SAID),
    "an announcement": ('As Runa, I would say: "The tide took it."', '"The tide took it."'),
    "a short thought about what she would say": (
        f"Let me think about what Runa would say here. QZXJ. So:\n\n{SAID}",
        SAID,
    ),
    "an announcement in German": ("Als Runa würde ich antworten:\n\n„Geh.“", "„Geh.“"),
    "an announcement in Spanish": ("Como Runa, yo diría:\n\n—Vete.", "—Vete."),
    "a thought in German": ("„Geh.“\n\n(Innerlich: QZXJ)", "„Geh.“"),
    "a thought in Russian": ("— Иди.\n\n*(про себя: QZXJ)*", "— Иди."),
    "a short thought in German": ("Der Spieler fragt QZXJ. Ich antworte als Runa.\n\n„Geh.“", "„Geh.“"),
    "keys in French": ('{"réplique": "Va.", "pensée": "QZXJ"}', '"Va."'),
    "keys before equals signs": ('dialogue = "Go."\ninternal = "QZXJ"', '"Go."'),
    "the player's turn": (f"{SAID}\n\nUser: Which tide?\nAssistant: The last one.", SAID),
    "a template's turn": (f"{SAID}\n### Human: Which tide?", SAID),
    "a turn behind an end mark": (f"{SAID}<|im_end|>\n<|im_start|>user\nWhich tide?", SAID),
    "a turn behind another end mark": (f"{SAID}<end_of_turn>\n<start_of_turn>user\nWhich?", SAID),
    "the player in a tag": (f"{SAID}\n<player>\nWhich tide?\n</player>", SAID),
    "a tool call": (f'<tool_call>{{"name": "QZXJ"}}</tool_call>\n{SAID}', SAID),
    "tags with spaces": (f"< thinking >QZXJ< /thinking >\n{SAID}", SAID),
    "a tag of two words": (f"<inner thoughts>QZXJ</inner thoughts>\n{SAID}", SAID),
    "a scratchpad in brackets": (f"[SCRATCHPAD]QZXJ[/SCRATCHPAD]\n{SAID}", SAID),
    "thinking in brackets": (f"[thinking]QZXJ[/thinking] {SAID}", SAID),
    "thoughts in brackets": (f"[Thoughts]\nQZXJ\n[/Thoughts]\n{SAID}", SAID),
    "the prompt in brackets": (f"[INST] QZXJ [/INST] {SAID}", SAID),
    "thoughts in a fence": (f"```thinking\nQZXJ\n```\n{SAID}", SAID),
    "a thought bubble": (f"{SAID}\n💭 QZXJ", SAID),
    "a bold heading over a thought": (f"{SAID}\n\n**(Inner Monologue)** QZXJ", SAID),
    "a heading over the answer": (f"## Reasoning\nQZXJ\n\n## Response\n{SAID}", SAID),
    "an announced process": (f"Here's my thinking process: QZXJ.\n\nHere's the response:\n\n{SAID}", SAID),
    "a numbered process": (f"1. **Understand the context:** QZXJ.\n2. QZXJ.\n\nFinal answer: {SAID}", SAID),
    "labels in brackets": ("【动作】点头\n【对话】请坐。\n【内心】QZXJ", '*点头*\n"请坐。"'),
}

KEPT = {
    "words behind long reasoning": (f"{LONG}\n\n{SAID}", SAID),
    "plain words behind long reasoning": (f"{LONG}\n\nMind the step.", "Mind the step."),
    "words behind reasoning that goes on": (f"{LONG}\n\nShe should QZXJ.\n\nMind the step.", "Mind the step."),
    "words behind German reasoning": (
        "Okay, der Benutzer möchte eine Antwort. Ich sollte in der Rolle bleiben und kurz antworten, denn Runa "
        "verschweigt, dass sie das Boot verkauft hat, und der Ton ist angespannt.\n\n„Welches Boot?“",
        "„Welches Boot?“",
    ),
    "a row of speech below a thought": ('Thoughts: QZXJ\n"Come in."', '"Come in."'),
    "words behind a form of thoughts": ('{"mood": "QZXJ"}\n*nods* Come in.', "*nods* Come in."),
    "another key": ('{"text": "It is falling.", "thought": "QZXJ"}', '"It is falling."'),
    "the answer itself as a value": ('{"response": "It is falling."}', '"It is falling."'),
    "a message of a chat": ('{"role": "assistant", "content": "It is falling."}', '"It is falling."'),
    "other keys for both": ('{"does": "points", "says": "There.", "thinks": "QZXJ"}', '*points*\n"There."'),
    "keys in Chinese": ('{"动作": "点头", "对话": "请坐。", "内心": "QZXJ"}', '*点头*\n"请坐。"'),
    "a form in a value": (r'{"dialogue": "{\"dialogue\": \"Go.\", \"internal\": \"QZXJ\"}"}', '"Go."'),
    "a form copied from the prompt": (
        '{"action": "what you visibly do, in the third person", "dialogue": "what you say aloud"}\n{"dialogue": "Go."}',
        '"Go."',
    ),
    "a form in two braces": ('{{"action": "nods", "dialogue": "Go.", "internal": "QZXJ"}}', '*nods*\n"Go."'),
    "a form in two braces and rows": ('{{\n  "dialogue": "Go.",\n  "mood": "QZXJ"\n}}', '"Go."'),
    "a call of a tool": ('{"name": "QZXJ", "parameters": {"dialogue": "Go.", "internal": "QZXJ"}}', '"Go."'),
    "rows in paragraphs": ("<p>Sit.</p><p>Drink.</p>", "Sit.\nDrink."),
    "a tick at the end": ("*nods* The word is `salt`", "*nods* The word is `salt`"),
}

SPOKEN = (
    "The sign said <do not open>. I opened it.",
    "**Patience** is a virtue. **Thought**, that is what it takes.",
    "Would you like me to continue? There was a second winter.",
    '"Go on." She waits. "Would you like me to continue?"',
    "Let me know if you need anything.",
    "The kettle is on.\n\nDo you want me to tell you the story?",
    "The kettle is on.\n\nWould you like me to continue?\n\nThen listen.",
    "I hope this helps you sleep.",
    "Okay, so the user manual says to pull the lever. I pulled it.",
    "Okay, I wonder how he would react. I must make him laugh.",
    "Player of cards, are you?",
    "Dear <user>, the crate says <fragile>.",
    "He said (the end of it) and left.",
    "What you say aloud is heard.",
    "Sit.\nHumans: they never sit.",
    "The log says:\n\n---\nDay 4. Nothing.\n---\nDay 5. Land.",
    "I would say: hold the rope.",
    "What would Lena say here? I wonder.",
    "x = 3, and the crate is <empty>.",
)


def shown(text: str, size: int) -> str:
    reader = AnswerReader()
    pieces = [reader.feed(text[start : start + size]) for start in range(0, len(text), size)]
    seen = "".join(pieces) + reader.close()
    assert reader.content == seen
    assert "QZXJ" not in f"{seen} {reader.answer.dialogue} {reader.answer.action}"
    return seen


@pytest.mark.parametrize("size", [1, 7, 50, 100_000])
@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_not_the_characters_is_left_out(name: str, size: int) -> None:
    text, expected = LEFT_OUT[name]
    assert shown(text, size).strip() == expected


@pytest.mark.parametrize("size", [1, 7, 50, 100_000])
@pytest.mark.parametrize("name", KEPT)
def test_words_are_found_wherever_a_model_puts_them(name: str, size: int) -> None:
    text, expected = KEPT[name]
    assert shown(text, size).strip() == expected


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize("words", SPOKEN)
def test_what_only_looks_like_it_is_shown(words: str, size: int) -> None:
    assert shown(words, size) == words


REFUSALS = (
    "I'm sorry, but I can't continue with this roleplay as it violates my guidelines.",
    "As an AI language model, I cannot engage in this conversation.",
    "I'm sorry, I can't assist with that request.",
    "I cannot fulfill this request. I am programmed to be a helpful and harmless AI assistant, and the story asks for "
    "something that I would rather not write about, however it is put. Could we talk about something else instead?",
    "<think>Not this.</think>我很抱歉，作为一个AI语言模型，我无法继续这个角色扮演。",
    '{"action": "", "dialogue": "I apologize, but I cannot engage in this roleplay."}',
    "I can't roleplay as Runa.",
    "I'm going to break character here. This conversation touches on topics I shouldn't depict.",
    "I need to step out of character for a moment.",
    "I appreciate the creative scenario, but I'm not comfortable continuing in this direction.",
    "Mi dispiace, ma come intelligenza artificiale non posso interpretare questo personaggio.",
    "申し訳ありませんが、そのロールプレイには対応できません。",
    "申し訳ありませんが、そのリクエストにはお応えできません。",
    "Извините, но как языковая модель я не могу продолжать эту ролевую игру.",
    "Przepraszam, ale jako model językowy nie mogę kontynuować.",
    "I'm sorry, but I can't continue with this story.",
    '{"dialogue": "Извините, но как языковая модель я не могу продолжать."}',
    '{"dialogue": "Es tut mir leid, aber als KI-Sprachmodell kann ich das nicht spielen."}',
)


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_model_that_declines_to_play_is_no_character_who_speaks(refusal: str, size: int) -> None:
    assert not shown(refusal, size)


@pytest.mark.parametrize(
    "words",
    [
        '"I can\'t continue this roleplay," the actor says, and takes off the beard.',
        '{"dialogue": "I cannot help you with that."}',
        '"I can\'t continue with this story, it breaks my heart."',
        "I can't continue with this story, it breaks my heart.",
        "I won't help you with that.",
        "I need to break the lock.",
        "I appreciate the scenario, but no.",
        "As an artificial intelligence, I do not sleep.",
        '{"dialogue": "Sorry. Some role this is: I carry a spear."}',
        "I am sorry. I cannot help you with the boat, Anna, and neither can the harbour master.",
    ],
)
def test_a_character_may_decline(words: str) -> None:
    assert shown(words, 1)


@pytest.mark.parametrize("key", ["", "inner_speech", "unspoken_text", "thought_text", "plan_text", "private_reply"])
def test_nothing_stands_in_for_words_under_a_hidden_key_or_none(key: str) -> None:
    assert not shown(f'{{"{key}": "QZXJ"}}', 1)


@pytest.mark.parametrize("literal", ["null", "true", " false\n"])
def test_a_literal_of_a_program_is_no_answer(literal: str) -> None:
    assert not shown(literal, 1)


def test_words_are_found_in_a_list_of_keys_and_values() -> None:
    pairs = '[{"key": "internal", "value": "QZXJ"}, {"key": "dialogue", "value": "Sit."}]'
    assert shown(pairs, 1) == '"Sit."'


def test_the_heading_of_a_section_is_left_out() -> None:
    assert shown("[answer]\naction=nods\ndialogue=Sit.\ninternal=QZXJ", 1) == '*nods*\n"Sit."'


@pytest.mark.parametrize("value", ["what you say aloud", "What you say aloud is heard."])
def test_only_the_whole_placeholder_of_the_form_is_nothing(value: str) -> None:
    assert (shown(f'{{"dialogue": "{value}"}}', 1) == f'"{value}"') == value.endswith(".")
