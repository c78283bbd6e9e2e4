"""What many scenes have in common is read once: goals and cards cost next to nothing when they come again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dramaturg.characters import parse_card
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import CharacterLoadError
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.director.goals import Goal, is_lasting, split_goal, walked_text
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.events import SceneReopened
from dramaturg.scenes.scene import SceneConfig
from dramaturg.scenes.wire import result_of
from dramaturg.studio import Studio
from tests.work_count import WorkCount

NAMES = ("Ilse Brandt", "Tomasz Zieliński", "Odile")
TEXT = "Tomasz Zieliński returns the borrowed sextant, and Ilse Brandt never mentions the auction again."
CARD = "# Ilse Brandt - Instrument maker\n\n## Personality\n" + "- Counts what others lose\n" * 40


@pytest.mark.parametrize(
    "read",
    [
        lambda: split_goal(TEXT, NAMES),
        lambda: is_lasting(Goal(id=1, text=TEXT)),
        lambda: walked_text(Goal(id=2, text=TEXT), CastNames(NAMES)),
        lambda: parse_card("ilse", CARD),
    ],
    ids=["split_goal", "is_lasting", "walked_text", "parse_card"],
)
def test_the_same_text_is_read_once(read: Callable[[], object]) -> None:
    work = WorkCount()
    with work.installed():
        with work.counting():
            first = read()
        once = work.calls
        with work.counting():
            again = read()
    assert again == first
    assert work.calls < 20 < once


def test_another_cast_or_another_text_is_read_anew() -> None:
    assert split_goal("Mara pays, Tom leaves", ("Mara", "Tom")) != split_goal("Mara pays, Tom leaves", ("Ann", "Bo"))
    assert is_lasting(Goal(id=1, text="Mara never pays")) is not is_lasting(Goal(id=1, text="Mara pays"))
    assert parse_card("ilse", CARD) != parse_card("ilse", CARD + "- One more\n")
    assert parse_card("ilse", CARD) != parse_card("other", CARD)


def test_a_card_that_cannot_be_read_is_refused_every_time() -> None:
    for _ in range(2):
        with pytest.raises(CharacterLoadError, match="empty"):
            parse_card("ilse", " ")


async def test_the_result_of_a_scene_is_made_with_its_files_and_anew_when_its_log_has_grown(tmp_path: Path) -> None:
    agents = tmp_path / ".claude" / "agents"
    agents.mkdir(parents=True)
    for name in ("ilse", "odile"):
        (agents / f"{name}.md").write_text(f"# {name.title()} - Maker\n\n## Personality\n- Direct\n", encoding="utf-8")
    config = SceneConfig(name="sextant", prompt="The sextant is back.", characters=("ilse", "odile"), max_beats=2)
    work = WorkCount()
    async with Studio.open(read_settings(tmp_path, {}), StillClock()) as studio:
        run = await studio.scenes.open(config, model="rehearsal")
        await studio.start(run)
        with work.installed(), work.counting():
            known = studio.scenes.result(run)
        assert work.calls < 20
        assert known == result_of(run.id, run.entries)
        await run.append(SceneReopened())
        assert studio.scenes.result(run) == result_of(run.id, run.entries) != known
