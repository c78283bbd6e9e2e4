"""Whatever a player does in a group, no word that was whispered to one is ever sent for another."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from dramaturg.kernel.errors import AuthorError
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.studio import Studio
from tests.episodes.company import CARDS, asked_of, at_table
from tests.episodes.staging import ANNA, house, kind_of, say, spoken

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
