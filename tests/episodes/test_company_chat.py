"""The rehearsal company in a chat: a card's own words, in its language, never twice, and never another card's."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest
import yaml

from dramaturg.characters import parse_card
from dramaturg.episodes.events import Persona
from dramaturg.episodes.rehearsal.chat import deflections
from dramaturg.episodes.rehearsal.material import example_pairs, material_of
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.settings import read_settings
from dramaturg.kernel.text.words import words
from dramaturg.studio import Studio
from tests.episodes.cards_of_all_sorts import SortOfCard, sorts, write_sort
from tests.episodes.staging import say

ASKED = {
    "en": (
        "Hello, who are you?",
        "Tell me about {thing}.",
        "What is the capital of Mongolia?",
        "I walked in the rain.",
    ),
    "de": ("Hallo, wer bist du?", "Erzähl von {thing}.", "Was ist ein Quark?", "Ich bin im Regen gelaufen."),
    "fr": ("Bonjour, qui es-tu ?", "Parle-moi de {thing}.", "Où est la lune ?", "J'ai marché sous la pluie."),
    "es": ("Hola, ¿quién eres?", "Háblame de {thing}.", "¿Dónde está la luna?", "Vine bajo la lluvia."),
    "it": ("Ciao, chi sei?", "Parlami di {thing}.", "Dov'è la luna?", "Ho camminato sotto la pioggia."),
    "pt": ("Olá, quem és?", "Fala-me de {thing}.", "Onde está a lua?", "Vim a pé na chuva."),
    "nl": ("Hallo, wie ben je?", "Vertel me over {thing}.", "Waar is de maan?", "Ik liep door de regen."),
    "pl": ("Cześć, kim jesteś?", "Opowiedz o {thing}.", "Gdzie jest księżyc?", "Szedłem w deszczu."),
    "ru": ("Привет, кто ты?", "Расскажи про {thing}.", "Где луна?", "Я шёл под дождём."),
    "ja": ("あなたは誰ですか。", "{thing}について教えて。", "月はどこですか？", "雨の中を歩いた。"),
    "zh": ("你是谁？", "说说{thing}吧。", "月亮在哪里？", "我冒雨走来的。"),
}


def shown(text: str) -> list[str]:
    """The sentences of an answer, without the marks around them."""
    parts = (" ".join(words(part)) for part in re.split(r"(?<=[.!?…。！？])[\s\"]*|\n", text))
    return [part for part in parts if part]


async def talk(project: Path, sort: SortOfCard, studio: Studio, asked: list[str]) -> list[str]:
    """What a card's character says, from its greeting to its last answer."""
    name = write_sort(project, sort)
    template = {"name": name, "character": name, "completion_mode": "open"}
    (project / "episodes").mkdir(exist_ok=True)
    (project / "episodes" / f"{name}.yaml").write_text(yaml.safe_dump(template), encoding="utf-8")
    view = await studio.episodes.open(name, Persona(id=name))
    told = [message.content for message in view.messages]
    for text in asked:
        events = await say(studio, view.id, text.format(thing=sort.thing))
        told.append(next(event.content for event in events if event.type == "message_complete"))
    return told


