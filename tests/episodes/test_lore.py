"""Lorebooks in an episode: told when the talk comes to them, after the stable part, carried by swipes and branches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.episodes.events import LoreTold
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.runs import START
from dramaturg.studio import Studio
from tests.episodes.staging import ANNA, FLIRT, house, kind_of, say, studio_of

LONG = {**FLIRT, "turn_budget": 30}


def write_book(project: Path, **entry: object) -> None:
    told = {"key": ["ferry"], "content": "The ferry <runs> until ten, {{user}}.", "order": 1, **entry}
    (project / "lorebooks").mkdir(parents=True, exist_ok=True)
    (project / "lorebooks" / "haven.json").write_text(json.dumps({"entries": {"0": told}}), encoding="utf-8")


def asked(requests: list[ModelRequest]) -> list[str]:
    return [one.messages[-1].text for one in requests if kind_of(one) == "answer"]


async def told(studio: Studio, session: str) -> list[LoreTold]:
    sitting = await studio.episodes.session(session)
    return [entry.event for entry in sitting.run.entries if isinstance(entry.event, LoreTold)]


async def test_lore_is_told_when_its_key_is_said_and_never_in_the_stable_part(tmp_path: Path) -> None:
    write_book(tmp_path)
    model = house()
    async with studio_of(tmp_path, model, LONG) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening")
        await say(studio, view.id, "When does the ferry go?")
        reasons = [one.told[0].reason for one in await told(studio, view.id) if one.told]
    first, second = asked(model.requests)
    assert "<lore>" not in first
    assert "<lore>The ferry &lt;runs&gt; until ten, Anna.</lore>" in second
    assert len({one.system for one in model.requests if kind_of(one) == "answer"}) == 1
    assert reasons == ["key 'ferry' in the last 2 messages"]


async def test_what_was_timed_stays_with_the_message_so_that_swipes_and_branches_carry_it(tmp_path: Path) -> None:
    write_book(tmp_path, sticky=3)
    model = house()
    async with studio_of(tmp_path, model, LONG) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        for text in ("Hello", "The ferry?", "Something else", "And more", "And more again"):
            await say(studio, view.id, text)
        shown = ["<lore>" in text for text in asked(model.requests)]
        assert shown == [False, True, True, False, False]
        third = (await studio.episodes.view(view.id)).messages[6]
        mark = await studio.episodes.swipe(view.id, third.id)
        async for _ in studio.episodes.turn(view.id, mark):
            pass
        assert "<lore>" in asked(model.requests)[-1]
        await studio.episodes.branch(view.id, "m3")
        await say(studio, view.id, "What do you think?")
        assert "<lore>" not in asked(model.requests)[-1]
        before = await told(studio, view.id)
        await studio.episodes.close()
        assert await told(studio, view.id) == before


async def test_a_book_that_cannot_be_read_is_told_before_and_costs_only_its_lore_afterwards(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(), LONG) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        (tmp_path / "lorebooks").mkdir()
        (tmp_path / "lorebooks" / "broken.json").write_text("{", encoding="utf-8")
        with pytest.raises(InvalidConfig, match="broken"):
            await studio.episodes.open("last-orders", ANNA)
        assert len(await studio.episodes.sessions()) == 1
        await say(studio, view.id, "Hello")
        assert (await studio.episodes.view(view.id)).director.turn_count == 1
        assert "broken" in (await told(studio, view.id))[0].problem


async def test_the_greetings_of_a_card_open_an_episode_that_has_no_opening(tmp_path: Path) -> None:
    silent = {key: value for key, value in LONG.items() if key != "opening_line"}
    async with studio_of(tmp_path, house(), silent) as studio:
        card = tmp_path / ".claude" / "agents" / "mina.md"
        card.write_text(
            f'---\ngreetings: ["We are closed, {{{{user}}}}.", "You again."]\n---\n{card.read_text()}', encoding="utf-8"
        )
        view = await studio.episodes.open("last-orders", ANNA)
        events = [event async for event in studio.episodes.turn(view.id, START)]
        assert [one.type for one in events] == ["scene_card", "message_complete", "done"]
        assert [one.content for one in view.messages] == ["We are closed, Anna."]
        assert view.messages[0].siblings == ("m1", "m2")
        other = await studio.episodes.choose(view.id, "m2")
        assert [one.content for one in other.messages] == ["You again."]
        await say(studio, view.id, "Yes, me")
        assert (await studio.episodes.view(view.id)).director.turn_count == 1
