"""Whatever a player does in a group, no word that was whispered to one is ever sent for another."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from dramaturg.episodes.tavern_chat import read_chat, write_chat
from dramaturg.kernel.errors import AuthorError, InvalidConfig
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.studio import Studio
from tests.episodes.company import CARDS, asked_of, at_table
from tests.episodes.staging import ANNA, house, kind_of, say, spoken

TABLE = "three-at-a-table"
TOKEN = re.compile(r"\b(ada|bo|cleo)only\d+\b")
STEPS = 14


def whose(request: ModelRequest) -> str:
    """For whom a request is made."""
    if kind_of(request) == "answer":
        return asked_of(request)
    found = re.search(r"\(the player\) and (\w+)", request.system)
    assert found is not None, request.system
    return found[1].lower()


def answer(request: ModelRequest) -> str:
    """Repeats what was whispered in the newest message, as a careless model would in its answer to it."""
    newest = request.messages[-1].text.rpartition("</state>")[2]
    heard = TOKEN.search(newest) if "<player whispers>" in newest else None
    return spoken(f"Yes: {heard[0]}." if heard else "Well.", action="")


def extraction(request: ModelRequest) -> str:
    found = TOKEN.search(request.messages[-1].text)
    kept = [{"text": f"Knows {found[0]}.", "quote": found[0]}] if found else []
    return json.dumps({"memories": kept, "relationship": {"trust": 0.1, "quote": "Well"}})


async def act(studio: Studio, session: str, rng: random.Random, step: int) -> None:
    """One thing that a player may do."""
    messages = (await studio.episodes.view(session)).messages
    if not messages:
        await say(studio, session, "Well?")
        return
    one = rng.choice(messages)
    to = rng.choice(list(CARDS))
    match rng.choice(["whisper", "whisper", "say", "say", "swipe", "edit", "delete", "branch", "go on", "choose"]):
        case "whisper":
            [_ async for _ in studio.episodes.say(session, f"Remember {to}only{step}.", to=to)]
        case "say":
            await say(studio, session, rng.choice(["Well?", "All of you: so?", "Ada, Cleo: hm?", "Bo, Ada?"]))
        case "swipe":
            [_ async for _ in studio.episodes.turn(session, await studio.episodes.swipe(session, one.id))]
        case "edit":
            word = f"{one.to or one.speaker}only{step}" if one.whispered else "changed"
            await studio.episodes.edit(session, one.id, f"It is {word}.")
        case "delete":
            await studio.episodes.delete_message(session, one.id)
        case "branch":
            await studio.episodes.branch(session, one.id)
        case "go on":
            [_ async for _ in studio.episodes.turn(session, await studio.episodes.go_on(session, to))]
        case "choose":
            await studio.episodes.choose(session, rng.choice(one.siblings))


@pytest.mark.parametrize("seed", range(6))
async def test_no_request_for_one_holds_what_another_was_told(tmp_path: Path, seed: int) -> None:
    rng, model = random.Random(seed), house(answer, extraction=extraction)
    async with at_table(tmp_path, model) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA, seed=seed)
        for step in range(STEPS):
            try:
                await act(studio, view.id, rng, step)
            except AuthorError:
                continue  # such as a swipe of the opening
        await studio.episodes.settle(view.id)
        remembered = await studio.episodes.tables.kept_of("anna")
        again = await studio.episodes.open("three-at-a-table", ANNA, seed=seed)
        await say(studio, again.id, "All of you: do you remember?")
    held = [(whose(one), found) for one in model.requests for found in TOKEN.findall(str((one.system, one.messages)))]
    assert all(who == owner for who, owner in held)
    assert all(found[1] == who for who, note in remembered if (found := TOKEN.search(note.text)))


async def imported(studio: Studio, session: str, episode: str) -> tuple[str, tuple[str, ...]]:
    """A session as a file of another program, imported again."""
    file = write_chat(await studio.episodes.chat(session))
    chat = read_chat(file, lambda reason, way: InvalidConfig(reason))
    view, remarks = await studio.episodes.take_in(chat, episode, ANNA)
    return view.id, remarks


async def test_a_whisper_that_is_exported_and_imported_is_still_heard_by_one_alone(tmp_path: Path) -> None:
    model = house(answer, extraction=extraction)
    async with at_table(tmp_path, model) as studio:
        session = (await studio.episodes.open(TABLE, ANNA)).id
        [_ async for _ in studio.episodes.say(session, "Remember boonly1.", to="bo")]
        await say(studio, session, "Well?")
        again, remarks = await imported(studio, session, TABLE)
        assert remarks == ()
        await studio.episodes.settle(again)
        model.requests.clear()
        for text in ("All of you: so?", "Ada, Cleo: hm?", "Bo?"):
            await say(studio, again, text)
        await studio.episodes.settle(again)
        told = {whose(one) for one in model.requests if "boonly1" in str(one)}
        assert told == {"bo"}
        before, after = [(await studio.episodes.view(one)).messages for one in (session, again)]
        assert [(one.content, one.whispered) for one in after[: len(before)]] == [
            (one.content, one.whispered) for one in before
        ]


async def test_what_was_whispered_to_somebody_who_is_not_there_is_heard_by_nobody(tmp_path: Path) -> None:
    model = house(answer, extraction=extraction)
    async with at_table(tmp_path, model) as studio:
        session = (await studio.episodes.open(TABLE, ANNA)).id
        [_ async for _ in studio.episodes.say(session, "Remember boonly1.", to="bo")]
        await say(studio, session, "Well?")
        (tmp_path / "episodes" / "alone.yaml").write_text("name: alone\ncharacter: ada\n", encoding="utf-8")
        again, remarks = await imported(studio, session, "alone")
        assert "What was whispered to bo is heard by nobody here." in remarks
        model.requests.clear()
        await say(studio, again, "Ada?")
        await studio.episodes.settle(again)
        assert model.requests
        assert not any("boonly1" in str(one) for one in model.requests)
        chat = await studio.episodes.chat(again)
        assert [one.ours.get("whispered") for one in chat.messages if "boonly1" in one.text] == ["bo", "bo"]
