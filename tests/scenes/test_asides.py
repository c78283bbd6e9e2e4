"""Asides to nobody: who hears them, and what the log says about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.events import ResponseGiven
from dramaturg.scenes.state import scene_state
from tests.rehearsals.script import read_rehearsal
from tests.stage import play_scripted

SCRIPT = """scene: asides        cast: alice, bob, charlie
max beats: 2
beat 0
  alice    @0  [ASIDE TO: {whom}, TONE: low] "The necklace is glass."
beat 1
  charlie  @1  [TONE: warm] "A lovely necklace."
"""


async def heard(
    whom: str, project: Path, cards: Mapping[str, str] | None = None
) -> tuple[bool, tuple[str, ...], tuple[str, ...]]:
    """Whether the line is an aside, who could not hear it, and the warnings in the log."""
    rehearsal = read_rehearsal(SCRIPT.format(whom=whom))
    run = await play_scripted(rehearsal.config(), ScriptedModel(rehearsal.answer), project, cards=cards)
    line = scene_state(run.entries).lines[0]
    given = [entry.event for entry in run.entries if isinstance(entry.event, ResponseGiven)]
    return line.aside, line.unheard_by, given[0].warnings


async def test_an_aside_to_an_unknown_name_is_heard_by_all_with_a_warning(tmp_path: Path) -> None:
    warning = "aside to Delia, who is nobody in this scene; heard by all"
    assert await heard("Delia", tmp_path) == (False, (), (warning,))


async def test_an_aside_to_two_is_heard_by_both_and_to_oneself_by_nobody(tmp_path: Path) -> None:
    assert await heard("Bob and Charlie", tmp_path) == (True, (), ())
    assert await heard("herself", tmp_path) == (True, ("Bob", "Charlie"), ())


async def test_an_aside_to_nobody_is_heard_by_nobody(tmp_path: Path) -> None:
    for whom in ("nobody", "no one", "No one in particular", "oneself"):
        assert await heard(whom, tmp_path / whom) == (True, ("Bob", "Charlie"), ())


async def test_an_aside_is_heard_by_whom_it_names_with_another_apostrophe(tmp_path: Path) -> None:
    cards = {"bob": "# Seán O’Brien - Priest\n"}
    assert await heard("Seán O'Brien", tmp_path / "one", cards) == (True, ("Charlie",), ())
    assert await heard("Sean O'Brien", tmp_path / "two", cards) == (True, ("Charlie",), ())


async def test_an_aside_of_one_anna_to_anna_is_for_the_others_of_that_name(tmp_path: Path) -> None:
    cards = {"alice": "# Anna Kay - Nurse\n", "bob": "# Anna Berg - Doctor\n"}
    assert await heard("Anna", tmp_path / "one", cards) == (True, ("Charlie",), ())
    three = cards | {"charlie": "# Anna Roth - Porter\n"}
    assert await heard("Anna", tmp_path / "two", three) == (True, (), ())
