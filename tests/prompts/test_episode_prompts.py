"""The prompts of an episode, whole, as they go out: the character's, the look at an exchange, the evaluations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.episodes.templates import episode_template
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from tests.episodes.staging import ANNA, FLIRT, house, say, studio_of, write_project
from tests.prompts.test_scene_prompts import check

EPISODE = {
    **FLIRT,
    "player": {"role": "the last guest", "objective": "Find out about the till."},
    "notes": "You know who emptied the till.",
    "turn_budget": 2,
    "evaluation": "mystery_progress",
    "clue_ledger": {"clues": [{"id": "keys", "text": "There are two keys to the till"}]},
    "beats": [{"beat": "pivot", "target_turn": 2, "instruction": "Mention the second key."}],
}
TEST = {**FLIRT, "name": "test", "turn_budget": 1}
SERIES = {"name": "nights", "title": "Nights", "episodes": ["last-orders", "test"]}
KEPT = {"text": "They lost a sister.", "quote": "I lost my sister", "importance": 0.9, "scope": "character"}


async def requests(project: Path) -> list[ModelRequest]:
    write_project(project, EPISODE, TEST, series=SERIES)
    summary = {"summary": "They met.", "key_moments": [{"text": "x", "quote": "I lost my sister"}]}
    model: ScriptedModel = house(extraction=json.dumps({"memories": [KEPT]}), evaluation=json.dumps(summary))
    async with studio_of(project, model, EPISODE, TEST) as studio:
        for name in ("last-orders", "test"):
            view = await studio.episodes.open(name, ANNA)
            for text in ("I lost my sister <b>here</b>.", "Who has a key?")[: 2 if name == "last-orders" else 1]:
                await say(studio, view.id, text)
    return model.requests


@pytest.mark.parametrize(
    ("name", "part", "place"),
    [
        ("answer", "/answer", 1),
        ("answer-next-episode", "/answer", 2),
        ("extraction", "/extraction", 0),
        ("evaluation-mystery", "/mystery_progress/", 0),
        ("evaluation-summary", "/episode_summary/", 0),
        ("evaluation-archetype", "/flirt_archetype/", 0),
    ],
)
async def test_the_request_reads_as_it_did(name: str, part: str, place: int, tmp_path: Path) -> None:
    found = [one for one in await requests(tmp_path) if part in one.key and "#repair" not in one.key]
    request = found[place]
    messages = "".join(f"\n=== {message.role}\n{message.text}\n" for message in request.messages)
    check(f"episode-{name}", f"=== system\n{request.system}\n{messages}")


async def test_all_but_the_newest_message_is_the_same_from_turn_to_turn(tmp_path: Path) -> None:
    first, second = [one for one in await requests(tmp_path) if "/answer" in one.key][:2]
    assert first.system == second.system
    assert second.messages[: len(first.messages) - 1] == first.messages[:-1]


@pytest.mark.parametrize("objective", ["", "the visitor promises to come back"])
def test_what_is_to_be_noted_of_an_accusation_is_a_row_of_its_own(objective: str) -> None:
    asked = {"name": "Mina", "kinds": "direct", "objective": objective, "beats": "pivot", "suspects": "Ida, Mina"}
    rows = episode_template("extraction").render(**asked).split("\n")
    assert [row.partition(":")[0] for row in rows if row.startswith("- ")][-2:] == ["- objective", "- accusation"]
