"""The benchmark of unseen scenes: its material, what it counts, and that nothing is paid for twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.assistance import UNSEEN, Counts, is_in_form, is_on_subject, measure, read_unseen
from dramaturg.scenes.director.goals import goal_source, split_goal
from dramaturg.scenes.line import Line
from tests.model_server import Asked, ModelServer

NAMES = sorted(path.stem for path in UNSEEN.glob("*.yaml"))


def test_there_are_ten_scenes() -> None:
    assert len(NAMES) == 10


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_has_cards_two_sub_goals_and_words_for_its_subject(name: str) -> None:
    scene = read_unseen(name)
    assert set(scene.cards) == set(scene.config.characters)
    cast = [card.splitlines()[0].removeprefix("# ").partition(" - ")[0] for card in scene.cards.values()]
    assert len(split_goal(goal_source(scene.config.prompt, scene.config.goal), cast)) == 2
    assert len(scene.subject) > 12
    assert not scene.config.lines


@pytest.mark.parametrize(
    ("words", "on"),
    [
        ("The measurements were never made.", True),
        ("We PUBLISH tomorrow.", True),
        ("What a lovely evening.", False),
        ("", False),
    ],
)
def test_a_line_is_on_the_subject_if_it_has_one_of_the_words(words: str, on: bool) -> None:
    assert is_on_subject(Line(number=1, beat=0, content=words), read_unseen("science").subject) is on


@pytest.mark.parametrize(
    ("line", "fits"),
    [
        (Line(number=1, beat=0, speaker="Ilse Maran", target="Tomas Oduya", content="Show me."), True),
        (Line(number=1, beat=0, speaker="Ilse Maran", target="Ilse Maran", content="Show me."), False),
        (Line(number=1, beat=0, speaker="Ilse Maran", nonverbal="ILSE", content="Show me."), False),
        (Line(number=1, beat=0, speaker="Ilse Maran", content="Show me. Tomas Oduya: Here."), False),
    ],
)
def test_form_is_what_a_reader_can_see(line: Line, fits: bool) -> None:
    assert is_in_form(line, ("Ilse Maran", "Tomas Oduya")) is fits


def test_counts_add_up() -> None:
    assert Counts(lines=2, own=3) + Counts(lines=1, words=4) == Counts(lines=3, own=3, words=4)


async def test_both_ways_are_played_once_and_counted_again_for_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = iter(range(10_000))

    def reply(asked: Asked) -> str:
        if "Which sub-goals are met?" in asked.prompt:
            return '{"goals": [], "confidence": 0.5, "natural_end": false}'
        return f'[TONE: calm] "In court {next(said)} other matter{next(said)} has come{next(said)} to light."'

    async with ModelServer() as server:
        server.reply = reply
        for _ in range(2):
            await measure(f"{server.url}/v1", "tiny-1.5b", ["court"], ["direct", "assisted"], "", tmp_path)
            asked = len(server.requests)
        direct, assisted, *again = [row for row in capsys.readouterr().out.splitlines() if row.startswith("| **")]
        assert len(server.requests) == asked
    assert again == [direct, assisted]
    assert "0 of 2 | 100% |" in direct
    assert "0 of 2 | 100% |" in assisted
