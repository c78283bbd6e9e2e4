"""Lorebooks at the table: each slot is told what belongs to it, by what it has heard, once per request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.ensemble.events import LoreTold
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.scripted import ScriptedModel
from tests.ensemble.table import play, scripted
from tests.scenes.test_lore import write_book, write_original
from tests.stage import write_cards

TABLE = """name: harbour
lorebooks: [haven]
slots:
  - {slot: 1, agent: bob}
  - {slot: 2, agent: the-clerk, persona: A clerk., lorebooks: [police]}
  - {slot: 3, agent: the-cook, persona: A cook.}
"""


def write_table(project: Path, table: str = TABLE) -> None:
    write_cards(project, ["bob"])
    write_original(project, "bob", {"content": "Bob steered it once."})
    write_book(
        project, "haven", {"content": "The ferry <runs> until ten."}, {"key": ["storm"], "content": "It is near."}
    )
    write_book(project, "police", {"content": "The ferry is watched."})
    write_book(project, "unnamed", {"content": "Nobody named this book."})
    (project / "ensemble.yaml").write_text(table, encoding="utf-8")


def told(model: ScriptedModel, text: str) -> set[str]:
    return {one.key for one in model.requests if text in one.messages[-1].text}


async def test_a_slot_is_told_the_shared_books_and_its_own_and_nobody_elses(tmp_path: Path) -> None:
    write_table(tmp_path)
    model = scripted({})
    run = await play(tmp_path, model, "When does the ferry go?", audio=False)
    assert told(model, "<lore>The ferry &lt;runs&gt; until ten.</lore>") == {f"turn-1/slot-{n}" for n in (1, 2, 3)}
    assert told(model, "Bob steered it once.") == {"turn-1/slot-1"}
    assert told(model, "The ferry is watched.") == {"turn-1/slot-2"}
    assert told(model, "Nobody named this book.") == set()
    assert not any("<lore>" in one.system for one in model.requests)
    scans = [entry.event for entry in run.entries if isinstance(entry.event, LoreTold)]
    assert [one.told[0].reason for one in scans if one.turn == 1] == ["key 'ferry' in the last message"] * 3


async def test_what_another_slot_says_brings_up_lore_where_it_was_heard(tmp_path: Path) -> None:
    write_table(tmp_path)
    said = json.dumps({"text": "A storm is coming.", "voice_profile": ""})
    model = scripted({"turn-1/slot-3": said})
    await play(tmp_path, model, "Good evening.", audio=False)
    assert told(model, "It is near.") == {"turn-2/slot-1", "turn-2/slot-2", "turn-2/slot-3"}


async def test_a_book_that_is_not_there_is_reported_before_anything_is_written(tmp_path: Path) -> None:
    write_table(tmp_path, TABLE.replace("[police]", "[polce]"))
    with pytest.raises(InvalidConfig, match="Did you mean 'police'"):
        await play(tmp_path, scripted({}), audio=False)
