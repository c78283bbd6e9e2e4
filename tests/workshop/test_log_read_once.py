"""A conversation's log is read when a process first opens it, not for every turn, and anew if somebody else wrote."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.settings import ModelSettings, Settings
from dramaturg.studio import Studio
from dramaturg.workshop.front import Workshop


async def say(foreman: Workshop, *messages: str) -> None:
    for message in messages:
        async for _ in foreman.consult(message):
            pass


def book(folder: Path) -> Settings:
    return Settings(project=folder, models=ModelSettings(default="rehearsal"))


async def test_what_was_said_is_not_read_again_for_the_next_turn(tmp_path: Path) -> None:
    async with Studio.open(book(tmp_path)) as studio:
        await say(studio.workshop, "First.")
        first = (await studio.workshop.conversation()).turns[1]
        await say(studio.workshop, "Second.")
        await studio.workshop.undo()
        assert (await studio.workshop.conversation()).turns[1] is first


async def test_two_processes_that_take_turns_see_what_the_other_wrote(tmp_path: Path) -> None:
    async with Studio.open(book(tmp_path)) as one, Studio.open(book(tmp_path)) as other:
        await say(one.workshop, "First.")
        await say(other.workshop, "Second.")
        assert [turn.spoke.text for turn in (await one.workshop.conversation()).turns.values()] == ["First.", "Second."]
        await say(one.workshop, "Third.")
        await say(other.workshop, "Fourth.")
        for foreman in (one.workshop, other.workshop):
            said = [turn.spoke.text for turn in (await foreman.conversation()).turns.values()]
            assert said == ["First.", "Second.", "Third.", "Fourth."]


async def test_a_conversation_that_was_deleted_begins_anew(tmp_path: Path) -> None:
    async with Studio.open(book(tmp_path)) as studio:
        await say(studio.workshop, "First.", "Second.")
        (record,) = await studio.runs.find(kind="foreman")
        await studio.runs.delete(record.id)
        assert not (await studio.workshop.conversation()).turns
        await say(studio.workshop, "Anew.")
        assert [turn.spoke.text for turn in (await studio.workshop.conversation()).turns.values()] == ["Anew."]
