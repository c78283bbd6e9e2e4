"""Lore for models that are helped: below the lines of the script, by what the speaker heard, within its budget."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.runs import Run
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.briefing import brief_cast
from dramaturg.scenes.events import CueGiven, LoreTold, TurnGiven
from dramaturg.scenes.insight.occasion import occasion_of
from dramaturg.scenes.lore import HELPED_TOKENS
from dramaturg.scenes.state import scene_state
from tests.scenes.test_lore import write_book, write_original
from tests.stage import play_scripted

SMALL = profile_of("ollama/qwen2.5:1.5b")
WORDS = "harbours meadows rooftops orchards islands valleys markets bridges deserts gardens ferries dunes fens".split()


def reply(request: ModelRequest) -> str:
    """The opener whispers to Bob about the lighthouse; all other lines are about something else each time."""
    beat, _, who = request.key.removesuffix("/again").partition("/")
    number = int(beat.removeprefix("beat-"))
    if number == 0:
        return '[ASIDE TO: Bob, TONE: low] "The lighthouse is dark tonight."'
    if number == 4:
        return f'softly): "When does the ferry go, {who}{number}?"'
    return f'softly): "birds {who}{number} {WORDS[number]}."'


async def helped(
    project: Path, *, continues: bool = True, answers=reply, **config: object
) -> tuple[Run, ScriptedModel]:
    model = ScriptedModel(answers, profile=SMALL.model_copy(update={"continues": continues}))
    wanted = {
        "name": "quay",
        "prompt": "Three wait. Scene goal: they decide.",
        "characters": ["alice", "bob", "charlie"],
    }
    return await play_scripted({**wanted, "maxBeats": 8, **config}, model, project), model


def shown(model: ScriptedModel, text: str) -> set[str]:
    """The keys of the questions that have a text below the lines of the script."""
    return {one.key for one in model.requests if text in one.messages[-1].text}


@pytest.mark.parametrize("continues", [True, False])
async def test_who_speaks_is_told_what_it_knows_about_what_it_heard(tmp_path: Path, continues: bool) -> None:
    write_book(tmp_path, "haven", {"content": "The ferry <runs>\nuntil ten."})
    _, model = await helped(tmp_path, continues=continues)
    told = shown(model, " knows: The ferry <runs> until ten.")
    assert told
    assert all(int(key.split("/")[0].removeprefix("beat-")) > 4 for key in told)
    for one in model.requests:
        name = one.key.split("/")[1].title()
        assert set(re.findall(r"^(\w+) knows: ", one.messages[-1].text, re.MULTILINE)) <= {name}


async def test_nobody_is_told_the_lore_of_another_or_of_what_it_did_not_hear(tmp_path: Path) -> None:
    write_original(tmp_path, "bob", {"keys": ["ferry"], "content": "Bob steered it once."})
    write_book(tmp_path, "haven", {"key": ["lighthouse"], "content": "Its keeper drowned."})
    run, model = await helped(tmp_path, continues=False)
    state = scene_state(run.entries)
    assert any(line.aside for line in state.lines)
    assert {key.split("/")[1] for key in shown(model, "Bob steered it once.")} == {"bob"}
    assert "charlie" not in {key.split("/")[1] for key in shown(model, "Its keeper drowned.")}
    assert shown(model, "Its keeper drowned.")


async def test_what_always_holds_is_told_with_every_line_and_all_lore_fits_its_budget(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", {"constant": True, "content": "The sea is near."})
    write_book(
        tmp_path, "long", *({"constant": True, "content": f"The lamp of pier {n} is out. " * 9} for n in range(9))
    )
    run, model = await helped(tmp_path)
    assert shown(model, "knows: The sea is near.") == {one.key for one in model.requests if "judge" not in one.key}
    for one in model.requests:
        told = re.findall(r"^\w+ knows: (.*)$", one.messages[-1].text, re.MULTILINE)
        assert sum(estimate_tokens(text) for text in told) <= HELPED_TOKENS * 1.1
    scans = [entry.event for entry in run.entries if isinstance(entry.event, LoreTold) and not entry.event.standing]
    assert all(one.budget == HELPED_TOKENS for one in scans)
    assert all(one.untold or any(entry.cut_from for entry in one.told) for one in scans)


async def test_lore_that_is_recited_is_no_line(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", {"constant": True, "content": "The old keeper drowned in the great flood."})
    run, _ = await helped(tmp_path, answers=lambda request: 'flat): "The old keeper drowned in the great flood."')
    assert not [line for line in scene_state(run.entries).lines if "keeper" in line.content]


async def test_a_helped_line_is_put_together_again_to_the_byte_with_its_lore(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", {"content": "The ferry runs until ten."}, {"constant": True, "content": "Salt."})
    run, model = await helped(tmp_path)
    sent = {one.key: one for one in model.requests}
    turns = [entry.event for entry in run.entries if isinstance(entry.event, TurnGiven)]
    assert len(turns) > 4
    for turn in turns:
        rebuilt = occasion_of(run.entries, turn.beat, turn.character).request(read_settings(tmp_path, {}))
        assert rebuilt.messages == sent[rebuilt.key].messages
    cues = [entry.event for entry in run.entries if isinstance(entry.event, CueGiven)]
    assert any(len(one.lore) == 2 for one in cues)


async def test_the_check_shows_the_direction_that_a_helped_model_is_given(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", {"constant": True, "content": "The sea is near."})
    run, model = await helped(tmp_path)
    state, cards = scene_state(run.entries[:9]), occasion_of(run.entries, 0, "alice").cards
    told = brief_cast(state, cards, {card.name: model for card in cards}, read_settings(tmp_path, {}))
    assert told[0].first_cue.strip() in model.requests[0].messages[-1].text
    assert "Alice knows: The sea is near." in told[0].first_cue
