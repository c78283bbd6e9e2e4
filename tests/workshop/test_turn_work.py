"""The work of a turn hardly grows with the book: it is counted in function calls, and never timed."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.workshop.book.decisions import Category, NewDecision
from dramaturg.workshop.book.file_cache import Stamps, stamps_of
from dramaturg.workshop.front import Workshop
from tests.work_count import LineCount, WorkCount
from tests.workshop.workroom import acting, at_work, fill_the_bible, heard, saying

LATER = 4e9
FEW, MORE = 40, 200
CALLS_PER_SCENE = 3
CALLS_PER_DECISION = 4
"""More than were counted (1, and 1 where every fifth decision has a word of what is said), since what a process does
beside a turn is counted too. They were 470 and 120 when every prompt read and ranked everything anew.
"""
SCENES_OF_A_NOVEL, DECISIONS_OF_A_YEAR, FLAT = 500, 1000, 1.25
CATEGORIES: tuple[Category, ...] = ("structure", "world", "character")


def write_book(project: Path, scenes: int) -> None:
    fill_the_bible(project)
    for folder in ("manuscript", "scaffolds"):
        (project / folder).mkdir()
    for number in range(1, scenes + 1):
        scene = f"---\ntitle: Lamp {number}\ncast: [Ruth Hale]\n---\nRuth counts the lamps, {number}.\n"
        (project / "manuscript" / f"ch{number:03}-sc01.md").write_text(scene, encoding="utf-8")


def deciding(number: int) -> str:
    return acting("save_decision", category="world", key=f"said_{number}", value="So.")


@asynccontextmanager
async def a_book(project: Path, scenes: int = FEW, decisions: int = FEW) -> AsyncIterator[Workshop]:
    write_book(project, scenes)
    answers = [saying("Noted.", deciding(number)) for number in range(9)]
    async with at_work(project, answers, clock=StillClock(LATER)) as foreman:
        for number in range(decisions):
            value = f"The {('lamp', 'mill', 'ferry', 'well', 'bell')[number % 5]} of house {number} is out."
            await foreman.decide(NewDecision(category=CATEGORIES[number % 3], key=f"house_{number}", value=value))
        yield foreman


@pytest.fixture
def work() -> Iterator[WorkCount]:
    with WorkCount().installed() as count:
        yield count


async def calls_of_a_turn(work: WorkCount, project: Path, scenes: int = FEW, decisions: int = FEW) -> int:
    """The calls of a turn in the middle of a conversation, when whatever is kept between turns is kept.

    The name of the folder is told in prompts, so that no two books have texts whose tokens are counted already.
    """
    project.mkdir()
    counted = []
    async with a_book(project, scenes, decisions) as foreman:
        for message in ("The lamp.", "The ferry.", "The bell.", "The well.", "The mill."):
            with work.counting():
                await heard(foreman, message)
            counted.append(work.calls)
    return min(counted)


async def test_a_scene_more_is_a_look_at_its_file_more(work: WorkCount, tmp_path: Path) -> None:
    few = await calls_of_a_turn(work, tmp_path / "few-scenes")
    many = await calls_of_a_turn(work, tmp_path / "many-scenes", scenes=FEW + MORE)
    assert (many - few) / MORE < CALLS_PER_SCENE


async def test_a_decision_more_is_looked_at_only_if_it_shares_a_word(work: WorkCount, tmp_path: Path) -> None:
    few = await calls_of_a_turn(work, tmp_path / "few-decisions")
    many = await calls_of_a_turn(work, tmp_path / "many-decisions", decisions=FEW + MORE)
    assert (many - few) / MORE < CALLS_PER_DECISION


async def test_a_turn_late_in_a_long_book_is_flat_within_a_quarter(work: WorkCount, tmp_path: Path) -> None:
    early = await calls_of_a_turn(work, tmp_path / "early", scenes=0, decisions=10)
    late = await calls_of_a_turn(work, tmp_path / "late", SCENES_OF_A_NOVEL, DECISIONS_OF_A_YEAR)
    assert early < late < FLAT * early


async def lines_of_a_turn(lines: LineCount, project: Path, decisions: int) -> int:
    """The lines of a turn about something that was never decided."""
    project.mkdir()
    counted = []
    async with a_book(project, scenes=0, decisions=decisions) as foreman:
        for message in ("Her sister writes.", "It rains.", "Nobody answers.", "Midnight."):
            with lines.counting():
                await heard(foreman, message)
            counted.append(lines.lines)
    return min(counted)


async def test_no_turn_goes_through_all_that_was_decided(tmp_path: Path) -> None:
    with LineCount("dramaturg.workshop", "dramaturg.kernel.text").installed() as lines:
        early = await lines_of_a_turn(lines, tmp_path / "early", 10)
        late = await lines_of_a_turn(lines, tmp_path / "late", DECISIONS_OF_A_YEAR)
    assert 0 < late < FLAT * early  # every turn once ranked and listed them all


async def test_the_log_of_a_turn_does_not_repeat_what_was_not_told(tmp_path: Path) -> None:
    sizes = []
    for name, decisions in (("early", FEW), ("late", FEW + MORE)):
        (tmp_path / name).mkdir()
        async with a_book(tmp_path / name, decisions=decisions) as foreman:
            for message in ("The lamp.", "The ferry."):
                await heard(foreman, message)
            sizes.append(len((await foreman.conversation()).prompts[-1].model_dump_json()))
    assert sizes[1] < FLAT * sizes[0]


async def test_the_log_of_a_turn_does_not_repeat_the_files_that_stay_as_they_are(tmp_path: Path) -> None:
    sizes = []
    for name, scenes in (("short", 1), ("long", FEW + MORE)):
        (tmp_path / name).mkdir()
        async with a_book(tmp_path / name, scenes=scenes) as foreman:
            for message in ("The lamp.", "The ferry."):
                await heard(foreman, message)
            sizes.append(len((await foreman.conversation()).prompts[-1].model_dump_json()))
    assert sizes[1] < FLAT * sizes[0]


async def test_a_turn_looks_at_every_file_of_the_book_once(tmp_path: Path) -> None:
    looks: Counter[Path] = Counter()

    def look(names: Sequence[str]) -> Stamps:
        looks.update(map(Path, names))
        return stamps_of(names)

    async with a_book(tmp_path) as foreman:
        await heard(foreman, "The lamp.")
        foreman._sources.cache._look = look
        await heard(foreman, "The ferry.")
    scenes = {place: count for place, count in looks.items() if place.parent.name == "manuscript"}
    assert len(scenes) == FEW
    assert set(scenes.values()) == {1}
