"""The examples play with no key, against players of every temper, and give nothing away."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dramaturg.episodes.events import Persona
from dramaturg.episodes.rehearsal.players import TEMPERS
from dramaturg.episodes.rehearsal_room import leaks_in
from dramaturg.episodes.template import named_template
from dramaturg.episodes.wire import ChunkEvent
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio
from tests.episodes.staging import rehearsed, say

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("project", "name", "rate"),
    [
        ("the-flirt-test", "the-flirt-test", 1.0),
        ("the-flirt-test", "closing-time", 1.0),
        ("the-missing-ledger", "the-empty-shelf", 1.0),
        ("the-missing-ledger", "the-ferryman", 1.0),
        ("the-missing-ledger", "the-accusation", 0.33),
        ("the-night-porter", "the-night-desk", 0.0),
    ],
)
async def test_an_example_is_rehearsed_and_leaks_nothing(project: str, name: str, rate: float, tmp_path: Path) -> None:
    story = Path(shutil.copytree(EXAMPLES / project, tmp_path / project))
    async with Studio.open(read_settings(story, {}), StillClock()) as studio:
        template = named_template(story, name)
        report = await rehearsed(studio, name, most_turns=12)
        assert await studio.episodes.sessions() == ()
    assert [one.temper for one in report.sessions] == list(TEMPERS)
    assert report.completion_rate == rate
    assert report.leaks == 0
    assert not [error for one in report.sessions for error in one.errors]
    if template.evaluation:
        assert report.evaluations_given == sum(one.completed for one in report.sessions)


async def test_the_company_says_the_same_again_and_something_else_on_a_swipe(tmp_path: Path) -> None:
    story = Path(shutil.copytree(EXAMPLES / "the-night-porter", tmp_path / "story"))
    told: list[list[str]] = []
    async with Studio.open(read_settings(story, {}), StillClock()) as studio:
        for number in range(2):
            view = await studio.episodes.open("the-night-desk", Persona(id=f"guest-{number}"))
            for text in ("I can't sleep.", "Why do you stay?", "My father was a porter too."):
                await say(studio, view.id, text)
            told.append([message.content for message in (await studio.episodes.view(view.id)).messages])
        last = (await studio.episodes.view(view.id)).messages[-1]
        mark = await studio.episodes.swipe(view.id, last.id)
        async for _ in studio.episodes.turn(view.id, mark):
            pass
        swiped = (await studio.episodes.view(view.id)).messages[-1]
    assert told[0] == told[1]
    assert swiped.content != last.content
    answers = told[0][2::2]
    assert len(set(answers)) == len(answers)


async def test_a_leak_is_found_where_there_is_one(tmp_path: Path) -> None:
    story = Path(shutil.copytree(EXAMPLES / "the-flirt-test", tmp_path / "story"))
    async with Studio.open(read_settings(story, {}), StillClock()) as studio:
        view = await studio.episodes.open("the-flirt-test", Persona(id="x"))
        await say(studio, view.id, "Hello.")
        state = (await studio.episodes.session(view.id)).state
    thought = next(one.structured.internal for one in state.messages.values() if one.structured)
    shown = [
        (1, ChunkEvent(id="1.4", content=thought[:10], message_id="m3")),
        (1, ChunkEvent(id="1.9", content=thought[10:], message_id="m3")),
        (2, ChunkEvent(id="2.9", content='{"internal": "x"', message_id="m5")),
        (3, ChunkEvent(id="3.9", content="Good evening to you.", message_id="m7")),
    ]
    assert [(leak.turn, leak.source) for leak in leaks_in(state, shown)] == [(1, "thought of m3"), (2, "form")]


async def test_the_names_of_a_large_group_are_no_leak(tmp_path: Path) -> None:
    names = ("Greta van der Oyelaran", "Walter Oldcastle the Third", "Inés Robledo")
    for place, name in enumerate(names):
        card = tmp_path / ".claude" / "agents" / f"part{place}.md"
        card.parent.mkdir(parents=True, exist_ok=True)
        card.write_text(f"# {name}\n\n## Personality\n- Calm\n", encoding="utf-8")
    (tmp_path / "episodes").mkdir()
    (tmp_path / "episodes" / "all.yaml").write_text("characters: [part0, part1, part2]\n", encoding="utf-8")
    async with Studio.open(read_settings(tmp_path, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        view = await studio.episodes.open("all", Persona(id="x"))
        state = (await studio.episodes.session(view.id)).state
        shown = [(0, ChunkEvent(id="1.4", content=f"With {state.session.display_name} here.", message_id="m1"))]
    assert list(leaks_in(state, shown)) == []


async def test_a_clue_of_the_ledger_in_a_characters_mouth_is_a_leak(tmp_path: Path) -> None:
    story = Path(shutil.copytree(EXAMPLES / "the-missing-ledger", tmp_path / "story"))
    async with Studio.open(read_settings(story, {}), StillClock()) as studio:
        view = await studio.episodes.open("the-empty-shelf", Persona(id="x"))
        await say(studio, view.id, "Hello.")
        state = (await studio.episodes.session(view.id)).state
    clue = state.template.clue_ledger.clues[1]
    shown = [(1, ChunkEvent(id="1.4", content=clue.text, message_id="m3"))]
    assert [leak.source for leak in leaks_in(state, shown)] == [f"clue {clue.id}"]


async def test_a_character_remembers_its_player_from_one_night_to_the_next(tmp_path: Path) -> None:
    story = Path(shutil.copytree(EXAMPLES / "the-night-porter", tmp_path / "story"))
    async with Studio.open(read_settings(story, {}), StillClock()) as studio:
        first = await studio.episodes.open("the-night-desk", Persona(id="guest"))
        await say(studio, first.id, "I lost my brother in the spring.")
        second = await studio.episodes.open("the-eleventh-clock", Persona(id="guest"))
        events = await say(studio, second.id, "It's me again.")
    content = next(event.content for event in events if event.type == "message_complete")
    assert "I lost my brother in the spring." in content