async def test_every_card_speaks_its_own_words_and_none_those_of_another(tmp_path: Path) -> None:
    heard: dict[str, set[str]] = defaultdict(set)
    own, answers, cards = 0, 0, list(sorts())
    async with Studio.open(read_settings(tmp_path, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        for sort in cards:
            asked = ASKED[sort.language]
            told = await talk(tmp_path, sort, studio, list(asked))
            card = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*") if sort.name in str(path.name))
            card = card or " ".join((sort.name, sort.role, sort.thing, sort.place, sort.habit))
            for text, answer in zip(asked, told[-4:], strict=True):
                answers += 1
                own += bool(set(words(answer)) & {*words(card), *words(text), *words(sort.name)}) or sort.name in answer
                for sentence in shown(answer):
                    heard[sentence].add(sort.name)
            assert len(set(told)) == len(told)
    assert len(cards) >= 34
    assert own / answers >= 0.7
    assert [sentence for sentence, names in heard.items() if len(names) > 1] == []


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 5, 16, 28])
async def test_in_twenty_turns_no_sentence_is_said_twice(number: int, tmp_path: Path) -> None:
    sort = list(sorts())[number]
    asked = [*ASKED[sort.language], *ASKED[sort.language], *["Hello."] * 6, *["..."] * 6]
    async with Studio.open(read_settings(tmp_path, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        told = await talk(tmp_path, sort, studio, asked)
    said = [sentence for text in told for sentence in shown(text)]
    assert sorted(said) == sorted(set(said))


@pytest.mark.parametrize("asked", [["Hello."], ["Why?", "..."], ["...", "...", "..."], ["What is a quark?", "And?"]])
async def test_a_swipe_gives_another_answer_each_time(asked: list[str], tmp_path: Path) -> None:
    (tmp_path / ".claude" / "agents").mkdir(parents=True)
    bare = "# Greta - Officer\n\n## Personality\n- Calm\n"
    (tmp_path / ".claude" / "agents" / "greta.md").write_text(bare, encoding="utf-8")
    (tmp_path / "episodes").mkdir()
    (tmp_path / "episodes" / "talk.yaml").write_text("character: greta\n", encoding="utf-8")
    async with Studio.open(read_settings(tmp_path, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        session = (await studio.episodes.open("talk", Persona(id="me"))).id
        for text in asked:
            await say(studio, session, text)
        told = [(await studio.episodes.view(session)).messages[-1].content]
        for _ in range(4):
            last = (await studio.episodes.view(session)).messages[-1].id
            async for _event in studio.episodes.turn(session, await studio.episodes.swipe(session, last)):
                pass
            told.append((await studio.episodes.view(session)).messages[-1].content)
    assert len(set(told)) == len(told), told


CARD = """---
greetings:
  - '*He looks up from the keys.* "You are late, {{user}}. Sit."'
  - '"The ledger is gone," he says. "Somebody took it on Friday."'
---
# Porter - Night porter

A man with a past that nobody asks about. He secretly killed the cook.

## Mannerisms
- When amused: polishes a key

## Examples
{{user}}: Do you ever sleep?
Porter: *He laughs without a sound.* Between two and four, when the clocks stop arguing.
{{user}}: What about the letter?
Porter: It came in the ninth year.

## Secrets
- "I killed the cook."
"""


def test_a_card_gives_its_speech_and_gestures_and_keeps_its_secrets() -> None:
    material = material_of(parse_card("porter", CARD))
    said = {one.text: one for one in material.utterances}
    assert "You are late. Sit." in said
    assert said["It came in the ninth year."].cue == "What about the letter?"
    assert said["Between two and four, when the clocks stop arguing."].deed == "He laughs without a sound"
    assert {"Porter polishes a key", "He looks up from the keys"} <= set(material.gestures)
    assert not any("killed" in text for text in (*said, *material.gestures))
    assert "You are late, Anna. Sit." in {
        one.text for one in material_of(parse_card("porter", CARD), "Anna").utterances
    }


def test_example_dialogue_is_read_as_question_and_answer() -> None:
    text = "<START>\n{{user}}: One?\n{{char}}: Two.\nAnd three.\n<START>\n{{char}}: Four."
    assert list(example_pairs(text, "Porter")) == [("One?", "Two.\nAnd three."), ("", "Four.")]


async def answers(tmp_path: Path, card: str, *asked: str, **template: object) -> list[str]:
    (tmp_path / ".claude" / "agents").mkdir(parents=True)
    (tmp_path / ".claude" / "agents" / "porter.md").write_text(card, encoding="utf-8")
    (tmp_path / "episodes").mkdir()
    episode = {"name": "desk", "character": "porter", "completion_mode": "open", **template}
    (tmp_path / "episodes" / "desk.yaml").write_text(yaml.safe_dump(episode), encoding="utf-8")
    async with Studio.open(read_settings(tmp_path, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        view = await studio.episodes.open("desk", Persona(id="a"))
        told = [message.content for message in view.messages]
        for text in asked:
            events = await say(studio, view.id, text)
            told.append(next(event.content for event in events if event.type == "message_complete"))
    return told


async def test_the_answer_is_chosen_by_what_was_said(tmp_path: Path) -> None:
    told = await answers(tmp_path, CARD, "When do you sleep?", "Is there a letter?", "What do you think of football?")
    assert "when the clocks stop arguing" in told[1]
    assert "It came in the ninth year." in told[2]
    assert "football" in told[3]
    assert "Porter" in told[3]


async def test_the_ledger_is_never_spoken(tmp_path: Path) -> None:
    ledger = {"clues": [{"id": "oil", "text": "The lamp oil was watered by the cook", "keywords": ["lamp oil"]}]}
    asked = ("Tell me about the lamp oil.", "The cook watered the lamp oil?", "What of the oil?", "The lamp oil!")
    told = await answers(tmp_path, CARD, *asked, clue_ledger=ledger)
    assert not any("watered by the cook" in text for text in told)


async def test_a_session_with_the_company_says_so_at_its_start(tmp_path: Path) -> None:
    write_sort(tmp_path, next(sorts()))
    async with Studio.open(read_settings(tmp_path, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        await talk(tmp_path, next(sorts()), studio, [])
        (record,) = await studio.episodes.sessions()
        view = await studio.episodes.view(record.id)
        first = await anext(studio.episodes.follow(record.id))
    assert view.remark == first.remark
    assert "cannot hold a conversation" in view.remark
    assert "\n" not in view.remark


def test_every_language_has_words_for_every_occasion_and_all_name_the_character() -> None:
    occasions = set(deflections()["en"])
    for language, rows in deflections().items():
        assert set(rows) == occasions, language
        assert all("{name}" in row for lines in rows.values() for row in lines), language


async def test_a_relationship_moves_with_the_company_too(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "agents").mkdir(parents=True)
    (tmp_path / ".claude" / "agents" / "porter.md").write_text(CARD, encoding="utf-8")
    (tmp_path / "episodes").mkdir()
    (tmp_path / "episodes" / "desk.yaml").write_text("name: desk\ncharacter: porter\n", encoding="utf-8")
    async with Studio.open(read_settings(tmp_path, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        for player, texts in (("kind", ["Thank you for the tea.", "I lost my sister."]), ("rude", ["Shut up, liar."])):
            view = await studio.episodes.open("desk", Persona(id=player))
            for text in texts:
                await say(studio, view.id, text)
        kind, _ = await studio.episodes.players.relationship("porter", "kind")
        rude, history = await studio.episodes.players.relationship("porter", "rude")
    assert kind.trust > 0 > rude.trust
    assert history[0].quote == "Shut up, liar."
