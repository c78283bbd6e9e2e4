"""How a card is written decides how it answers, and its lore knows which greeting was chosen and what is full."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.characters.exchange import import_card
from dramaturg.episodes.card_prompts import written_style
from dramaturg.episodes.events import LoreTold
from tests.episodes.staging import ANNA, MINA, house, say, studio_of
from tests.prompts.test_card_prompts import CARD, EPISODE

LONG_TALK = "Well, hello there. " * 30
NARRATED = "*She wipes the counter and looks up at the clock above the door.* Hello. " * 10
PARAGRAPHS = f'{"The rain has not stopped since noon. " * 10}\n\n"Come in," she says.'
GERMAN = f"{'Der Regen hört nicht auf, und die Straße ist leer. ' * 8}\n\n„Komm herein“, sagt sie."
JAPANESE = f"{'雨は正午から降り続いている。通りには誰もいない。' * 16}\n\n「入って」と彼女は言った。"


@pytest.mark.parametrize(
    ("greetings", "style"),
    [
        ((), "talk"),
        (("",), "talk"),
        (("We're closed. Sit down.",), "talk"),
        (("*She nods.* Hello.",), "talk"),
        ((LONG_TALK,), "talk"),
        ((NARRATED,), "prose"),
        ((PARAGRAPHS,), "prose"),
        ((GERMAN,), "prose"),
        ((JAPANESE,), "prose"),
        (("", NARRATED, "Hi."), "prose"),
        (("Hi.", NARRATED), "talk"),
    ],
)
def test_the_first_message_shows_how_a_card_is_written(greetings: tuple[str, ...], style: str) -> None:
    assert written_style(greetings) == style


async def test_a_markdown_card_can_name_its_style(tmp_path: Path) -> None:
    model = house('*She nods.* "Evening."')
    episode = {"name": "bar", "character": "mina", "title": "Bar", "completion_mode": "open"}
    async with studio_of(tmp_path, model, episode) as studio:
        card = tmp_path / ".claude" / "agents" / "mina.md"
        card.write_text(f"---\nstyle: prose\n---\n{MINA}", encoding="utf-8")
        view = await studio.episodes.open("bar", ANNA)
        await say(studio, view.id, "Good evening")
        answer = (await studio.episodes.view(view.id)).messages[-1]
    assert answer.content == '*She nods.* "Evening."'
    assert model.requests[0].output is None


async def test_lore_of_another_greeting_is_told_once_that_greeting_is_chosen(tmp_path: Path) -> None:
    model = house("*She nods.*")
    async with studio_of(tmp_path, model, EPISODE) as studio:
        import_card(tmp_path, json.dumps(CARD).encode(), stem="mara", name="mara")
        for number in (1, 2):
            view = await studio.episodes.open("ferry-house", ANNA)
            await studio.episodes.choose(view.id, f"m{number}")
            await say(studio, view.id, "The ferry?")
            session = await studio.episodes.session(view.id)
            told = next(entry.event for entry in session.run.entries if isinstance(entry.event, LoreTold))
            texts = [one.text for one in told.told]
            assert ("Only with the other greeting." in texts) == (number == 2)
            assert {"Only in an outlet."}.isdisjoint(texts)
            assert [one.reason for one in told.untold] == ["no prompt has its outlet"]


async def test_lore_that_yields_when_the_context_is_full_yields_then(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text("[episodes]\nhistory_tokens = 200\n", encoding="utf-8")
    entry = {"keys": [], "constant": True, "content": "@@ignore_on_max_context\nThe tide is low."}
    book = {"name": "x", "entries": [{"extensions": {}, "enabled": True, "insertion_order": 1, **entry}]}
    card = {**CARD, "data": {**CARD["data"], "first_mes": "Hm.", "character_book": book}}
    model = house("*She nods.*")
    async with studio_of(tmp_path, model, EPISODE) as studio:
        import_card(tmp_path, json.dumps(card).encode(), stem="mara", name="mara")
        view = await studio.episodes.open("ferry-house", ANNA)
        await say(studio, view.id, "Short.")
        await say(studio, view.id, "A very long story about the river. " * 60)
    told = ["The tide is low." in one.messages[-1].text for one in model.requests if "/answer" in one.key]
    assert told == [True, False]
