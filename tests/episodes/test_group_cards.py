"""Cards in a group: greetings, private books and prompts; whispers in results, series, exports; a killed process."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

from dramaturg.characters.exchange import import_card
from dramaturg.episodes.chat_file import chat_of
from dramaturg.episodes.share import snapshot_of
from dramaturg.episodes.tavern_chat import read_chat, write_chat
from dramaturg.episodes.template import template_from
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio
from tests.episodes import test_kill
from tests.episodes.company import CARDS, TABLE, answers, asked_of, at_table, sent_to, table, write_cards
from tests.episodes.staging import ANNA, house, kind_of, rehearsed, say, spoken, studio_of, write_project
from tests.model_server import Asked, ModelServer

GREETED = {key: value for key, value in TABLE.items() if key != "opening_line"}
DORA: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        "name": "Ada",
        "description": "Keeps the inn.",
        "first_mes": "Come in, {{user}}.",
        "alternate_greetings": ["You again."],
        "group_only_greetings": ["Sit with the three of us, {{user}}.", "Not you two again."],
        "system_prompt": "You are Ada. Ada counts her spoons.",
        "post_history_instructions": "Mention the spoons.",
        "extensions": {"talkativeness": "0.9"},
        "character_book": {
            "entries": [
                {
                    "keys": ["spoon"],
                    "content": "One spoon is silver.",
                    "enabled": True,
                    "insertion_order": 1,
                    "extensions": {},
                }
            ],
            "extensions": {},
        },
    },
}


async def test_a_group_is_greeted_with_the_cards_words_for_groups(tmp_path: Path) -> None:
    write_cards(tmp_path)
    (tmp_path / ".claude" / "agents" / "ada.md").unlink()
    import_card(tmp_path, json.dumps(DORA).encode(), stem="ada", name="ada")
    async with studio_of(tmp_path, table(), {**GREETED, "characters": ["bo", "ada"]}) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        others = view.messages[0].siblings
        alone = await studio.episodes.open(template_from({**GREETED, "characters": ["ada"]}), ANNA)
        second = await studio.episodes.choose(view.id, others[1])
    assert (view.messages[0].speaker, view.messages[0].content) == ("ada", "Sit with the three of us, Anna.")
    assert len(others) == 4
    assert second.messages[0].content == "Not you two again."
    assert alone.messages[0].content == "Come in, Anna."


async def test_a_cards_book_and_prompts_are_its_own(tmp_path: Path) -> None:
    model = table()
    write_cards(tmp_path, {name: text for name, text in CARDS.items() if name != "ada"})
    import_card(tmp_path, json.dumps(DORA).encode(), stem="ada", name="ada")
    async with studio_of(tmp_path, model, GREETED) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        state = (await studio.episodes.session(view.id)).state
        await say(studio, view.id, "Bo, Ada, Cleo: whose spoon is this?")
        assert {one.character: one.talkativeness for one in state.cast} == {"ada": 0.9, "bo": 0.5, "cleo": 0.5}
    assert "One spoon is silver." in sent_to(model.requests, "ada")
    assert "Mention the spoons." in sent_to(model.requests, "ada")
    for other in ("bo", "cleo"):
        assert answers(model.requests, other)
        for own in ("silver", "Mention the spoons", "counts her spoons"):
            assert own not in sent_to(model.requests, other)


async def test_what_is_whispered_is_in_no_summary_and_in_no_later_episode(tmp_path: Path) -> None:
    ledger = {
        "clues": [
            {"id": "jug", "text": "The key is under the jug", "keywords": ["under the jug"]},
            {"id": "boat", "text": "The boat left at dawn", "keywords": ["boat at dawn"]},
        ],
        "suspects": [{"name": "Bo", "guilty": True}, {"name": "Ada"}],
    }
    first = {
        **TABLE,
        "completion_mode": "objective",
        "completion_criteria": {"objective_key": "accused", "detection": "accusation"},
        "clue_ledger": ledger,
        "evaluation": "mystery_progress",
    }
    second = {**TABLE, "name": "next-day"}
    write_project(tmp_path, first, second, series={"name": "inn", "episodes": ["three-at-a-table", "next-day"]})
    summary = {"summary": "They talked.", "key_moments": [{"text": "x", "quote": "the boat at dawn"}]}
    model = table(evaluation=lambda one: json.dumps(summary) if "sum up" in one.system else "{}")
    async with at_table(tmp_path, model, first) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        [_ async for _ in studio.episodes.say(view.id, "The key is under the jug.", to="ada")]
        await say(studio, view.id, "I saw the boat at dawn.")
        events = await say(studio, view.id, "Bo, it was you.")
        state = (await studio.episodes.session(view.id)).state
        result = next(one for one in events if one.type == "episode_complete").evaluation
        await studio.episodes.open("next-day", ANNA)
        later = await studio.episodes.open("next-day", ANNA)
        told = (await studio.episodes.session(later.id)).state.session.recalled.previously
        lines = [(one.name, one.mes) for one in chat_of(view.id, state, 0.0).messages]
        shared = snapshot_of(state, ("result", "transcript"))
    assert result["verdict"] in ("right", "right_unproven")
    assert {one["id"]: one.get("whispered", False) for one in result["clues_found"]} == {"jug": True, "boat": False}
    summaries = [one for one in model.requests if kind_of(one) == "evaluation" and "sum up" in one.system]
    assert summaries
    assert all("under the jug" not in one.messages[-1].text for one in summaries)
    assert "I saw the boat at dawn" in told or "They talked" in told
    assert "jug" not in told
    assert ("Anna", "I saw the boat at dawn.") in lines
    assert {name for name, _ in lines} > {"Anna", "Ada", "Bo"}
    assert {line.name for line in shared.transcript if line.role == "character"} >= {"Ada", "Bo"}


async def test_the_rehearsal_room_plays_a_group_and_nothing_hidden_gets_out(tmp_path: Path) -> None:
    write_cards(tmp_path)
    write_project(tmp_path, {**TABLE, "notes": "Nobody at this table may ever speak of the drowned bell ringer."})
    async with Studio.open(read_settings(tmp_path, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        template = next(one for one in studio.episodes.repertoire().templates)
        report = await rehearsed(studio, template.name, most_turns=4)
    assert report.leaks == 0
    assert {one.errors for one in report.sessions} == {()}
    assert {one.turns for one in report.sessions} == {4}


async def test_a_group_killed_between_two_answers_asks_nobody_twice(tmp_path: Path) -> None:
    """The first answer is in the log, the second is asked for, and the process dies."""
    write_cards(tmp_path)
    write_project(tmp_path, {**TABLE, "name": "last-orders"})

    def reply(asked: Asked) -> str:
        return "{}" if "worth keeping" in asked.prompt else spoken(action="")

    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = reply
        (tmp_path / "dramaturg.toml").write_text(
            f'[models]\ndefault = "house/big"\ndirector = "house/big"\n'
            f'[providers.house]\nprotocol = "openai"\nbase_url = "{server.url}/v1"\n[episodes]\nextraction = false\n',
            encoding="utf-8",
        )
        server.hold(at=2)
        program = test_kill.PLAY.replace("Never lose this.", "Bo, Cleo, Ada: never lose this.")
        first = await test_kill.started(str(tmp_path), "new", program=program)
        assert first.stdout is not None
        session = (await first.stdout.readline()).decode().strip()
        await server.received(2)
        first.send_signal(signal.SIGKILL)
        await first.wait()
        server.release()
        second = await test_kill.started(str(tmp_path), session, "resume")
        lines = (await second.communicate())[0].decode().splitlines()
        asked = [json.dumps(one.body) for one in server.requests]
    view = json.loads(lines[1])
    assert [one.get("speaker", "") for one in view["messages"]] == ["ada", "", "bo", "cleo", "ada"]
    whose = [next(name for name in CARDS if f"You are {name.title()}" in one) for one in asked]
    # Whoever was interrupted is asked again; whoever had answered is not.
    assert whose == ["bo", "cleo", "cleo", "ada"]


async def test_a_group_chat_comes_back_with_its_speakers(tmp_path: Path) -> None:
    async with at_table(tmp_path, table()) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        await say(studio, view.id, "Cleo, Bo: hello.")
        chat = read_chat(write_chat(await studio.episodes.chat(view.id)), lambda *why: AssertionError(why))
        again, remarks = await studio.episodes.take_in(chat, "three-at-a-table", ANNA)
        before = (await studio.episodes.view(view.id)).messages
        stranger = chat.model_copy(
            update={"messages": tuple(one.model_copy(update={"name": "Zoe"}) for one in chat.messages)}
        )
        other, told = await studio.episodes.take_in(stranger, "three-at-a-table", ANNA)
        await studio.episodes.settle(again.id)
        await studio.episodes.settle(other.id)
    assert [(one.speaker, one.content) for one in again.messages] == [(one.speaker, one.content) for one in before]
    assert remarks == ()
    assert {one.speaker for one in other.messages if one.role == "character"} == {"ada"}
    assert told == ("Not in this group: Zoe. Their lines are now Ada's.",)


async def test_an_imported_group_chat_keeps_names_speakers_swipes_and_hidden_messages(tmp_path: Path) -> None:
    lines = [
        {"user_name": "Anna", "character_name": "unused", "create_date": "2024-05-01T10:00:00Z", "chat_metadata": {}},
        {"name": "Narrator", "is_user": False, "is_system": True, "mes": "A hidden line."},
        {"name": "CLEO MARSH", "is_user": False, "mes": "Two.", "swipe_id": 1, "swipes": ["One.", "Two."]},
        {"name": "Anna", "is_user": True, "mes": "Good evening."},
        {"name": "Zoe", "is_user": False, "mes": "Who are you?"},
        {"name": "bo", "is_user": False, "mes": "Leave her."},
    ]
    written = "\n".join(json.dumps(line) for line in lines).encode()
    model = table()
    async with at_table(tmp_path, model) as studio:
        chat = read_chat(written, lambda *why: AssertionError(why))
        view, told = await studio.episodes.take_in(chat, "three-at-a-table", ANNA, reviewed=False)
        back = (await studio.episodes.chat(view.id)).messages
        await say(studio, view.id, "Ada?")
    said = [(one.speaker, one.name) for one in view.messages]
    assert said == [("cleo", "CLEO MARSH"), ("", ""), ("ada", "Zoe"), ("bo", "bo")]
    assert [len(one.siblings) for one in view.messages] == [2, 1, 1, 1]
    assert [(one.name, one.mes, one.is_system) for one in back] == [
        (line["name"], line["mes"], bool(line.get("is_system"))) for line in lines[1:]
    ]
    assert "Not in this group: Zoe. Their lines are now Ada's." in told
    assert "A hidden line." not in sent_to(model.requests, "ada")


async def test_a_message_in_distress_is_answered_by_one_and_is_no_part_of_the_game(tmp_path: Path) -> None:
    model = table()
    async with at_table(tmp_path, model) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        events = await say(studio, view.id, "Everyone: I want to kill myself.")
        state = (await studio.episodes.session(view.id)).state
    assert [one.type for one in events if one.type in ("care", "message_complete")] == ["care", "message_complete"]
    assert state.exchanges == ()
    assert not [one for one in model.requests if kind_of(one) == "extraction"]


async def test_what_a_character_thinks_reaches_neither_the_player_nor_the_others(tmp_path: Path) -> None:
    thought = "I buried it by the third willow"
    model = house(lambda request: spoken("Well.", internal=thought if asked_of(request) == "bo" else "", action=""))
    async with at_table(tmp_path, model) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        events = [*await say(studio, view.id, "Bo, Ada, Cleo: well?"), *await say(studio, view.id, "All of you?")]
        shown = await studio.episodes.view(view.id)
    assert thought not in "".join(one.model_dump_json() for one in events) + shown.model_dump_json()
    assert thought not in str([one.messages for one in model.requests])


async def test_the_directors_cut_tells_what_each_of_them_thought(tmp_path: Path) -> None:
    model = house(lambda request: spoken("Well.", internal=f"{asked_of(request)} thinks", action=""))
    short = {**TABLE, "completion_mode": "turn_limited", "turn_budget": 1, "directors_cut": True}
    async with at_table(tmp_path, model, short) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        await say(studio, view.id, "Bo, Ada, Cleo: well?")
        cut = await studio.episodes.directors_cut(view.id)
        assert (await studio.episodes.view(view.id)).director.turn_count == 1
    assert [(one.speaker, one.thought, one.turn) for one in cut.thoughts] == [
        (who, f"{who} thinks", 1) for who in ("bo", "ada", "cleo")
    ]
